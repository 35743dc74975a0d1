/// A challenge of a `WWW-Authenticate` field.
///
/// Source: RFC 9110 sections 11.2, 11.3 and 11.6.1.
struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme in lower case.
  let scheme: String
  /// The parameters by lower-case name, without quotes.
  ///
  /// If a name occurs more than once, the first parameter is used. Empty for a challenge in the
  /// form `Negotiate YWJj`.
  var parameters: [String: String] = [:]

  /// Returns the challenges of a field value, in order.
  ///
  /// Malformed parts are skipped.
  ///
  /// - Parameter value: The value, in which commas separate challenges as well as parameters.
  /// - Returns: The challenges.
  static func list(_ value: String) -> [AuthenticationChallenge] {
    parts(of: value).reduce(into: []) { challenges, part in
      switch part {
      case .scheme(let name): challenges.append(AuthenticationChallenge(scheme: name))
      case .parameter(let name, let value):
        guard let last = challenges.indices.last, challenges[last].parameters[name] == nil else {
          return
        }
        challenges[last].parameters[name] = value
      }
    }
  }

  /// Returns the parameters of a field such as `Authentication-Info`, by lower-case name.
  ///
  /// Source: RFC 7615 section 3.
  static func parameters(_ value: String) -> [String: String] {
    parts(of: value).reduce(into: [:]) { parameters, part in
      guard case .parameter(let name, let value) = part else { return }
      parameters[name] = parameters[name] ?? value
    }
  }

  private enum Part {
    case scheme(String)
    case parameter(String, String)
  }

  private static func parts(of value: String) -> [Part] {
    var value = value
    return value.withUTF8 { bytes in
      var (rest, parts) = (bytes[...], [Part]())
      while var part = rest.popPart(before: UInt8(ascii: ",")) {
        while let name = part.popToken()?.lowercased() {
          let isFollowedBySpace =
            part.first == UInt8(ascii: " ") || part.first == UInt8(ascii: "\t")
          part = part.trimmed
          if part.first == UInt8(ascii: "=") {
            part = part.dropFirst().trimmed
            if let value = part.popToken() ?? part.quotedContent {
              parts.append(.parameter(name, value))
            }
            break
          }
          // A scheme is followed by a space, a comma, or the end.
          if isFollowedBySpace || part.isEmpty { parts.append(.scheme(name)) }
        }
      }
      return parts
    }
  }
}

extension FieldBytes {
  /// Removes and returns the token at the start, or returns `nil` if there is none.
  fileprivate mutating func popToken() -> String? {
    let token = prefix(while: \.isTokenCharacter)
    self = self[token.endIndex...]
    return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
  }

  /// The content of the quoted string at the start without escapes, or `nil` if there is none, or if
  /// it has no end.
  fileprivate var quotedContent: String? {
    guard first == UInt8(ascii: "\"") else { return nil }
    var (content, isEscaped) = ([UInt8](), false)
    for byte in dropFirst() {
      if byte == UInt8(ascii: "\""), !isEscaped { return String(decoding: content, as: UTF8.self) }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      if !isEscaped { content.append(byte) }
    }
    return nil
  }
}
