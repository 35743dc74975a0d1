import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportFailure {
  /// Makes a failure from an error of `URLSession`.
  ///
  /// The message is included only if it comes from libcurl and contains no URL query. Other
  /// messages are in the user's language and add nothing to the code.
  package init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(code: .connectionLost)
      return
    }
    let message = error.localizedDescription
    let code = NetworkError.Code(error.code, message: message)
    #if canImport(FoundationNetworking)
      let isFromLibcurl = error.userInfo[NSUnderlyingErrorKey] != nil
      self.init(code: code, detail: isFromLibcurl && !message.contains("?") ? message : "")
    #else
      let cause = URLErrorCause(error as NSError)
      self.init(code: cause.tlsCode ?? code, detail: cause.text)
    #endif
  }
}

/// The numbers of an error of `URLSession` and of its underlying errors, without their texts, which may contain a URL.
struct URLErrorCause: Equatable {
  /// The domains and the codes, from the outer error to the innermost.
  let errors: [String]
  /// The number that Secure Transport gave to a failed TLS handshake.
  let tlsNumber: Int?

  /// Collects the numbers of an error.
  ///
  /// - Parameter error: The error. At most four underlying errors are read.
  init(_ error: NSError) {
    var errors: [String] = []
    var tlsNumber: Int?
    var next: NSError? = error
    while let error = next, errors.count < 5 {
      let domain = error.domain == NSURLErrorDomain ? "URLError" : error.domain
      errors.append("\(domain) \(error.code)")
      tlsNumber = tlsNumber ?? (error.userInfo["_kCFStreamErrorCodeKey"] as? NSNumber)?.intValue
      next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    self.errors = errors
    self.tlsNumber = tlsNumber
  }

  /// The numbers on one line, such as `URLError -1202, kCFErrorDomainCFNetwork -1202, TLS -9843`.
  var text: String {
    (errors + (tlsNumber.map { ["TLS \($0)"] } ?? [])).joined(separator: ", ")
  }

  /// The code of a certificate that was rejected, or `nil` for other errors.
  ///
  /// `URLSession` reports a wrong host as an untrusted certificate. The numbers are those of Secure
  /// Transport: `errSSLHostNameMismatch`, `errSSLCertExpired`, `errSSLCertNotYetValid`,
  /// `errSSLUnknownRootCert`, `errSSLNoRootCert`.
  var tlsCode: NetworkError.Code? {
    switch tlsNumber {
    case -9_843: .tlsHostMismatch
    case -9_814, -9_815: .tlsCertificateExpired
    case -9_812, -9_813: .tlsUntrusted
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
      case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
        .appTransportSecurityRequiresSecureConnection:
        .tlsHandshakeFailed
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
