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
