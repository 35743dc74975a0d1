import Foundation

extension HTTPHeaders {
  /// Makes sure that every field may be sent.
  ///
  /// - Throws: ``NetworkError/Code-swift.enum/invalidHeader``, with the field's name, never its value.
  func check() throws {
    for field in fields {
      if let problem = Self.problem(of: field) { throw NetworkError(.invalidHeader, problem) }
    }
  }

  /// What keeps a field from being sent, or nil when nothing does.
  ///
  /// - Parameter field: the field.
  /// - Returns: a sentence that names the field, never its value.
  static func problem(of field: Field) -> String? {
    if !field.name.isToken {
      return field.name.isEmpty
        ? "a header has no name"
        : "the header name \(field.name.debugDescription) has a character that names cannot have"
    }
    if !isValid(value: field.value) {
      return "the value of the header \(field.name) has a line break or another control character"
    }
    if transportFieldNames.contains(where: { areNamesEqual($0, field.name) }) {
      return "the header \(field.name) is the transport's to set"
    }
    return nil
  }

  /// The fields that describe the connection or frame the message, which the transport adds or has no
  /// use for; set by hand they would let a message be read in two ways.
  ///
  /// Source: RFC 9110 section 7.6.1, RFC 9112 section 6.3, RFC 9113 section 8.2.2.
  private static let transportFieldNames = [
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
    "Upgrade", "TE", "Trailer",
  ]

  /// Whether a value has no control character but the tab; bytes beyond ASCII are allowed.
  ///
  /// Source: RFC 9110 section 5.5.
  static func isValid(value: String) -> Bool {
    value.utf8.allBytesSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

extension HTTPHeaders {
  /// What every request says unless it says otherwise: `Accept-Encoding`, `Accept-Language`,
  /// `User-Agent`.
  ///
  /// They are computed once. The codings are those that every transport here decodes by itself; the
  /// languages are the user's, the best first, at most six.
  public static let defaults: HTTPHeaders = [
    "Accept-Encoding": "br, gzip, deflate",
    "Accept-Language": acceptLanguage(Locale.preferredLanguages),
    "User-Agent": userAgent(
      program: Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
        ?? ProcessInfo.processInfo.processName,
      version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
      system: ProcessInfo.processInfo.operatingSystemVersionString),
  ]

  /// Languages with falling weights.
  ///
  /// Source: RFC 9110 section 12.5.4.
  static func acceptLanguage(_ languages: [String]) -> String {
    let tags = languages.map { $0.replacing("_", with: "-") }
      .filter { $0.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIAlphanumeric } }
    let weighed = tags.prefix(6).enumerated().map { position, tag in
      position == 0 ? tag : "\(tag);q=0.\(10 - position)"
    }
    return weighed.isEmpty ? "en" : weighed.joined(separator: ", ")
  }

  /// `Program/1.0 (system) Catena`, without what could break a header.
  ///
  /// Source: RFC 9110 section 10.1.5.
  static func userAgent(program: String, version: String?, system: String) -> String {
    let product = token(program) + (version.map { "/" + token($0) } ?? "")
    let comment = String(
      decoding: system.utf8.filter {
        (0x20..<0x7F).contains($0) && !"()\\".utf8.contains($0)
      }, as: UTF8.self)
    return "\(product) (\(comment)) Catena"
  }

  private static func token(_ text: String) -> String {
    let kept = String(
      decoding: text.utf8.filter { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) },
      as: UTF8.self)
    return kept.isEmpty ? "unknown" : kept
  }
}

extension Collection<UInt8> {
  /// Whether these bytes are a token: what a method, a field's name or a media type's parts have to be.
  ///
  /// Source: RFC 9110 section 5.6.2.
  var isToken: Bool { !isEmpty && allBytesSatisfy(\.isTokenCharacter) }

  /// The same as `allSatisfy`, in one run over the bytes where they lie side by side.
  @inlinable
  package func allBytesSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
    withContiguousStorageIfAvailable { $0.allSatisfy(predicate) } ?? allSatisfy(predicate)
  }
}

extension StringProtocol {
  /// Whether this text is a token.
  var isToken: Bool { utf8.isToken }
}

// For other modules not generic: there it would not be specialised.

extension String {
  /// Whether this text is a token.
  package var isToken: Bool { utf8.isToken }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes are a token.
  package var isToken: Bool { withUnsafeBufferPointer { $0.isToken } }
}

extension UInt8 {
  /// Whether a token may have it: a letter, a digit, or one of "!#$%&'*+-.^_`|~".
  var isTokenCharacter: Bool {
    // A bit for each character of ASCII, as every name of every message is looked at.
    let characters: UInt64 = self < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return self < 0x80 && characters >> (self & 0x3F) & 1 == 1
  }

  /// The letter in lower case, if it is one of ASCII's in upper case; else the same.
  var lowercasedASCII: UInt8 {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}

extension UInt8 {
  /// Whether it is a letter or a digit of ASCII.
  @inlinable package var isASCIIAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// The number that it stands for as a digit of a hexadecimal number; nil when it is none.
  @inlinable package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
