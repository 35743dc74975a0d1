import CatenaSystem
public import Promises

#if canImport(FoundationNetworking)
  package import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport over `URLSession`.
///
/// It is the default transport on Apple platforms. On Linux it is used for clients with a custom
/// session configuration.
///
/// The transport copies the configuration and turns off everything that involves more than one hop:
/// cookies, caches and stored credentials. Redirects and responses with the status 401 are returned
/// unchanged. Two time limits of the configuration apply if they differ from the platform's
/// defaults. `timeoutIntervalForRequest` is an idle timeout; the shorter of it and the request's
/// idle timeout applies. `timeoutIntervalForResource` limits an exchange as a whole; on expiry the
/// exchange fails with the code ``NetworkError/Code-swift.enum/timedOut(_:)`` and the phase
/// `attempt`. Events are delivered on one serial queue for all exchanges of the transport.
///
/// **Delegate.** A delegate of the caller observes the session and its tasks: the bytes that are sent,
/// the metrics, the end of a task, and the end of the session. On Apple platforms it also decides
/// about TLS challenges: about the certificate of a server unless the ``TLSOptions`` do, and about a
/// client certificate. At the target of a redirect to another origin, the transport presents no
/// client certificate and does not ask the delegate. The delegate also responds to proxies that request
/// a password or a client certificate. Without a delegate that handles challenges, the system responds to
/// them with the credentials of its own settings. The delegate receives neither responses and
/// their bodies, nor redirects, nor challenges with the status 401, because the client handles these
/// above the transport. The session retains the delegate and calls it on the queue of the transport,
/// so the delegate must not block. It must not cancel tasks, nor the session: such a request fails like one
/// whose connection is lost, and may be sent again. Cancel the promise of the request.
///
/// Limitations of `URLSession` on all platforms:
///
/// - Response fields are in the order of their names. Several fields with the same name are joined
///   into one, except for `Set-Cookie`. The HTTP version of the head is always 1.1.
/// - The transport notices that a connection is established only when bytes move on it. For a
///   request with a body of known length, the connect timeout is exact. For other requests,
///   connecting and waiting for the response look the same. Such a request fails with the phase
///   `idle` when no byte has arrived after the sum of both timeouts. If only the connect timeout is
///   set, such a request has no limit. Waiting for a free connection, if the configuration limits
///   the connections per host, counts as connecting.
/// - The usual methods are sent in upper case: `get` becomes `GET`.
/// - GET with a body fails with ``NetworkError/Code-swift.enum/unsupported``.
/// - A stream, or a body of several pieces that include a file, is copied to the temporary folder
///   first.
/// - Response bodies are decoded from all content codings that the platform knows, whether the
///   request accepts them or not. Bytes are counted after decoding.
/// - The connection appears in the metrics at the end, but not in earlier events.
/// - After ``TransportHandle/suspend()``, more of the body can arrive, on Apple platforms the megabytes
///   that the system has already received. One MiB of it stays in memory. The rest goes to a temporary
///   file without a name. If that cannot be written, the exchange fails with
///   ``NetworkError/Code-swift.enum/fileNotWritten``.
/// - If the check of a time limit is itself late by more than 100 ms, because the process was suspended,
///   the exchange has two more seconds, so that a response that arrived in the meantime is not lost.
///
/// On Apple platforms, the ``TLSOptions`` cannot have versions for one host, revocation lists, a policy
/// for stapled statuses, or a client identity of PEM or DER. Such options are refused when they are
/// made. All other options are supported. The system adds rules of its own:
///
/// - It evaluates the certificate of a server, and requests that of the client, once for a TLS session,
///   and the sessions belong to the process. A transport may resume a session that another transport of the
///   process has opened under another policy or with another identity, and then neither the policy nor the
///   delegate is asked. Use one policy and one identity for a host in a process, and never
///   ``ServerTrust/Policy/insecure`` beside another policy. Source: Apple's Technical Q&A QA1727.
/// - App Transport Security refuses certificates of private authorities in apps, unless the domain is in
///   `NSExceptionDomains` of the `Info.plist`. Such a request fails with
///   ``NetworkError/Code-swift.enum/tlsUntrusted`` or ``NetworkError/Code-swift.enum/tlsHandshakeFailed``,
///   and a hint. A request to an `http` URL that it refuses fails with
///   ``NetworkError/Code-swift.enum/unsupported``.
/// - When it rejects a server, it may report the other requests that wait for the connection as cancelled.
///   They fail with ``NetworkError/Code-swift.enum/tlsUntrusted`` if the host has a policy other than the
///   system's, or the delegate decides about it, and otherwise with
///   ``NetworkError/Code-swift.enum/connectionLost``.
///
/// Additional limitations on Linux:
///
/// - A redirect whose `Location` has an IPv6 host and no scheme, such as `//[::1]/`, crashes the
///   process: Foundation traps before it calls its delegate. Other responses crash the process as well:
///   a chunked body with a trailer, a head whose connection is closed between its fields, a
///   `Content-Length` near 2^63, and with libcurl from 7.84 to 8.0.1 a first field line that begins with
///   a blank. The size of a head has no limit before libcurl 8.3, nor has the body of a redirect. Use
///   `CurlTransport` for servers that are not trusted.
/// - The system's libcurl accepts malformed responses that `CurlTransport` rejects: several lengths, a
///   length with other characters after its digits, and a body that ends inside its content coding.
///   Before 8.0, bytes that a server sends on an idle connection become the next response.
/// - ``TransportHandle/suspend()`` does not make the server wait: the body goes to the temporary file
///   until it ends.
/// - The metrics contain only `firstByte`, `total` and the byte counts of the bodies. The delegate
///   receives no metrics.
/// - Cancelling closes the connection only after the bytes received so far have been read.
/// - Only the default ``TLSOptions`` are supported. The initializer refuses others with
///   ``NetworkError/Code-swift.enum/unsupported``.
/// - The body of a response with a status from 301 to 308 and no `Location` is lost.
/// - A request without a body and with a method other than GET is sent with `Content-Length: 0`.
///   Foundation adds `User-Agent`, `Accept` and `Accept-Language` fields if the request has none.
/// - Dot segments in a path are resolved before the request is sent.
///
/// Releasing a transport does not cancel exchanges. Its session ends after its last active
/// exchange.
public final class URLSessionTransport: Transport {
  private let session: URLSession
  private let makeSession: @Sendable () -> URLSession
  /// The session for requests that must not present a client identity, made when it is needed.
  private let withholdingSession = Mutex<URLSession?>(nil)
  private let events: URLSessionEventDelegate
  private let timeouts: SessionTimeouts
  package let tls: TLSOptions
  package let route: String
  private let scheduler: any Scheduler

  /// Makes a transport with the default TLS settings, and its session.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the session. `nil` uses the platform's default without
  ///     its limit of connections per host.
  ///   - delegate: The delegate of the session. `nil` means none.
  ///   - scheduler: The source of time for the timeouts.
  public convenience init(
    configuration: URLSessionConfiguration? = nil, delegate: (any URLSessionDelegate)? = nil,
    scheduler: any Scheduler = .live
  ) {
    self.init(configuration, delegate, checked: TLSOptions(), scheduler)
  }

  /// Makes a transport and its session.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the session. `nil` uses the platform's default without
  ///     its limit of connections per host.
  ///   - delegate: The delegate of the session. `nil` means none.
  ///   - tls: The TLS settings.
  ///   - scheduler: The source of time for the timeouts.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` if the
  ///   platform does not support the TLS settings.
  public convenience init(
    configuration: URLSessionConfiguration? = nil, delegate: (any URLSessionDelegate)? = nil,
    tls: TLSOptions, scheduler: any Scheduler = .live
  ) throws(NetworkError) {
    try URLSessionTrust.requireSupport(of: tls)
    self.init(configuration, delegate, checked: tls, scheduler)
  }

  /// Makes a transport with TLS settings that the platform supports.
  init(
    _ configuration: URLSessionConfiguration?, _ delegate: (any URLSessionDelegate)?,
    checked tls: TLSOptions, _ scheduler: any Scheduler
  ) {
    let base = configuration ?? .unboundedDefault
    let trust = URLSessionTrust(tls)
    timeouts = SessionTimeouts(base)
    self.tls = tls
    self.scheduler = scheduler
    let forwarder = SessionDelegateForwarder(delegate)
    // The decisions of a delegate cannot be compared.
    route = forwarder.handlesChallenges ? " delegate \(UUID().uuidString)" : ""
    events = URLSessionEventDelegate(trust: trust, forwarder: forwarder)
    let single = base.forSingleHop
    trust.configure(single)
    let (events, queue) = (events, events.queue)
    makeSession = { URLSession(configuration: single, delegate: events, delegateQueue: queue) }
    session = makeSession()
  }

  deinit {
    session.finishTasksAndInvalidate()
    withholdingSession.withLock { $0.take() }?.finishTasksAndInvalidate()
  }

  /// Returns the session for a request.
  ///
  /// A connection on which a client identity has been presented is not used by a request that must
  /// not present it. The TLS sessions of the system are not separated.
  private func session(for request: HTTPRequest) -> URLSession {
    guard request.options.withholdsClientCertificate, Origin(request.url)?.scheme == "https",
      tls.compiled.hasIdentity(for: request.url)
    else { return session }
    return withholdingSession.withLock { other in
      if let other { return other }
      let made = makeSession()
      other = made
      return made
    }
  }

  /// Starts an exchange.
  ///
  /// See ``Transport/start(_:_:)``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - receive: The handler for the events of the exchange. It runs on the transport's queue and
  ///     must not block, because all other exchanges wait for it.
  /// - Returns: The handle of the exchange. Releasing it does not affect the exchange.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let exchange = URLSessionExchange(
      timeouts.timeouts(of: request), on: events.queue, scheduler,
      withholdsClientCertificate: request.options.withholdsClientCertificate, receive)
    do throws(TransportFailure) {
      if let refusal = tls.refusal(of: request.url) { throw refusal }
      let prepared = try URLRequest(checking: request)
      if URLSessionBody.needsCopy(request.body) {
        exchange.prepare(
          Task(priority: .utility) { [self] in
            do throws(TransportFailure) {
              let body = try await URLSessionBody(copying: request.body)
              begin(exchange, prepared, body, in: session(for: request))
            } catch {
              exchange.end(error)
            }
          })
      } else {
        begin(exchange, prepared, try URLSessionBody(request.body), in: session(for: request))
      }
    } catch {
      exchange.end(error)
    }
    return exchange
  }

  private func begin(
    _ exchange: URLSessionExchange, _ request: URLRequest, _ body: URLSessionBody,
    in session: URLSession
  ) {
    if let refusal = timeouts.refusal { return exchange.end(refusal) }
    let task = body.task(of: request, in: session)
    events.add(exchange, for: task)
    // The exchange keeps the body, so that a temporary copy is removed at its end.
    exchange.begin(task, body)
  }
}

/// The time limits that a session configuration sets for its exchanges.
struct SessionTimeouts: Sendable {
  /// The idle timeout, or `nil` if the configuration has the platform's default.
  let idle: Duration?
  /// The limit for a whole exchange, or `nil` if the configuration has the platform's default.
  let total: Duration?
  /// The failure of every exchange, or `nil` if the transport can use the configuration.
  let refusal: TransportFailure?

  init(_ configuration: URLSessionConfiguration) {
    let platform = URLSessionConfiguration.default
    idle = Self.limit(
      configuration.timeoutIntervalForRequest, unless: platform.timeoutIntervalForRequest)
    total = Self.limit(
      configuration.timeoutIntervalForResource, unless: platform.timeoutIntervalForResource)
    refusal = Self.refusal(ofSession: configuration.identifier)
  }

  func timeouts(of request: HTTPRequest) -> ExchangeTimeouts {
    ExchangeTimeouts(
      connect: request.connectTimeout,
      idle: [request.idleTimeout, idle].compactMap { $0 }.min(), total: total,
      reportsConnect: request.body.byteCount ?? 0 > 0)
  }

  /// Returns the failure for a configuration of a background session, or `nil` for others.
  ///
  /// The system performs the requests of such a session in another process, and accepts only files.
  ///
  /// - Parameter identifier: The identifier of the session. Only background sessions have one.
  /// - Returns: The failure.
  static func refusal(ofSession identifier: String?) -> TransportFailure? {
    guard identifier != nil else { return nil }
    return TransportFailure(
      code: .unsupported,
      detail:
        "Background sessions need the product NetworkingTransfers: import it, and use SessionConfiguration.background"
    )
  }

  private static func limit(_ interval: TimeInterval, unless standard: TimeInterval) -> Duration? {
    guard interval != standard, interval > 0, interval < 1e9 else { return nil }
    return .seconds(interval)
  }
}

extension URLSessionConfiguration {
  /// The platform's default without its limit of connections per host.
  ///
  /// The client's request queue limits the number of concurrent requests.
  static var unboundedDefault: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = Int(Int32.max)
    return configuration
  }

  /// A copy that stores nothing.
  package var withoutStorage: URLSessionConfiguration {
    // Foundation's `copy` returns an object of the same class.
    let configuration = copy() as? URLSessionConfiguration ?? .default
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    return configuration
  }

  /// A copy for single hops, which stores nothing.
  var forSingleHop: URLSessionConfiguration {
    let configuration = withoutStorage
    // The exchange enforces the limits of the configuration. The system's own timers would compete with
    // it, and report another error.
    configuration.timeoutIntervalForRequest = 7 * 24 * 60 * 60
    configuration.timeoutIntervalForResource = 7 * 24 * 60 * 60
    return configuration
  }

  /// The cookie storage of the configuration, or `nil` if it does not store cookies.
  var effectiveCookieStorage: HTTPCookieStorage? {
    httpShouldSetCookies && httpCookieAcceptPolicy != .never ? httpCookieStorage : nil
  }
}

extension URLSessionTransport: TransportTraits {
  package func connectionOwner(for url: URL) -> String { tls.compiled.connectionOwner(for: url) }
}
