import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportFailure {
  /// Makes a failure from an error of `URLSession`.
  ///
  /// On Linux, the message of a `URLError` is included only if it comes from libcurl and contains no URL
  /// query. Other messages are in the user's language and add nothing to the numbers.
  package init(_ error: any Error) {
    #if canImport(FoundationNetworking)
      if let error = error as? URLError {
        let message = error.localizedDescription
        let isFromLibcurl = error.userInfo[NSUnderlyingErrorKey] != nil
        self.init(
          code: NetworkError.Code(error.code, message: message),
          detail: isFromLibcurl && !message.contains("?") ? message : "")
        return
      }
    #endif
    let cause = URLErrorCause(error as NSError)
    self.init(code: cause.code, detail: cause.text)
  }
}

/// The numbers of an error of `URLSession` and of its underlying errors, without their texts, which may contain a URL.
struct URLErrorCause {
  /// The numbers from the outer error to the innermost and then that of the stream, with their domains,
  /// such as `URLError`, `POSIX` or `TLS`.
  private var numbers: [(domain: String, value: Int)] = []

  /// Collects the numbers of an error.
  ///
  /// - Parameter error: The error. At most four underlying errors are read.
  init(_ error: NSError) {
    let names = [NSURLErrorDomain: "URLError", NSPOSIXErrorDomain: "POSIX"]
    var stream: (domain: String, value: Int)?
    var next: NSError? = error
    while let error = next, numbers.count < 5 {
      // A domain of other code may be a URL.
      let isName = !error.domain.contains { ":/?@".contains($0) }
      numbers.append((names[error.domain] ?? (isName ? error.domain : "error"), error.code))
      if stream == nil, let value = error.userInfo["_kCFStreamErrorCodeKey"] as? NSNumber,
        let domain = error.userInfo["_kCFStreamErrorDomainKey"] as? NSNumber
      {
        // `CFStreamErrorDomain`, and `kCFStreamErrorDomainNetDB`.
        let name = [1: "POSIX", 3: "TLS", 12: "DNS"][domain.intValue] ?? "stream \(domain)"
        stream = (name, value.intValue)
      }
      next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    if let stream { numbers.append(stream) }
  }

  /// The numbers on one line, such as `URLError -1202, kCFErrorDomainCFNetwork -1202, TLS -9843`.
  var text: String {
    let text = numbers.map { "\($0.domain) \($0.value)" }.joined(separator: ", ")
    guard numbers.contains(where: { $0.value == -1_022 }) else { return text }
    return "App Transport Security refuses http: NSAppTransportSecurity in Info.plist (\(text))"
  }

  /// The code for the number that Secure Transport gave to a failed TLS handshake.
  private var tlsCode: NetworkError.Code? {
    numbers.last.flatMap { $0.domain == "TLS" ? Self.code($0.domain, $0.value) : nil }
  }

  /// Whether the failure of a handshake may be that of a certificate.
  ///
  /// `errSSLFatalAlert` is also the number of a certificate that App Transport Security refuses.
  var mayBeUntrusted: Bool {
    tlsCode == nil || tlsCode == .tlsUntrusted || numbers.last?.value == -9_802
  }

  /// The code of the error.
  ///
  /// It is that of the outermost error that has one. `URLSession` reports a wrong host as an untrusted
  /// certificate, and a missing network (`ENETDOWN`, `ENETUNREACH`) as a server that cannot be reached.
  var code: NetworkError.Code {
    if let tlsCode, tlsCode != .tlsHandshakeFailed { return tlsCode }
    let code = numbers.lazy.compactMap { Self.code($0.domain, $0.value) }.first
    let isOffline =
      code == .cannotConnect
      && numbers.contains { $0.domain == "POSIX" && (50...51).contains($0.value) }
    return isOffline ? .notConnectedToInternet : code ?? .connectionLost
  }

  /// Returns the code for a number, or `nil` if it means a lost connection, or has no meaning.
  ///
  /// The numbers of POSIX are those of Darwin. A number that ends an established connection, too, such as
  /// `ETIMEDOUT`, does not show that the request was not sent.
  private static func code(_ domain: String, _ value: Int) -> NetworkError.Code? {
    switch (domain, value) {
    // `errSSLHostNameMismatch`, `errSSLCertExpired`, `errSSLCertNotYetValid`.
    case ("TLS", -9_843): .tlsHostMismatch
    case ("TLS", -9_814), ("TLS", -9_815): .tlsCertificateExpired
    // `errSSLXCertChainInvalid`, `errSSLBadCert`, `errSSLUnknownRootCert`, `errSSLNoRootCert`.
    case ("TLS", -9_807), ("TLS", -9_808), ("TLS", -9_812), ("TLS", -9_813): .tlsUntrusted
    case ("TLS", _): .tlsHandshakeFailed
    case ("DNS", _), ("kCFErrorDomainCFNetwork", 1...2): .dnsFailed
    // `ENOSPC`, `EDQUOT`, and the errors of writing files.
    case ("POSIX", 28), ("POSIX", 69), (NSCocoaErrorDomain, 512...642): .fileNotWritten
    // `ECONNREFUSED`.
    case ("POSIX", 61): .cannotConnect
    // `EPROTO`, `kCFErrorHTTPParseFailure`.
    case ("POSIX", 100), ("kCFErrorDomainCFNetwork", 303): .malformedResponse
    // Failures of SOCKS and HTTP proxies, among them bad credentials.
    case ("kCFErrorDomainCFNetwork", 100...124), ("kCFErrorDomainCFNetwork", 306...311):
      .cannotConnect
    // `NSURLErrorUnknown`, and `kCFURLErrorUnknown`.
    case (_, -1), (_, -998): nil
    case ("URLError", _), ("kCFErrorDomainCFNetwork", ..<0):
      // The initializer of Foundation on Linux returns an optional.
      (URLError.Code(rawValue: value) as URLError.Code?).map { .init($0, message: "") }
    default: nil
    }
  }
}

extension NetworkError.Code {
  /// Makes a code from an error of `URLSession`.
  ///
  /// - Parameters:
  ///   - code: The code of the error.
  ///   - message: The message of the error. On Linux it is libcurl's and distinguishes errors that
  ///     share the code -1.
  init(_ code: URLError.Code, message: String) {
    self =
      switch code {
      case .cannotFindHost, .dnsLookupFailed: .dnsFailed
      case .cannotConnectToHost: .cannotConnect
      case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
        .notConnectedToInternet
      case .networkConnectionLost where message.contains("no response"): .malformedResponse
      case .networkConnectionLost, .cannotLoadFromNetwork, .backgroundSessionWasDisconnected:
        .connectionLost
      // Apart from the system's limit for connecting, `URLSession` has no time limit here.
      case .timedOut: .timedOut(.connect)
      case .cancelled, .userCancelledAuthentication: .cancelled
      case .badURL: .invalidURL
      case .unsupportedURL: Self(message: message) ?? .invalidURL
      case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
        .tlsHandshakeFailed
      case .appTransportSecurityRequiresSecureConnection: .unsupported
      // `cannotMoveFile` to `cannotCreateFile`.
      case _ where (-3_005 ... -3_000).contains(code.rawValue): .fileNotWritten
      case .serverCertificateHasBadDate, .serverCertificateNotYetValid: .tlsCertificateExpired
      case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .tlsUntrusted
      case .badServerResponse: Self(message: message) ?? Self.badServerResponse
      case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
        .zeroByteResource, .httpTooManyRedirects, .redirectToNonExistentLocation,
        .dataLengthExceedsMaximum:
        .malformedResponse
      case .requestBodyStreamExhausted, .fileDoesNotExist, .fileIsDirectory,
        .noPermissionsToReadFile:
        .encodingFailed
      default: Self(message: message) ?? .connectionLost
      }
  }

  /// On Linux the code means that the connection was closed without a byte of a response.
  private static var badServerResponse: NetworkError.Code {
    #if canImport(FoundationNetworking)
      .connectionLost
    #else
      .malformedResponse
    #endif
  }

  /// Texts of libcurl's messages, with their codes in the order of precedence.
  private static let messageTexts: [(code: NetworkError.Code, texts: [String])] = [
    (.tlsCertificateExpired, ["certificate has expired", "certificate is not yet valid"]),
    (.tlsHostMismatch, ["subject name", "does not match target host"]),
    (.tlsUntrusted, ["certificate problem", "certificate verification failed"]),
    (.tlsHandshakeFailed, ["SSL", "TLS", "ssl3_", "schannel"]),
    (
      .malformedResponse,
      [
        "unencoding", "HTTP/0.9", "Unsupported HTTP", "status line", "Header without colon",
        "writing header", "Unsupported response code", "Nul byte", "Transfer-Encoding",
        "Weird server reply", "Content-Length", "chunk", "hunked", "content encoding",
        "decompress", "inflate", "Unsupported protocol", "writing received data",
        "writing output", "Too large", "too large",
      ]
    ),
    (.dnsFailed, ["Could not resolve", "Couldn't resolve"]),
    (.cannotConnect, ["Failed to connect", "Couldn't connect", "Could not connect"]),
  ]

  /// Makes a code from a message of libcurl, or returns `nil` for an unknown message.
  private init?(message: String) {
    let known = Self.messageTexts.first { $0.texts.contains { message.contains($0) } }
    guard let known else { return nil }
    self = known.code
  }
}
