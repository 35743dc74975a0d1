extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The fields for people, without secrets: `["Accept": "*/*", "Authorization": "***"]`.
  ///
  /// The values of telling names are masked, here and in what `dump` and a debugger print. ``fields`` has them.
  public var description: String {
    let fields = Redaction.headers(self).fields.map {
      "\($0.name.debugDescription): \($0.value.debugDescription)"
    }
    return fields.isEmpty ? "[:]" : "[\(fields.joined(separator: ", "))]"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The fields, without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: Redaction.headers(self).fields.map { ($0.name, $0.value) })
  }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The field for people, its value masked if the name tells that it is a secret: `Authorization: ***`.
  public var description: String { "\(name): \(Redaction.value(of: self))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Name and value, without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": Redaction.value(of: self)])
  }
}
