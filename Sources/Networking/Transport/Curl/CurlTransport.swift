#if CATENA_CURL
  import CatenaSystem
  package import Foundation

  /// A transport over libcurl, the default transport on Linux.
  ///
  /// All exchanges of a transport share one I/O thread, or two if many HTTP/1.1 exchanges are
  /// active and the machine has at least two cores. Each exchange calls its handler on its I/O
  /// thread. Connections are kept and reused. Thousands of exchanges can be active at once.
  ///
  /// - The transport speaks HTTP/1.1, and HTTP/2 if TLS negotiates it. Each `https` request with a body
  ///   has a connection of its own and uses HTTP/1.1, because libcurl can lose the response of an HTTP/2
  ///   server that responds before it has read the body. A server that does not select HTTP/1.1 by ALPN
  ///   gets it over HTTP/2. If such a server resets the stream after an early response, and the bytes of
  ///   the response do not prove that it is complete, the exchange fails with
  ///   ``NetworkError/Code-swift.enum/connectionLost``; if no byte of the response was received, a request
  ///   that may be sent twice is sent again, up to five times.
  /// - Bodies are decoded from gzip and deflate, and from Brotli and zstd if their libraries are
  ///   installed. A request without `Accept-Encoding` offers these codings. For a request that accepts
  ///   only `identity`, or nothing, the body is not decoded, nor is that of a response with the status
  ///   206. A request with a `Range` field offers no coding. A body fails with
  ///   ``NetworkError/Code-swift.enum/malformedResponse`` if it ends inside its coding, has bytes after
  ///   it, or if one of its codings decodes to more than 16 MiB and 1,100 times the received bytes. With an
  ///   unknown coding, such as `utf-8`, all of the body is delivered as received.
  /// - A head fails with ``NetworkError/Code-swift.enum/malformedResponse`` if it is larger than 300 KiB
  ///   or follows more than 100 interim responses (1xx). Once it has begun, it has to be complete within
  ///   the idle timeout.
  /// - The proxies of the environment are used unless ``Options/proxy`` overrides them. The local
  ///   machine (`localhost`, `127.0.0.0/8` and `::1`) is always reached without a proxy of the
  ///   environment. If a proxy rejects a tunnel, the exchange fails with
  ///   ``NetworkError/Code-swift.enum/cannotConnect`` and a message with the proxy's status.
  /// - A `Proxy-Authorization` field is sent to an HTTP proxy, and never to the server. For an `https`
  ///   server it is in the request for the tunnel, which is used for that request only.
  /// - No `Accept`, `User-Agent`, `Content-Type` or `Expect` fields are sent unless the request has
  ///   them. The transport sets `Content-Length` and `Transfer-Encoding` and ignores those of the
  ///   request.
  /// - A URL with a user name or password is rejected with
  ///   ``NetworkError/Code-swift.enum/invalidURL``. Transports do not handle credentials.
  /// - A connection on which bytes arrive without a request is closed and not reused.
  /// - A reused connection may turn out to have been closed by the server before the first byte of
  ///   the response. So may one with the response 408 and `Connection: close` after the whole request
  ///   was sent, because servers close idle connections with it (RFC 9110 section 15.5.9). The transport then sends the request again on another connection, if the
  ///   method is idempotent or the request has an `Idempotency-Key` field. Other requests fail with
  ///   ``NetworkError/Code-swift.enum/connectionLost``, because the server may have processed them
  ///   (RFC 9110 section 9.2.2).
  /// - An HTTP/2 server can state that it did not process a request, by a GOAWAY frame with a lower
  ///   stream identifier or by the stream error REFUSED_STREAM (RFC 9113 section 8.7). The transport
  ///   then sends any request again. GOAWAY frames are known with libcurl 7.88 or later. A body that
  ///   is a stream and cannot be read again fails with
  ///   ``NetworkError/Code-swift.enum/encodingFailed``.
  /// - After the response 421, the transport sends any request once more, on a new connection (RFC 9110
  ///   section 15.5.20). The response is that of the second attempt, or 421 if the body is a stream that
  ///   cannot be read again.
  ///
  /// - Connections and TLS sessions belong to one transport and one value of its ``TLSOptions``. After
  ///   ``setTLS(_:)``, new exchanges open connections under the new options, and the former connections
  ///   close when the exchanges on them have ended. Requests that must not present a client identity
  ///   have connections of their own.
  ///
  /// Releasing a transport does not cancel exchanges. Its threads end and its connections close
  /// after its last active exchange.
  public final class CurlTransport: Transport {
    /// The pools of connections under one value of the options.
    private struct Pools {
      var options: Options
      private var main: PoolSet
      /// The pools for requests that must not present an identity, made when they are needed.
      private var withholding: PoolSet?

      init(_ options: Options) {
        self.options = options
        main = PoolSet(options)
      }

      /// Returns the pool for a request.
      ///
      /// - Parameters:
      ///   - request: The request.
      ///   - withholds: Whether it must not present an identity.
      /// - Returns: The pool.
      mutating func pool(for request: HTTPRequest, withholds: Bool = false) -> CurlLoopPool {
        guard withholds else { return main.pool(for: request) }
        var options = options
        options.presentsIdentities = false
        let pools = withholding ?? PoolSet(options)
        withholding = pools
        return pools.pool(for: request)
      }
    }

    /// The pools of connections that share the limits of a transport.
    ///
    /// `@unchecked Sendable` because it is protected by the lock of the transport.
    private final class PoolSet: @unchecked Sendable {
      private let options: Options
      private let main: CurlLoopPool
      /// The pool for `https` requests if the number of connections to a host is limited, made when it is
      /// needed.
      private var secure: CurlLoopPool?
      /// The pool for `https` requests with a body, made when it is needed.
      private var bodies: CurlLoopPool?

      init(_ options: Options) {
        self.options = options
        main = CurlLoopPool(options)
      }

      /// Returns the pool for a request.
      ///
      /// Connections to the same host are in one pool, or in two that share its limit.
      func pool(for request: HTTPRequest) -> CurlLoopPool {
        let limit = max(options.maximumConnectionsPerHost ?? 0, 0)
        guard options.allowsHTTP2, request.isSecure, limit != 1 else { return main }
        let shared = limit == 0 ? main : pool(\.secure, limit - limit / 2)
        guard shared.needsOwnConnection(request) else { return shared }
        return pool(\.bodies, limit == 0 ? options.maximumConnectionsPerHost : limit / 2)
      }

      /// Returns a pool, which is made at the first call and shares the size of the cache.
      private func pool(
        _ pool: ReferenceWritableKeyPath<PoolSet, CurlLoopPool?>, _ limit: Int?
      ) -> CurlLoopPool {
        if let pool = self[keyPath: pool] { return pool }
        var options = options
        options.maximumConnectionsPerHost = limit
        let others = [main, secure, bodies].compactMap { $0 }
        options.connectionCacheSize /= others.count + 1
        for other in others { other.keepConnections(options.connectionCacheSize) }
        let made = CurlLoopPool(options, isForBodies: pool == \.bodies)
        self[keyPath: pool] = made
        return made
      }
    }

    private let pools: Mutex<Pools>
    package let route: String
    /// The queue on which the files of request bodies are opened.
    private static let opening = DispatchQueue(label: "Catena.Upload", attributes: .concurrent)

    /// Makes a transport and starts its first thread.
    ///
    /// - Parameter options: The options.
    public init(options: Options = Options()) {
      // Loads libraries, for which an I/O thread must not wait.
      _ = HTTPHeaders.acceptedCodings
      pools = Mutex(Pools(options))
      route = options.unixSocketPath.map { " socket \($0)" } ?? ""
    }

    /// The TLS settings.
    public var tls: TLSOptions { pools.withLock { $0.options.tls } }

    /// Replaces the TLS settings for exchanges that start later.
    ///
    /// Connections and TLS sessions under the former settings are not used for them. Idle ones close at
    /// once, and others after the exchanges on them have ended.
    ///
    /// - Parameter tls: The new settings.
    public func setTLS(_ tls: TLSOptions) {
      // Released after unlocking, because the release closes connections.
      let former = pools.withLock { pools in
        let former = pools
        var options = former.options
        options.tls = tls
        pools = Pools(options)
        return former
      }
      withExtendedLifetime(former) {}
    }

    private func pool(for request: HTTPRequest) -> CurlLoopPool {
      guard request.options.withholdsClientCertificate, request.isSecure else {
        return pools.withLock { $0.pool(for: request) }
      }
      while true {
        // Outside of the lock, because a pattern may be a closure of the caller.
        let tls = tls
        let withholds = tls.compiled.hasIdentity(for: request.url)
        let pool = pools.withLock { pools -> CurlLoopPool? in
          guard pools.options.tls == tls else { return nil }
          return pools.pool(for: request, withholds: withholds)
        }
        if let pool { return pool }
      }
    }

    /// Starts an exchange.
    ///
    /// See ``Transport/start(_:_:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - receive: The handler for the events of the exchange. It runs on an I/O thread of the
    ///     transport and must not block, because other exchanges wait for it.
    /// - Returns: The handle of the exchange. Releasing it does not affect the exchange.
    public func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      let loops = pool(for: request)
      let commandQueue = loops.commandQueue(for: request)
      let exchange = CurlExchange(request, receive, commandQueue)
      if commandQueue.isUsable, request.body.hasFiles {
        // The threads end after the release of the pool.
        Self.opening.async { [loops] in
          exchange.openFiles()
          exchange.start()
          withExtendedLifetime(loops) {}
        }
      } else {
        exchange.start()
      }
      // A pool that is released starts no further exchanges.
      withExtendedLifetime(loops) {}
      return exchange
    }
  }

  extension CurlTransport: TransportTraits {
    package func connectionOwner(for url: URL) -> String {
      tls.compiled.connectionOwner(for: url) + route
    }

    package var replaceTLS: (@Sendable (_ tls: TLSOptions) -> Void)? { { self.setTLS($0) } }

    package var preservesContentCoding: Bool { true }
  }

  extension CurlTransport {
    /// The options of a transport, which apply to all its exchanges.
    public struct Options: Sendable, Hashable {
      /// The TLS settings.
      public var tls: TLSOptions
      /// The path of a Unix socket to connect to in place of the URL's host and port, or `nil`.
      public var unixSocketPath: String?
      /// The proxy for requests, ignored if ``unixSocketPath`` is set.
      public var proxy: Proxy
      /// The credentials for a proxy that requests Basic authentication, or `nil` for none.
      ///
      /// They are sent only to the proxy of ``Proxy/url(_:)``. The proxies of the environment have
      /// credentials in their URLs.
      public var proxyCredentials: ProxyCredentials?
      /// The maximum number of connections kept for reuse.
      ///
      /// Beyond it, the least recently used one is closed. Each thread keeps an equal part of the number.
      /// After another thread has started, the others close one connection at the end of each exchange
      /// until they keep only their part.
      public var connectionCacheSize: Int
      /// The maximum number of connections to one host.
      ///
      /// `nil` sets no limit, except for `https` requests with a body, which use at most 100 connections to
      /// one host. Any other number limits all connections. Each kind of `https` requests, with and without
      /// a body, then gets half of it, unless ``allowsHTTP2`` is `false`. With 1, requests with a body share
      /// the connection: over HTTP/2, a response that a server sends before it has read the body can be
      /// lost. Connections without a client identity of ``tls`` are counted separately.
      ///
      /// Further exchanges wait for a free connection. The wait has no time limit other than that of the
      /// caller: the connect timeout and the idle timeout begin after it. A body that is written slowly
      /// occupies its connection. If it depends on a further request with a body to the same host, that
      /// request must be within the limit, or both wait forever.
      public var maximumConnectionsPerHost: Int?
      /// Whether HTTP/2 is used if TLS negotiates it, for requests without a body.
      ///
      /// The first exchanges with an `https` server then wait for one connection. More connections
      /// are opened only if it cannot carry all of them. Requests with a body use HTTP/1.1, unless the
      /// server does not select it.
      public var allowsHTTP2: Bool
      /// Whether the identities of ``tls`` are presented.
      var presentsIdentities = true

      /// Makes options.
      ///
      /// - Parameters:
      ///   - tls: The TLS settings.
      ///   - unixSocketPath: The path of a Unix socket to connect to, or `nil`.
      ///   - proxy: The proxy for requests.
      ///   - proxyCredentials: The credentials for the proxy, or `nil` for none.
      ///   - connectionCacheSize: The maximum number of connections kept for reuse.
      ///   - maximumConnectionsPerHost: The maximum number of connections to one host. `nil` limits
      ///     only `https` requests with a body, to 100.
      ///   - allowsHTTP2: Whether HTTP/2 is used if TLS negotiates it.
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
#endif
