/// The header fields of a request or a response, in order.
///
/// Names are compared without regard to case and kept as they were given. A name may have several
/// values; their order is kept too. It is a list at heart, without a dictionary to build: messages have
/// few fields, and looking through them is quicker.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers.add("no-cache", for: "Cache-Control")
/// headers["Accept"] = nil
/// ```
///
/// Nothing is refused here. A request whose fields cannot be sent as they are, for a CR, LF or NUL in a
/// value or anything but a token for a name, is refused when it is built, by
/// ``NetworkError/Code-swift.enum/invalidHeader``, and nothing of it is sent.
///
/// Source: RFC 9110 section 5.
public struct HTTPHeaders: Sendable {
  /// One field: a name and one value.
  public struct Field: Sendable, Hashable, Codable {
    /// The name, as it was given.
    public var name: String
    /// The value, as it was given; perhaps empty.
    public var value: String

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The fields in order.
  public private(set) var fields: [Field]

  /// Makes headers of fields.
  ///
  /// - Parameter fields: the fields in order; a name may occur more than once.
  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// The values of a name as one, or nil when there is none.
  ///
  /// Several are joined by `, `, as RFC 9110 section 5.3 has it; of `Set-Cookie`, which cannot be
  /// joined, it is the first. Setting puts one value in the place of all, where the first one was;
  /// setting nil removes them.
  ///
  /// - Parameter name: the name, in any case.
  public subscript(name: String) -> String? {
    get {
      guard let first = firstIndex(of: name) else { return nil }
      let isAlone = !fields[(first + 1)...].contains { Self.areNamesEqual($0.name, name) }
      if isAlone || Self.areNamesEqual(name, "Set-Cookie") { return fields[first].value }
      return values(for: name).joined(separator: ", ")
    }
    set {
      guard let newValue else { return remove(name) }
      guard let index = firstIndex(of: name) else { return add(newValue, for: name) }
      fields[index] = Field(name: name, value: newValue)
      removeAll(name, after: index)
    }
  }

  /// Every value of a name, in order; empty when there is none.
  ///
  /// - Parameter name: the name, in any case.
  /// - Returns: the values as they were given.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where Self.areNamesEqual(field.name, name) { values.append(field.value) }
    return values
  }

  /// Whether there is a value of a name.
  ///
  /// - Parameter name: the name, in any case.
  /// - Returns: true when there is at least one, be it empty.
  public func contains(_ name: String) -> Bool {
    firstIndex(of: name) != nil
  }

  /// Adds a value behind those that are there.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - name: its name.
  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes every value of a name.
  ///
  /// - Parameter name: the name, in any case.
  public mutating func remove(_ name: String) {
    fields.removeAll { Self.areNamesEqual($0.name, name) }
  }

  /// These headers, and those of `others` in place of any of the same names.
  ///
  /// - Parameter others: the headers that win.
  /// - Returns: both.
  public func merging(_ others: HTTPHeaders) -> HTTPHeaders {
    var merged = HTTPHeaders(fields.filter { !others.contains($0.name) })
    merged.fields += others.fields
    return merged
  }

  private func firstIndex(of name: String) -> Int? {
    fields.firstIndex { Self.areNamesEqual($0.name, name) }
  }

  private mutating func removeAll(_ name: String, after index: Int) {
    let kept = fields[(index + 1)...].filter { !Self.areNamesEqual($0.name, name) }
    fields.replaceSubrange((index + 1)..., with: kept)
  }

  /// Whether two names are the same; ASCII letters only, as all names are tokens.
  static func areNamesEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Most are written alike.
    return left == right
      || zip(left.utf8, right.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers of a literal, in its order; a name may occur more than once.
  ///
  /// - Parameter elements: names and values.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: Sequence {
  /// Goes through the fields in order.
  ///
  /// - Returns: an iterator over ``fields``.
  public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

  /// How many fields there are.
  public var count: Int { fields.count }

  /// Whether there are no fields.
  public var isEmpty: Bool { fields.isEmpty }
}

extension HTTPHeaders: Hashable {
  /// Whether two headers have the same fields in the same order, names compared without regard to case.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.count == right.fields.count
      && zip(left.fields, right.fields).allSatisfy {
        $0.value == $1.value && areNamesEqual($0.name, $1.name)
      }
  }

  /// Feeds values and lowercased names to the hasher.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.name.lowercased())
      hasher.combine(field.value)
    }
  }
}

extension HTTPHeaders: Codable {
  /// Reads an array of fields.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws {
    self.init(try [Field](from: decoder))
  }

  /// Writes an array of fields.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try fields.encode(to: encoder)
  }
}

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
