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
    guard let parsed = text.withUTF8({ SetCookie(bytes: $0) }) else { return nil }
    self = parsed
  }

  private init?(bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.contains(where: Self.isControl) else { return nil }
    var parts = Parts(bytes: bytes)
    guard let pair = parts.next(), let equals = pair.equals else { return nil }
    let name = Self.trimmed(bytes[pair.range.lowerBound..<equals])
    let value = Self.trimmed(bytes[(equals + 1)..<pair.range.upperBound])
    guard !name.isEmpty, name.count + value.count <= Cookie.maximumSize else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)
    while let part = parts.next() {
      let nameEnd = part.equals ?? part.range.upperBound
      let valueStart = part.equals.map { $0 + 1 } ?? part.range.upperBound
      let value = Self.trimmed(bytes[valueStart..<part.range.upperBound])
      guard value.count <= Self.maximumAttributeSize else { continue }
      set(Self.trimmed(bytes[part.range.lowerBound..<nameEnd]), value)
    }
  }

  /// Sets an attribute.
  ///
  /// The last attribute of a name applies.
  private mutating func set(
    _ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
  ) {
    func isName(_ text: StaticString) -> Bool {
      name.count == text.utf8CodeUnitCount
        && text.withUTF8Buffer { zip(name, $0).allSatisfy { $0.lowercasedASCII == $1 } }
    }
    switch name.count {
    case 4 where isName("path"):
      path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
    case 6 where isName("secure"): isSecure = true
    case 6 where isName("domain"):
      let domain = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
      self.domain = String(decoding: domain.map(\.lowercasedASCII), as: UTF8.self)
    case 7 where isName("expires"):
      if let date = CookieDate.parse(value) { expires = date }
    case 7 where isName("max-age"):
      if let age = Self.age(value) { maxAge = age }
    case 8 where isName("httponly"): isHTTPOnly = true
    case 8 where isName("samesite"):
      sameSite =
        Cookie.SameSite(rawValue: String(decoding: value.map(\.lowercasedASCII), as: UTF8.self))
        ?? .unspecified
    default: break
    }
  }

  /// Returns the seconds of `Max-Age`: digits, which may follow a minus sign.
  private static func age(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty else { return nil }
    var age = 0.0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
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

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    var bytes = bytes
    while let first = bytes.first, isWhiteSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isWhiteSpace(last) { bytes.removeLast() }
    return bytes
  }

  /// An iterator over the parts between semicolons.
  private struct Parts {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
    }

    /// Returns the next part with the position of its first equals sign.
    mutating func next() -> (range: Range<Int>, equals: Int?)? {
      guard position <= bytes.count else { return nil }
      let start = position
      var equals: Int?
      while position < bytes.count, bytes[position] != UInt8(ascii: ";") {
        if equals == nil, bytes[position] == UInt8(ascii: "=") { equals = position }
        position += 1
      }
      defer { position += 1 }
      return (start..<position, equals)
    }
  }
}
