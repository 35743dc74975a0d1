import Foundation

#if CATENA_CURL
  import CCatenaCurl
#endif

extension HTTPHeaders {
  /// Validates the fields.
  ///
  /// - Parameter request: The request with the fields, for the error.
  /// - Throws: ``NetworkError/Code-swift.enum/invalidHeader`` if a field cannot be sent. The reason
  ///   contains the name of the field, never its value.
  package func validate(of request: HTTPRequest? = nil) throws {
    for field in fields {
      guard let problem = Self.problem(of: field) else { continue }
      throw NetworkError(.invalidHeader, problem, request: request.map { .init($0) })
    }
  }

  /// Returns the reason why a field cannot be sent.
  ///
  /// - Parameter field: The field.
  /// - Returns: A sentence with the name of the field, never its value. `nil` if the field is
  ///   valid.
  static func problem(of field: Field) -> String? {
    if !field.name.isToken {
      return field.name.isEmpty
        ? "a header has no name"
        : "the header name \(field.name.debugDescription) contains an invalid character"
    }
    if !isValid(value: field.value) {
      return "the value of the header \(field.name) has a line break or another control character"
    }
    if transportFieldNames.contains(where: { areNamesEqual($0, field.name) }) {
      return "the header \(field.name) may be set by the transport only"
    }
    return nil
  }

  /// The fields that describe the connection or the framing of the message.
  ///
  /// The transport sets the fields that it needs. A caller's fields could contradict them, and two
  /// recipients could then parse the message differently.
  ///
  /// Source: RFC 9110 section 7.6.1, RFC 9112 section 6.3, RFC 9113 section 8.2.2.
  private static let transportFieldNames = [
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
    "Upgrade", "TE", "Trailer",
  ]

  /// Returns whether a value has no control characters except tabs.
  ///
  /// Bytes above ASCII are allowed.
  ///
  /// Source: RFC 9110 section 5.5.
  static func isValid(value: String) -> Bool {
    value.utf8.allBytesSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

extension HTTPHeaders {
  /// The name of the field with the idempotency key of a request.
  ///
  /// Source: draft-ietf-httpapi-idempotency-key-header.
  package static let idempotencyKeyName = "Idempotency-Key"

  /// The default fields of requests: `Accept-Encoding`, `Accept-Language`, and `User-Agent`.
  ///
  /// They are computed once. All transports decode the listed content codings; on Linux, `br` is
  /// listed only if the library `libbrotlidec` is installed. The languages are the first six of the
  /// user's preferred languages, in order of preference.
  public static let defaults: HTTPHeaders = [
    "Accept-Encoding": acceptEncoding(decodesBrotli: decodesBrotli),
    "Accept-Language": acceptLanguage(Locale.preferredLanguages),
    "User-Agent": userAgent(
      program: Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
        ?? ProcessInfo.processInfo.processName,
      version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
      system: ProcessInfo.processInfo.operatingSystemVersionString),
  ]

  private static var decodesBrotli: Bool {
    #if CATENA_CURL
      catena_decoder_is_available(.brotli)
    #elseif canImport(FoundationNetworking)
      // The libcurl of Foundation may have been built without it.
      false
    #else
      true
    #endif
  }

  /// Returns an `Accept-Encoding` value.
  static func acceptEncoding(decodesBrotli: Bool) -> String {
    decodesBrotli ? "br, gzip, deflate" : "gzip, deflate"
  }

  /// Returns an `Accept-Language` value with decreasing weights.
  ///
  /// Source: RFC 9110 section 12.5.4.
  static func acceptLanguage(_ languages: [String]) -> String {
    let tags = languages.map { String($0.map { $0 == "_" ? "-" : $0 }) }
      .filter { $0.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIAlphanumeric } }
    let weighted = tags.prefix(6).enumerated().map { position, tag in
      position == 0 ? tag : "\(tag);q=0.\(10 - position)"
    }
    return weighted.isEmpty ? "en" : weighted.joined(separator: ", ")
  }

  /// Returns `Program/1.0 (system) Catena`, without characters that are invalid in the field.
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
  /// Whether the bytes are a token, the syntax of methods, field names, and the parts of media
  /// types.
  ///
  /// Source: RFC 9110 section 5.6.2.
  var isToken: Bool { !isEmpty && allBytesSatisfy(\.isTokenCharacter) }

  /// Returns the same as `allSatisfy`, with a fast path for contiguous bytes.
  @inlinable
  package func allBytesSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
    withContiguousStorageIfAvailable { $0.allSatisfy(predicate) } ?? allSatisfy(predicate)
  }
}

// Other modules use these concrete properties, because a generic one is not specialized there.

extension String {
  /// Whether the text is a token.
  package var isToken: Bool { utf8.isToken }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes are a token.
  package var isToken: Bool { withUnsafeBufferPointer { $0.isToken } }
}

extension UInt8 {
  /// Whether a token may contain the character: a letter, a digit, or one of "!#$%&'*+-.^_`|~".
  var isTokenCharacter: Bool {
    // Bitmap of ASCII. This check is on the hot path.
    let characters: UInt64 = self < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return self < 0x80 && characters >> (self & 0x3F) & 1 == 1
  }

  /// The byte in lower case if it is an ASCII letter, otherwise the same byte.
  var lowercasedASCII: UInt8 {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}

extension HTTPHeaders {
  /// Whether the request accepts a content coding other than `identity`, as it does by default.
  ///
  /// Source: RFC 9110 section 12.5.3.
  var acceptsCoding: Bool {
    guard contains("Accept-Encoding") else { return true }
    return values(for: "Accept-Encoding").contains { value in
      value.split(separator: ",").contains { element in
        let parts = element.lowercased().split(separator: ";").map {
          $0.filter { $0 != " " && $0 != "\t" }
        }
        guard let coding = parts.first, !coding.isEmpty, coding != "identity" else { return false }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
        return weight.map { Double($0.dropFirst(2)) != 0 } ?? true
      }
    }
  }
}
