import Foundation

extension NetworkError.Code {
  /// A phrase that describes the code, such as `the call timed out`.
  var summary: String {
    switch self {
    case .invalidURL: "the URL is invalid"
    case .invalidMethod: "the method is invalid"
    case .invalidHeader: "a header is invalid"
    case .encodingFailed: "the parameters cannot be encoded"
    case .unsupported: "the operation is not supported"
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
    case .malformedResponse: "the response is not valid HTTP"
    case .bodyTooLarge: "the body of the response is too large"
    case .fileNotWritten: "the file for the body cannot be written"
    case .circuitOpen: "the circuit breaker is open because the host failed repeatedly"
    case .cancelled: "cancelled"
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
    case .offlineStoreFull: "the offline store is full"
    case .offlineStoreRefused: "the offline store rejected the request"
    case .offlineStoreFailed: "the offline store has failed"
    case .offlineStoreBusy: "another replay of the offline store is running"
    }
  }
}

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
  /// A description in one line, such as `GET https://api.example.com/v1/boards/7: the status 404 is
  /// not acceptable, after 2 attempts; the body begins: {"error":"no such board"}`.
  ///
  /// It contains at most the first 200 characters of the body, with the values of secret names
  /// masked. Semicolons separate the lines of a ``reason``. Other control characters are replaced
  /// by spaces.
  public var description: String {
    var text = request.map { "\($0): " } ?? ""
    text += code.summary
    if let detail = reason.map(Self.joinedLines) ?? underlyingText { text += ": \(detail)" }
    text += attemptsText
    if isStoredOffline { text += "; it is stored offline and will be sent later" }
    if let body, !body.isEmpty { text += "; the body begins: \(Self.excerpt(of: body))" }
    return Self.singleLine(text)
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private var underlyingText: String? {
    underlying.map { Self.text(of: $0) }
  }

  /// Returns the first 200 characters of the description of an error, with the values of secret
  /// names masked.
  static func text(of error: any Error) -> String {
    if let error = error as? DecodingError { return error.explanation }
    // Redacted before truncation, as in `excerpt(of:)`.
    let text = Redactor.standard.maskedText(String(String(describing: error).prefix(2_048)))
    return String(text.prefix(200))
  }

  /// Returns the start of a body.
  ///
  /// The body is redacted before truncation, because a truncated secret would not be recognized.
  private static func excerpt(of body: Data) -> String {
    let text = String(decoding: body.prefix(2_048), as: UTF8.self)
    let redacted = Redactor.standard.maskedText(singleLine(text))
    return redacted.count > 200 ? redacted.prefix(200) + "..." : redacted
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
  static func singleLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: line.append(" ")
      default: line.append(scalar)
      }
    }
    return String(line)
  }
}

extension NetworkError: CustomReflectable {
  /// A mirror of the code and the description, without the cookies of the response.
  public var customMirror: Mirror {
    Mirror(self, children: ["code": code, "description": description])
  }
}
