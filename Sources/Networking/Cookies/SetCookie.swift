import Foundation

/// The parsed value of a `Set-Cookie` field.
///
/// The parser reads bytes, in linear time, and accepts any input.
///
/// Source: RFC 6265bis sections 5.6 and 5.6.1 to 5.6.7.
struct SetCookie: Sendable, Equatable {
  /// The maximum number of bytes of an attribute's value.
  ///
  /// A longer attribute is ignored.
  static let maximumAttributeSize = 1_024
  /// The maximum lifetime of a cookie, in seconds: 400 days.
  ///
  /// Source: RFC 6265bis section 5.5.
  static let maximumAge: Double = 400 * 86_400

  /// The name, which is not empty.
  private(set) var name: String
  private(set) var value: String
  /// The date of `Expires`.
  private(set) var expires: Date?
  /// The seconds of `Max-Age`, which overrides ``expires``; at most ``maximumAge``.
  private(set) var maxAge: Double?
  /// The domain in lower case without its leading dot.
  ///
  /// Empty if there is none.
  private(set) var domain = ""
  /// The path, or `nil` for the default path of the request.
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite = Cookie.SameSite.unspecified

  /// Parses the value of a field.
  ///
  /// Returns `nil` if the field is to be ignored: it contains a control character other than a tab,
  /// its cookie has no name, or the name and the value are too long.
  ///
  /// - Parameter text: The value of the field.
  init?(_ text: String) {
    var text = text
    guard let parsed = text.withUTF8({ SetCookie(bytes: $0[...]) }) else { return nil }
    self = parsed
  }

  private init?(bytes: FieldBytes) {
    guard !bytes.contains(where: Self.isControl) else { return nil }
    var rest = bytes
    guard case (let name, let value?) = Self.popPair(&rest), !name.isEmpty,
      name.count + value.count <= Cookie.maximumSize
    else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)
    while !rest.isEmpty {
      let (name, value) = Self.popPair(&rest)
      let attribute = value ?? name[name.endIndex...]
      if attribute.count <= Self.maximumAttributeSize { set(name, attribute) }
    }
  }

  /// Removes the part before the next semicolon, and returns it split at its first equals sign.
  private static func popPair(_ rest: inout FieldBytes) -> (name: FieldBytes, value: FieldBytes?) {
    let part = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest[part.endIndex...].dropFirst()
    let equals = part.firstIndex(of: UInt8(ascii: "="))
    return (part[..<(equals ?? part.endIndex)].trimmed, equals.map { part[($0 + 1)...].trimmed })
  }

  /// Sets an attribute.
  ///
  /// The last attribute of a name applies.
  private mutating func set(_ name: FieldBytes, _ value: FieldBytes) {
    switch name.lowercasedToken {
    case "path":
      path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
    case "secure": isSecure = true
    case "domain":
      let domain = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
      self.domain = String(decoding: domain.map(\.lowercasedASCII), as: UTF8.self)
    case "expires":
      if let date = CookieDate.parse(value) { expires = date }
    case "max-age":
      if let age = Self.age(value) { maxAge = age }
    case "httponly": isHTTPOnly = true
    case "samesite":
      sameSite =
        Cookie.SameSite(rawValue: String(decoding: value.map(\.lowercasedASCII), as: UTF8.self))
        ?? .unspecified
    default: break
    }
  }

  /// Returns the seconds of `Max-Age`: digits, which may follow a minus sign.
  private static func age(_ value: FieldBytes) -> Double? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty else { return nil }
    var age = 0.0
    for byte in digits {
      guard byte.isASCIIDigit else { return nil }
      age = min(age * 10 + Double(byte - UInt8(ascii: "0")), maximumAge)
    }
    return isNegative ? -age : age
  }

  /// Returns the date of expiry.
  ///
  /// - Parameter now: The current date.
  /// - Returns: The date, at most ``maximumAge`` after `now`, or `nil` if the cookie has none. A
  ///   `Max-Age` of 0 or less returns a date in the past.
  func expiry(at now: Date) -> Date? {
    if let maxAge { return maxAge > 0 ? now.addingTimeInterval(maxAge) : .distantPast }
    return expires.map { min($0, now.addingTimeInterval(Self.maximumAge)) }
  }

  // MARK: Bytes

  /// Whether a byte is a control character other than a tab.
  static func isControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F
  }
}
