public import Foundation

extension NetworkError.Code {
  /// A phrase that describes the code, such as `the call timed out`.
  var summary: String {
    switch self {
    case .invalidURL: "the URL is invalid"
    case .credentialsWithoutBaseURL: "the client has credentials but no base URL"
    case .sessionEnded: "the session of the user has ended"
    case .invalidMethod: "the method is invalid"
    case .invalidHeader: "a header is invalid"
    case .encodingFailed: "the request cannot be encoded"
    case .unsupported: "the operation is not supported"
    case .invalidTLSOptions: "the TLS options cannot be used"
    case .mockFailed: "there is no mocked response"
    case .dnsFailed: "the host name could not be resolved"
    case .cannotConnect: "no connection could be made"
    case .connectionLost: "the connection was lost"
    case .notConnectedToInternet: "there is no network"
    case .timedOut(.connect): "connecting timed out"
    case .timedOut(.idle): "the connection was idle for too long"
    case .timedOut(.attempt): "the attempt timed out"
    case .timedOut(.call): "the call timed out"
    case .tlsHandshakeFailed: "the TLS handshake failed"
    case .tlsCertificateExpired: "the server's certificate has expired or is not valid yet"
    case .tlsHostMismatch: "the server's certificate is for another host"
    case .tlsUntrusted: "the server's certificate is not trusted"
    case .pinMismatch: "the server's key is not one of the pinned keys"
    case .tlsRevoked: "a certificate of the server has been revoked"
    case .tlsRevocationUnknown: "the revocation status of the server's certificate is not known"
    case .malformedResponse: "the response is not valid HTTP"
    case .bodyTooLarge: "the body of the response exceeds a limit"
    case .fileNotWritten: "the file for the body cannot be written"
    case .circuitOpen: "the circuit breaker is open because the host failed repeatedly"
    case .cancelled: "cancelled"
    case .digestMismatch: "the digest of the file is wrong"
    case .transferInProgress: "another transfer uses the file"
    case .redirectRefused: "a redirect was refused"
    case .tooManyRedirects: "too many redirects"
    case .unacceptableStatus(let status): "the status \(status) is not acceptable"
    case .unacceptableContentType(let type):
      "the content type \(type.debugDescription) is not acceptable"
    case .missingContentType: "the response has no content type"
    case .decodingFailed: "the body cannot be decoded"
    case .jsonFailed: "the body is not the requested JSON"
    case .stringFailed: "the body is not valid text in its encoding"
    case .noData: "the body is empty"
    case .alreadyRead: "the body or the pages are read already"
    case .pageLoop: "the pages form a loop"
    case .notCached: "the cache has no response"
    case .cookieFileFailed: "the file of the cookies has failed"
    case .offlineStoreFull: "the offline store is full"
    case .offlineStoreRefused: "the offline store rejected the request"
    case .offlineStoreFailed: "the offline store has failed"
    case .offlineCredentialsMissing: "a header field with credentials was not stored"
    case .offlineStoreBusy: "another client or process is replaying the offline store"
    }
  }

  /// Whether the body of a response is not as expected, of which its status may be the cause.
  fileprivate var concernsBody: Bool {
    switch self {
    case .bodyTooLarge, .unacceptableContentType, .missingContentType, .decodingFailed, .jsonFailed,
      .stringFailed, .noData:
      true
    default: false
    }
  }
}

extension NetworkError: BrieflyDescribed, LocalizedError {
  /// A description in one line, such as `GET https://api.example.com/v1/boards/7: the status 404 is
  /// not acceptable, after 2 attempts; the body begins: {"error":"no such board"}`.
  ///
  /// If a body cannot be decoded, and the status is not 2xx, the text has the status. It contains at most
  /// the first 200 Unicode scalars of the body, with the values of secret names masked. Semicolons separate the lines of a ``reason``. Other control characters are replaced
  /// by spaces.
  public var description: String {
    (request.map { "\($0): " } ?? "") + description(by: request?.attributes.redactor ?? .standard)
  }

  /// Returns the description without the request.
  func description(by redactor: Redactor) -> String {
    var text = code.summary
    let underlyingText = underlying.map { Self.text(of: $0, by: redactor) }
    if let detail = reason.map(Self.joinedLines) ?? underlyingText { text += ": \(detail)" }
    text += attemptsText
    if let status = response?.status, !(200..<300).contains(status), code.concernsBody {
      text += "; the response has the status \(status), which validate() rejects"
    }
    if isStoredOffline { text += "; it is stored offline and will be sent later" }
    if let body, !body.isEmpty { text += "; the body begins: \(excerpt(of: body, by: redactor))" }
    return Self.singleLine(text)
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// A mirror of the code and the description, without the cookies of the response.
  public var customMirror: Mirror {
    Mirror(self, children: ["code": code, "description": description])
  }

  /// Returns the first 200 Unicode scalars of the description of an error, with the values of
  /// secret names masked.
  package static func text(of error: any Error, by redactor: Redactor = .standard) -> String {
    if let error = error as? DecodingError { return error.explanation }
    // Redacted before truncation, as in `excerpt(of:)`.
    let text = redactor.maskedText(
      String(String(describing: error).unicodeScalars.prefix(2_048)))
    return String(text.unicodeScalars.prefix(200))
  }

  /// Returns the start of a body.
  ///
  /// The body is redacted before truncation, because a truncated secret would not be recognized.
  private func excerpt(of body: Data, by redactor: Redactor) -> String {
    var text = String(decoding: body.prefix(2_048), as: UTF8.self)
    let type = response?.headers["Content-Type"].flatMap(MediaType.init(_:))?.description
    // Before the lines of the table are joined.
    if let type, Redactor.tableTypes.contains(type) {
      text = CSVMasker.masked(text, by: redactor.mask, names: redactor.names)
    }
    let redacted = redactor.maskedText(Self.singleLine(text))
    // Scalars, because a single grapheme cluster can have any number of them.
    let start = redacted.unicodeScalars.prefix(200)
    return start.endIndex < redacted.endIndex ? String(start) + "..." : redacted
  }

  /// Returns text with semicolons between its lines.
  private static func joinedLines(_ text: String) -> String {
    guard text.contains("\n") else { return text }
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .reduce(into: "") { joined, line in
        if !joined.isEmpty { joined += joined.hasSuffix(":") ? " " : "; " }
        joined += line
      }
  }

  /// Returns text with spaces in place of line separators, control characters, and format
  /// characters.
  package static func singleLine(_ text: String) -> String {
    // Fast path: most texts are printable ASCII.
    guard !text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }),
      text.unicodeScalars.contains(where: \.separatesText)
    else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.separatesText ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a line separator, a control, or a format character.
  fileprivate var separatesText: Bool {
    // Fast path: the categories of Unicode are looked up only for text beyond ASCII.
    if isASCII { return value < 0x20 || value == 0x7F }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format: return true
    default: return false
    }
  }
}
