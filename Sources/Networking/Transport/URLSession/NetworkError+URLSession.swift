import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportFailure {
  /// What an error of `URLSession`'s comes to.
  ///
  /// Its words are told on where they are libcurl's, without URLs; others are in the user's language,
  /// and the code says as much.
  init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(code: .connectionLost)
      return
    }
    let isLibcurls = error.userInfo[NSUnderlyingErrorKey] != nil
    let message = error.localizedDescription
    let code = NetworkError.Code(error.code, message: message)
    #if canImport(FoundationNetworking)
      self.init(code: code, detail: isLibcurls && !message.contains("?") ? message : "")
    #else
      self.init(code: code, detail: isLibcurls ? "" : "URLError \(error.code.rawValue)")
    #endif
  }
}

extension NetworkError.Code {
  /// What a failure of `URLSession`'s comes to.
  ///
  /// - Parameters:
  ///   - code: its code.
  ///   - message: its own words: on Linux they are libcurl's, and tell apart what shares the code -1.
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
      // No time is left to `URLSession` but what the system allows for connecting.
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

  /// On Linux it stands for a connection that was closed without a byte of an answer.
  private static var badServerResponse: NetworkError.Code {
    #if canImport(FoundationNetworking)
      .connectionLost
    #else
      .malformedResponse
    #endif
  }

  /// What libcurl's words come to; nil when they are none of those.
  private init?(message: String) {
    func containsAny(_ texts: String...) -> Bool { texts.contains { message.contains($0) } }
    if containsAny("certificate has expired", "certificate is not yet valid") {
      self = .tlsCertificateExpired
    } else if containsAny("subject name", "does not match target host") {
      self = .tlsHostMismatch
    } else if containsAny("certificate problem", "certificate verification failed") {
      self = .tlsUntrusted
    } else if containsAny("SSL", "TLS", "ssl3_", "schannel") {
      self = .tlsHandshakeFailed
    } else if containsAny(
      "unencoding", "HTTP/0.9", "Unsupported HTTP", "status line", "Header without colon",
      "writing header",
      "Weird server reply", "Content-Length", "chunk", "hunked", "content encoding",
      "decompress", "inflate", "Unsupported protocol", "writing received data", "writing output",
      "Too large", "too large")
    {
      self = .malformedResponse
    } else if containsAny("Could not resolve", "Couldn't resolve") {
      self = .dnsFailed
    } else if containsAny("Failed to connect", "Couldn't connect", "Could not connect") {
      self = .cannotConnect
    } else {
      return nil
    }
  }
}
