import Foundation

extension Redaction {
  /// A whole body as one line of text, the values of telling names masked.
  ///
  /// - Parameters:
  ///   - data: the body.
  ///   - contentType: what its header field says it is; nil is nothing.
  /// - Returns: JSON, a form or text; nil for any other body.
  static func body(_ data: Data, contentType: String?) -> String? {
    guard !data.isEmpty, let body = String(data: data, encoding: .utf8), !body.contains("\0") else {
      return nil
    }
    let type = contentType.flatMap(MediaType.init(_:)).map {
      "\($0.type)/\($0.subtype)".lowercased()
    }
    switch type {
    case "application/x-www-form-urlencoded": return String(url("?\(body)").dropFirst())
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      return json(data) ?? NetworkError.singleLine(text(body))
    case .some(let type) where type.hasPrefix("text/") || type.hasSuffix("xml"):
      return NetworkError.singleLine(text(body))
    case nil: return json(data)
    default: return nil
    }
  }

  /// A masked JSON text, compact, its members sorted by name; nil when it is no array or object.
  private static func json(_ data: Data) -> String? {
    guard let json = try? JSON(parsing: data) else { return nil }
    switch json {
    case .array, .dictionary:
      let masked = json.masked(
        where: { name, value in isSecret(name: name) && value != .null },
        by: { _ in .string(mask) }, texts: { text($0) })
      return (try? masked.data()).map { String(decoding: $0, as: UTF8.self) }
    default: return nil
    }
  }
}

extension JSON {
  /// The same with some of its members masked, at any depth.
  ///
  /// - Parameters:
  ///   - isSecret: whether a member is masked; the value of one that is not is looked into.
  ///   - mask: what takes the place of a masked member's value.
  ///   - text: what takes the place of a text that belongs to no masked member.
  /// - Returns: the value with all of that replaced.
  package func masked(
    where isSecret: (_ name: String, _ value: JSON) -> Bool, by mask: (JSON) -> JSON,
    texts text: (String) -> String = { $0 }
  ) -> JSON {
    func masked(_ json: JSON) -> JSON {
      switch json {
      case .array(let values): .array(values.map(masked))
      case .dictionary(let members):
        .dictionary(
          Dictionary(
            uniqueKeysWithValues: members.map { name, value in
              (name, isSecret(name, value) ? mask(value) : masked(value))
            }))
      case .string(let value): .string(text(value))
      case .null, .bool, .int, .double, .decimal: json
      }
    }
    return masked(self)
  }
}

extension Redaction {
  /// Parameters with the values of telling names masked, and bytes by their number.
  static func parameters(_ parameters: Parameters) -> Parameters {
    switch parameters {
    case .array(let values): .array(values.map(self.parameters))
    case .dictionary(let members):
      .dictionary(
        Parameters.Members(
          members.map { member in
            (
              member.name,
              isSecret(name: member.name) ? .string(mask) : self.parameters(member.value)
            )
          }))
    case .string(let value): .string(text(value))
    case .data(let data): .string("(\(data.count) bytes)")
    case .null, .bool, .int, .decimal, .double: parameters
    }
  }
}
