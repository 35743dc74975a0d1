#if os(Linux)
  import Foundation

  /// Performs exchanges by libcurl; the transport that Linux programs get unless they say otherwise.
  ///
  /// All exchanges of a transport share one thread of its own, or two where many are under way over HTTP/1.1
  /// and there are two cores; an exchange's thread calls back. Connections are kept and used again.
  /// Thousands of exchanges may be under way at once.
  ///
  /// - HTTP/1.1, and HTTP/2 where TLS negotiates it.
  /// - Bodies are decoded from gzip, deflate, Brotli and zstd, as far as the installed libcurl knows
  ///   them. A request that says nothing of `Accept-Encoding` accepts all of them. One that accepts
  ///   only `identity`, or nothing, gets the bytes as they come.
  /// - The environment's proxies are obeyed unless ``Options/proxy`` says otherwise; only this machine
  ///   itself, `localhost`, `127.0.0.0/8` and `::1`, is always reached directly by them. One that refuses
  ///   a tunnel is a failure of ``NetworkError/Code-swift.enum/cannotConnect`` that names its status.
  /// - No `Accept`, `User-Agent`, `Content-Type` or `Expect` header is sent but the request's own;
  ///   `Content-Length` and `Transfer-Encoding` are the transport's, and left out of the request's.
  /// - A URL with a user name or password in it is refused, by
  ///   ``NetworkError/Code-swift.enum/invalidURL``: credentials are no matter of the transport.
  /// - A kept connection that turns out to have been closed by the server before a byte of the
  ///   response came is replaced by a new one, once, for idempotent methods and requests with an
  ///   `Idempotency-Key`. Any other fails by ``NetworkError/Code-swift.enum/connectionLost``, since the
  ///   server may have acted on it (RFC 9110 section 9.2.2); libcurl before 7.80 sends it again.
  ///
  /// Releasing a transport breaks nothing off: its threads end and their connections close once the last
  /// exchange under way is over.
  public final class CurlTransport: Transport {
    private let loops: CurlLoopPool

    /// Makes a transport, and starts its thread.
    ///
    /// - Parameter options: what to do otherwise than by default.
    public init(options: Options = Options()) {
      loops = CurlLoopPool(options)
    }

    /// Starts an exchange; see ``Transport/start(_:_:)``.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - receive: gets the events of the exchange, on one thread of the transport's, which it must not
    ///     block: other exchanges wait for it.
    /// - Returns: a handle on the exchange; dropping it changes nothing.
    public func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      let commandQueue = loops.commandQueue(for: request)
      let exchange = CurlExchange(request, receive, commandQueue)
      if commandQueue.isUsable {
        commandQueue.post(.start(exchange))
      } else {
        exchange.end(
          with: .failure(
            TransportFailure(code: .cannotConnect, detail: "No file descriptor is left")))
      }
      return exchange
    }
  }

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
      public var connectionCacheSize: Int
      /// How many connections to one host there are at most, exchanges beyond waiting for their turn;
      /// nil is without limit.
      public var maximumConnectionsPerHost: Int?
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
      ///   - connectionCacheSize: how many connections are kept at most.
      ///   - maximumConnectionsPerHost: how many connections to one host there are at most; nil is without
      ///     limit.
      ///   - allowsHTTP2: whether HTTP/2 is spoken where TLS negotiates it.
      public init(
        tls: TLSOptions = TLSOptions(), unixSocketPath: String? = nil,
        proxy: Proxy = .environment, proxyCredentials: ProxyCredentials? = nil,
        connectionCacheSize: Int = 1_024, maximumConnectionsPerHost: Int? = nil,
        allowsHTTP2: Bool = true
      ) {
        self.tls = tls
        self.unixSocketPath = unixSocketPath
        self.proxy = proxy
        self.proxyCredentials = proxyCredentials
        self.connectionCacheSize = connectionCacheSize
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.allowsHTTP2 = allowsHTTP2
      }
    }
  }

  extension CurlTransport {
    /// What a transport sends its requests through.
    public enum Proxy: Sendable, Hashable {
      /// The proxies that the environment names, as libcurl reads it: `http_proxy` (lower case only),
      /// `https_proxy`, `all_proxy` and `no_proxy`.
      case environment
      /// None, whatever the environment names.
      case none
      /// This one, for every server, whatever the environment names.
      ///
      /// The scheme tells how the proxy itself is spoken to: `http`, `https`, `socks5`, or `socks5h`,
      /// which leaves the looking up of names to the proxy. `https` servers are reached by a tunnel
      /// (RFC 9110 section 9.3.6), `http` ones by requests in absolute form (RFC 9112 section 3.2.2). A
      /// URL of another scheme, or with a user name or password in it, makes every exchange fail with
      /// ``NetworkError/Code-swift.enum/invalidURL``; ``Options/proxyCredentials`` are for those.
      case url(URL)
    }

    /// Who a transport is to its proxy.
    ///
    /// What prints it leaves the password out.
    public struct ProxyCredentials: Sendable, Hashable {
      /// The name.
      public var username: String
      /// The password.
      public var password: String

      /// Makes credentials.
      ///
      /// - Parameters:
      ///   - username: the name.
      ///   - password: the password.
      public init(username: String, password: String) {
        self.username = username
        self.password = password
      }
    }
  }

  extension CurlTransport.ProxyCredentials: CustomStringConvertible, CustomReflectable {
    /// The name, and that there is a password.
    public var description: String { "\(username):\(Redactor.mask)" }

    /// The same for `dump` and for debuggers.
    public var customMirror: Mirror {
      Mirror(self, children: ["username": username, "password": Redactor.mask])
    }
  }

  extension CurlTransport.Proxy {
    /// The text that libcurl takes for it; nil leaves it to the environment.
    ///
    /// - Throws: `invalidURL` when it is none that can be used, without naming it.
    func libcurlValue() throws(TransportFailure) -> String? {
      switch self {
      case .environment: return nil
      case .none: return ""
      case .url(let url):
        let schemes = ["http", "https", "socks5", "socks5h"]
        guard let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
          url.host?.isEmpty == false
        else {
          throw TransportFailure(
            code: .invalidURL, detail: "The proxy's URL is not http, https, socks5 or socks5h")
        }
        guard url.user == nil, url.password == nil else {
          throw TransportFailure(
            code: .invalidURL, detail: "The proxy's URL has a user name or a password in it")
        }
        return url.absoluteString
      }
    }
  }
#endif
