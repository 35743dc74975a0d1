import Foundation

extension Redaction {
  /// Returns a complete body as one line of text, with the values of secret names masked.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The value of the `Content-Type` header field. `nil` if there is none.
  /// - Returns: The text of a JSON, form, XML or text body. `nil` for a body of any other type, an
  ///   empty body, and a body that is not UTF-8 or contains a NUL.
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

  /// Returns parameters with the values of secret names masked.
  ///
  /// Data is replaced with its size.
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

  /// Returns a compact JSON text with the values of secret names masked and members sorted by name,
  /// or `nil` if the root is neither an array nor an object.
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
  /// Returns a copy in which the values of some members are replaced, at any depth.
  ///
  /// - Parameters:
  ///   - isSecret: Returns whether the value of a member is replaced as a whole. Otherwise its
  ///     contents are searched for further members.
  ///   - mask: Returns the replacement for the value of a secret member.
  ///   - text: Returns the replacement for a string outside of secret members.
  /// - Returns: The copy.
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
