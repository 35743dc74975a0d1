extension NetworkError {
  /// What kind of failure it was.
  public enum Code: Sendable, Hashable {
    // Before anything is sent.
    /// The URL cannot be made, or is not `http` or `https`.
    case invalidURL
    /// The method is not a token.
    case invalidMethod
    /// A header field has a name that is no token, or a CR, LF or NUL in its value.
    case invalidHeader
    /// A parameter cannot be encoded, such as a number that is not one in JSON, or the body cannot be
    /// read, such as a file that is not there.
    case encodingFailed
    /// What was asked for does not exist on this platform.
    case unsupported
    /// What was to stand in for the server has no answer: no route, no file, nothing left of a sequence.
    case mockFailed

    // On the way.
    /// The host's name could not be resolved.
    case dnsFailed
    /// No connection: refused, unreachable.
    case cannotConnect
    /// The connection broke before the response was complete.
    case connectionLost
    /// There is no network.
    case notConnectedToInternet
    /// The time for a phase was up.
    case timedOut(Phase)
    /// The TLS handshake failed: no version or cipher in common, or no TLS spoken there.
    case tlsHandshakeFailed
    /// The server's certificate has expired, or is not valid yet.
    case tlsCertificateExpired
    /// The server's certificate is for another host.
    case tlsHostMismatch
    /// The server's certificate comes from nobody that is trusted.
    case tlsUntrusted
    /// The server's key is not among those pinned.
    case pinMismatch
    /// What came is not HTTP, or breaks its rules.
    case malformedResponse
    /// The body of the response is larger than is taken into memory.
    case bodyTooLarge
    /// The file that the body of the response was to go to cannot be written.
    case fileNotWritten
    /// The host has failed so often of late that nothing is sent to it for a while.
    case circuitOpen
    /// Somebody cancelled.
    case cancelled

    // Redirects.
    /// A redirect that must not or cannot be followed.
    case redirectRefused
    /// More redirects than are allowed, or a circle of them.
    case tooManyRedirects

    // With a response.
    /// The status is not among those accepted.
    case unacceptableStatus(Int)
    /// The content type is not among those accepted.
    case unacceptableContentType(String)
    /// There is a body, and no content type, where one was asked for.
    case missingContentType
    /// The body is not what was to be decoded.
    case decodingFailed
    /// The body is not JSON, or not the kind of JSON asked for.
    case jsonFailed
    /// The body is not text in the encoding.
    case stringFailed
    /// The body is empty, and should not be.
    case noData

    // Offline.
    /// The offline store has as much as it may, so the request is not kept.
    case offlineStoreFull
    /// The request has a field that goes by a secret's name, and the offline store keeps no secrets.
    case offlineStoreRefused
    /// The offline store's disk is full, or cannot be read or written.
    case offlineStoreFailed
    /// The offline store is being replayed already, here or by another process.
    case offlineStoreBusy
  }

  /// The part of a request whose time was up.
  public enum Phase: String, Sendable, Hashable {
    /// Connecting, TLS included.
    case connect
    /// Waiting on a connection that was silent.
    case idle
    /// One attempt as a whole.
    case attempt
    /// The call as a whole, with all its attempts.
    case call
  }
}

extension NetworkError.Code {
  /// Whether a request that failed so may have failed for want of a network, and may succeed when there
  /// is one: such a request is kept when its store policy says so.
  ///
  /// `circuitOpen` is among them, as what opens a circuit may be just that, and nothing was sent.
  public var isNetworkUnavailable: Bool {
    switch self {
    case .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet, .timedOut,
      .circuitOpen:
      true
    default: false
    }
  }

  /// Whether it is between here and the server that the request failed, for want of a network or of
  /// trust, as behind a hotel's login page: no answer of the server's has come.
  var isConnectionOrTLSFailure: Bool {
    switch self {
    case .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted, .pinMismatch:
      true
    default: isNetworkUnavailable
    }
  }
}

extension NetworkError.Code {
  /// Whether the failure lies with the way to the server, and may be gone the next time.
  ///
  /// What the certificate, the response or the request itself has wrong stays wrong.
  public var isConnectionFailure: Bool {
    switch self {
    case .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet,
      .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt):
      true
    default: false
    }
  }
}
