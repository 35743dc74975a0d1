#if os(Linux)
  import Foundation

  extension CurlTransport {
    /// What holds for all exchanges of a transport.
    public struct Options: Sendable, Hashable {
      /// Whom to trust, and how to be trusted.
      public var tls: TLSOptions
      /// The path of a Unix socket to connect to, whatever host and port a URL names; nil for none.
      public var unixSocketPath: String?
      /// How many connections are kept at most; beyond it the one unused for longest is closed.
      public var keptConnections: Int
      /// How many connections to one host there are at most, exchanges beyond waiting for their turn;
      /// nil is without limit.
      public var connectionsPerHost: Int?
      /// Whether HTTP/2 is spoken where TLS negotiates it.
      public var allowsHTTP2: Bool

      /// Makes options.
      ///
      /// - Parameters:
      ///   - tls: whom to trust, and how to be trusted.
      ///   - unixSocketPath: the path of a Unix socket to connect to; nil for none.
      ///   - keptConnections: how many connections are kept at most.
      ///   - connectionsPerHost: how many connections to one host there are at most; nil is without
      ///     limit.
      ///   - allowsHTTP2: whether HTTP/2 is spoken where TLS negotiates it.
      public init(
        tls: TLSOptions = TLSOptions(), unixSocketPath: String? = nil, keptConnections: Int = 1_024,
        connectionsPerHost: Int? = nil, allowsHTTP2: Bool = true
      ) {
        self.tls = tls
        self.unixSocketPath = unixSocketPath
        self.keptConnections = keptConnections
        self.connectionsPerHost = connectionsPerHost
        self.allowsHTTP2 = allowsHTTP2
      }
    }
  }
#endif
