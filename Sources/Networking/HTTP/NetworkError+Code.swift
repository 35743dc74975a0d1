extension NetworkError {
  /// The kind of a failure.
  public enum Code: Sendable, Hashable {
    // MARK: Before the request is sent

    /// The URL is malformed, contains a user name or password, or has a scheme other than `http`
    /// and `https`.
    case invalidURL
    /// The client has credentials but no base URL, so the origin that may receive them is unknown.
    case credentialsWithoutBaseURL
    /// The user who made the request has signed out, or another user has signed in, before the request
    /// has ended.
    ///
    /// The request is not sent any more, and not stored in the offline store. If it was on its way, the
    /// server may have processed it.
    case sessionEnded
    /// The method is not a token.
    case invalidMethod
    /// The name of a header field is not a token, or its value contains a control character such as
    /// CR, LF, or NUL, or only the transport may set the field.
    case invalidHeader
    /// A parameter cannot be encoded, such as NaN in JSON, or the body cannot be read, such as a
    /// missing file.
    case encodingFailed
    /// The platform or the transport does not support a feature.
    case unsupported
    /// TLS options cannot be used: a malformed certificate, a key for another certificate, a wrong
    /// password, or an empty list of pins.
    case invalidTLSOptions
    /// There is no mocked response: no route, no file, or the end of a sequence.
    case mockFailed

    // MARK: Connection and transfer

    /// The host name could not be resolved.
    case dnsFailed
    /// No connection could be established: it was refused, or the host is unreachable.
    case cannotConnect
    /// The connection was closed before the response was complete.
    case connectionLost
    /// There is no network.
    case notConnectedToInternet
    /// A phase of the request exceeded its timeout.
    case timedOut(Phase)
    /// The TLS handshake failed, for example because there is no common version or cipher, or
    /// because the server does not use TLS.
    case tlsHandshakeFailed
    /// The server's certificate has expired or is not valid yet.
    case tlsCertificateExpired
    /// The server's certificate is for another host.
    case tlsHostMismatch
    /// The server's certificate is not signed by a trusted authority.
    case tlsUntrusted
    /// The server's key is not one of the pinned keys.
    case pinMismatch
    /// A certificate of the server has been revoked.
    case tlsRevoked
    /// The policy of the host requires proof that the certificate has not been revoked, and there is no
    /// valid one.
    case tlsRevocationUnknown
    /// The response is not valid HTTP, or contradicts a transfer, such as a range that was not
    /// requested.
    case malformedResponse
    /// The body of the response exceeds the limit for bodies in memory.
    case bodyTooLarge
    /// The file for the body of the response, or for bytes that are read slowly, cannot be written.
    case fileNotWritten
    /// The circuit breaker of the host is open after repeated failures, so the request is not sent.
    case circuitOpen
    /// The request was cancelled.
    case cancelled

    // MARK: Resumable transfers

    /// The digest of a downloaded file is not the expected one.
    case digestMismatch
    /// Another transfer, of this or another process, uses the same partial file or upload, or has taken
    /// it over.
    case transferInProgress

    // MARK: Redirects

    /// A redirect is not allowed or cannot be followed, or has led a replayed request to another
    /// resource.
    case redirectRefused
    /// There are more redirects than the limit.
    case tooManyRedirects

    // MARK: Responses

    /// The validation rejected the status.
    case unacceptableStatus(Int)
    /// The validation rejected the content type.
    case unacceptableContentType(String)
    /// The validation requires a content type, and the response has a body without one.
    case missingContentType
    /// The body cannot be decoded as the requested type.
    case decodingFailed
    /// The body is not JSON, or not the requested kind of JSON.
    case jsonFailed
    /// The body is not valid text in its encoding, or the encoding is unknown.
    case stringFailed
    /// The body is empty although a value is required.
    case noData
    /// The body of a stream has been read before, or the body or the pages of a list are being read by
    /// another task.
    case alreadyRead

    // MARK: Pages

    /// The next page of a list is one that has been requested before.
    case pageLoop

    // MARK: Cache

    /// The cache has no response, and the policy of the request is
    /// ``Request/CachePolicy-swift.enum/onlyCache``.
    case notCached

    // MARK: Cookies

    /// The file of a ``CookieJar`` cannot be read or written, or is not valid.
    case cookieFileFailed

    // MARK: Offline store

    /// The offline store has reached one of its limits, so the request is not stored.
    case offlineStoreFull
    /// A field of the request has the name of a secret, and the offline store does not store
    /// secrets.
    case offlineStoreRefused
    /// The disk of the offline store is full, or the store cannot be read or written.
    case offlineStoreFailed
    /// A header field with credentials, which the offline store does not store, is missing when a
    /// stored request is to be sent.
    case offlineCredentialsMissing
    /// Another replay of the offline store is running, in this or another process.
    case offlineStoreBusy
  }

  /// A phase of a request with a timeout.
  public enum Phase: String, Sendable, Hashable {
    /// The connection setup, including TLS.
    case connect
    /// A period without data on the connection.
    case idle
    /// A single attempt.
    case attempt
    /// The whole call with all its attempts.
    case call
  }
}

extension NetworkError.Phase: CustomStringConvertible, CustomDebugStringConvertible {
  /// The name, such as `call`.
  public var description: String { rawValue }

  /// The name with a period, so that a code is described as `timedOut(.call)`.
  public var debugDescription: String { ".\(rawValue)" }
}

extension NetworkError.Code {
  /// Whether a phase of the request, or the whole call, exceeded its timeout.
  ///
  /// `true` for `timedOut` with any phase.
  public var isTimeout: Bool { if case .timedOut = self { true } else { false } }

  /// A Boolean value that indicates whether the failure may be caused by a missing network, so that
  /// the request may succeed when the network is available again.
  ///
  /// The offline store stores the request if the request's store policy allows it. The value is
  /// `true` for `circuitOpen`, because a missing network can open the circuit, and the request was
  /// not sent.
  public var isNetworkUnavailable: Bool { isConnectionFailure || isTimeout || self == .circuitOpen }

  /// A Boolean value that indicates whether the failure is a failure of the connection, which may
  /// not occur at the next attempt.
  ///
  /// The value is `false` for failures of the certificate, the response, or the request, because
  /// another attempt would fail for the same reason.
  package var isConnectionFailure: Bool {
    switch self {
    case .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet,
      .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt):
      true
    default: false
    }
  }

  /// The statuses of failures that may not occur at a later attempt.
  ///
  /// Source: RFC 9110 section 15; RFC 6585 section 4 (429).
  static let temporaryStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

  /// A Boolean value that indicates whether the failure may not occur at a later attempt.
  ///
  /// The value is `true` for failures of the connection, and for the statuses
  /// 408, 429, 500, 502, 503 and 504. Requests, token requests, transfers and streams have this rule
  /// in common.
  public var isTemporary: Bool {
    if case .unacceptableStatus(let status) = self {
      Self.temporaryStatuses.contains(status)
    } else {
      isConnectionFailure
    }
  }

  /// Whether the failure occurred before the request was sent, so that the server cannot have
  /// processed it.
  package var precedesRequest: Bool {
    switch self {
    case .dnsFailed, .cannotConnect, .notConnectedToInternet, .timedOut(.connect): true
    default: false
    }
  }
}

extension HTTPResponseHead {
  /// Whether the status is that of a temporary failure.
  package var isTemporary: Bool { NetworkError.Code.temporaryStatuses.contains(status) }
}
