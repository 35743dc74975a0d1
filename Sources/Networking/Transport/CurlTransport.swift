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
    private let loops: CurlLoops

    /// Makes a transport, and starts its thread.
    ///
    /// - Parameter options: what to do otherwise than by default.
    public init(options: Options = Options()) {
      loops = CurlLoops(options)
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
      let mailbox = loops.mailbox(for: request)
      let exchange = CurlExchange(request, receive, mailbox)
      if mailbox.isUsable {
        mailbox.post(.start(exchange))
      } else {
        exchange.end(
          with: .failure(
            TransportFailure(code: .cannotConnect, detail: "No file descriptor is left")))
      }
      return exchange
    }
  }
#endif
