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
  private(set) var parameters: [String: String] = [:]

  init(scheme: String, parameters: [String: String] = [:]) {
    self.scheme = scheme
    self.parameters = parameters
  }

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
      var reader = Reader(bytes)
      var parts: [Part] = []
      while !reader.isAtEnd {
        reader.skip(" \t,")
        guard let name = reader.token() else {
          reader.skipPart()
          continue
        }
        let isFollowedBySpace = reader.skip(" \t")
        guard reader.skip("=", atMost: 1) else {
          // A scheme is followed by a space, a comma, or the end.
          if isFollowedBySpace || reader.isAtEnd || reader.isAtComma { parts.append(.scheme(name)) }
          continue
        }
        reader.skip(" \t")
        if let value = reader.value() { parts.append(.parameter(name, value)) }
        reader.skipPart()
      }
      return parts
    }
  }
}

/// A reader of tokens and quoted strings.
private struct Reader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  var isAtComma: Bool { !isAtEnd && bytes[position] == UInt8(ascii: ",") }

  /// Skips characters, and returns whether there were any.
  @discardableResult
  mutating func skip(_ characters: StaticString, atMost limit: Int = .max) -> Bool {
    let start = position
    characters.withUTF8Buffer { characters in
      while !isAtEnd, position - start < limit, characters.contains(bytes[position]) {
        position += 1
      }
    }
    return position > start
  }

  /// Skips to the next comma outside quotes.
  mutating func skipPart() {
    while !isAtEnd, !isAtComma {
      if bytes[position] == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
    }
  }

  /// Returns a token in lower case, or `nil` if there is none.
  mutating func token() -> String? {
    rawToken()?.lowercased()
  }

  /// Returns a token or the content of a quoted string, or `nil` if there is neither.
  mutating func value() -> String? {
    !isAtEnd && bytes[position] == UInt8(ascii: "\"") ? quotedString() : rawToken()
  }

  private mutating func rawToken() -> String? {
    let start = position
    while !isAtEnd, bytes[position].isTokenCharacter { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Returns the content of a quoted string without escapes, or `nil` if it has no end.
  private mutating func quotedString() -> String? {
    var content: [UInt8] = []
    position += 1
    while !isAtEnd {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\") where position + 1 < bytes.count:
        content.append(bytes[position + 1])
        position += 2
      default:
        content.append(bytes[position])
        position += 1
      }
    }
    return nil
  }
}
