#if os(Linux)
  import Testing

  /// What the behaviours are shown by.
  enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// `CurlTransport`, over a loopback socket.
    case curl
    /// `URLSessionTransport`, over a loopback socket.
    case urlSession
    /// `MockTransport`, in memory.
    case mock

    var testDescription: String { rawValue }
  }
#endif
