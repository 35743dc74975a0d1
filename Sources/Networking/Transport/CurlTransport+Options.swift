#if os(Linux)
  import Foundation

  extension CurlTransport {
    /// What holds for all exchanges of a transport.
    public struct Options: Sendable, Hashable {
      /// Whom to trust, and how to be trusted.
      public var tls: TLSOptions
      /// The path of a Unix socket to connect to, whatever host and port a URL names; nil for none.
      public var unixSocketPath: String?
      /// What requests are sent through; nothing is when there is a ``unixSocketPath``.
      public var proxy: Proxy
      /// Who the transport is to a proxy that asks, by the Basic scheme; nil for nobody.
      ///
      /// They go to the proxy of ``Proxy/url(_:)`` alone; the environment's have theirs in their URLs.
      public var proxyCredentials: ProxyCredentials?
      /// How many connections are kept at most; beyond it the one unused for longest is closed.
      ///
      /// Where a transport may have two threads, each keeps half of them.
      public var keptConnections: Int
      /// How many connections to one host there are at most, exchanges beyond waiting for their turn;
      /// nil is without limit.
      public var connectionsPerHost: Int?
      /// Whether HTTP/2 is spoken where TLS negotiates it.
      ///
      /// Exchanges with an `https` server then wait for a first connection to tell whether it takes them
      /// all, before more are opened.
      public var allowsHTTP2: Bool

      /// Makes options.
      ///
      /// - Parameters:
      ///   - tls: whom to trust, and how to be trusted.
      ///   - unixSocketPath: the path of a Unix socket to connect to; nil for none.
      ///   - proxy: what requests are sent through.
      ///   - proxyCredentials: who the transport is to the proxy; nil for nobody.
      ///   - keptConnections: how many connections are kept at most.
      ///   - connectionsPerHost: how many connections to one host there are at most; nil is without
      ///     limit.
      ///   - allowsHTTP2: whether HTTP/2 is spoken where TLS negotiates it.
      public init(
        tls: TLSOptions = TLSOptions(), unixSocketPath: String? = nil,
        proxy: Proxy = .environment, proxyCredentials: ProxyCredentials? = nil,
        keptConnections: Int = 1_024, connectionsPerHost: Int? = nil, allowsHTTP2: Bool = true
      ) {
        self.tls = tls
        self.unixSocketPath = unixSocketPath
        self.proxy = proxy
        self.proxyCredentials = proxyCredentials
        self.keptConnections = keptConnections
        self.connectionsPerHost = connectionsPerHost
        self.allowsHTTP2 = allowsHTTP2
      }
    }
  }
#endif
