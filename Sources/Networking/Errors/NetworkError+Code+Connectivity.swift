extension NetworkError.Code {
  /// Whether a request that failed so may have failed for want of a network, and may succeed when there
  /// is one: such a request is kept when its store policy says so.
  ///
  /// `circuitOpen` is among them, as what opens a circuit may be just that, and nothing was sent.
  public var isForWantOfNetwork: Bool {
    switch self {
    case .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet, .timedOut,
      .circuitOpen:
      true
    default: false
    }
  }

  /// Whether it is between here and the server that the request failed, for want of a network or of
  /// trust, as behind a hotel's login page: no answer of the server's has come.
  var isOfConnection: Bool {
    switch self {
    case .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted, .pinMismatch:
      true
    default: isForWantOfNetwork
    }
  }
}
