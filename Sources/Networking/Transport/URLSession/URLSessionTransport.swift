import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Performs exchanges by `URLSession`; the transport that programs on Apple's platforms get unless they
/// say otherwise, and on Linux for a session configuration of one's own.
///
/// Of the configuration, which is copied, whatever would do more than one hop is turned off: cookies,
/// caches and stored credentials. Redirects and answers of status 401 come back as they are. Two of its
/// times count where they differ from the platform's: `timeoutIntervalForRequest` beside a request's
/// idle timeout, the shorter of the two, and `timeoutIntervalForResource` for an exchange as a whole, by
/// the code ``NetworkError/Code-swift.enum/timedOut(_:)`` of an attempt. Events come on a serial queue
/// of the transport's own, one for all its exchanges.
///
/// What `URLSession` does not let be done better, everywhere:
///
/// - Response fields come in the order of their names, several of one name joined to one, except for
///   `Set-Cookie`; the version is always given as 1.1.
/// - Whether a connection stands shows only when something moves on it. Before a request with a body,
///   its connect timeout is exact. Without one, it cannot be told from waiting for the answer: if
///   nothing has come when both times, one behind the other, are up, the code is that of being idle,
///   and there is no limit when only the connect timeout is set. Waiting for a connection, when the
///   configuration allows no more to a host, counts as connecting.
/// - The usual methods are sent in capitals however they are written: `get` becomes `GET`.
/// - GET with a body is refused, by ``NetworkError/Code-swift.enum/unsupported``.
/// - Of a stream, and of a body in several pieces of which one is a file, a copy is made in the temporary
///   folder first.
/// - Bodies are decoded from the content codings that the platform knows, whatever was asked for; bytes
///   are counted after that.
/// - The connection shows in the metrics at the end, and not in events before.
///
/// On Apple's platforms, authorities or a client certificate in the ``TLSOptions`` fail each request, by
/// ``NetworkError/Code-swift.enum/unsupported``; the other options hold.
///
/// And on Linux:
///
/// - A redirect whose `Location` has an IPv6 host and no scheme, `//[::1]/`, ends the process: Foundation
///   stops there before anybody is asked. So do a trailer behind a chunked body, and a connection that is
///   closed among the fields of a head. Servers that are not trusted are for `CurlTransport`.
/// - ``TransportHandle/suspend()`` keeps back the events, in memory; the server does not have to wait.
/// - Of the metrics, only `firstByte` and `total` are measured, and the bytes of the bodies.
/// - Cancelling closes the connection once what has come until then has been read.
/// - Any ``TLSOptions`` but the default ones fail each request, by
///   ``NetworkError/Code-swift.enum/unsupported``.
/// - The body of an answer of status 301 to 308 that has no `Location` is lost.
/// - A method other than GET without a body is sent with `Content-Length: 0`, and requests that have no
///   `User-Agent`, `Accept` or `Accept-Language` get some.
/// - Dot segments in a path are resolved before it is sent.
///
/// Releasing a transport breaks nothing off: its session ends once the last exchange under way is over.
public final class URLSessionTransport: Transport {
  private let session: URLSession
  private let events: URLSessionEventDelegate
  private let limits: SessionTimeouts
  private let refusal: TransportFailure?
  private let scheduler: any Scheduler

  /// Makes a transport, and a session of its own.
  ///
  /// - Parameters:
  ///   - configuration: what to make the session of; nil for the platform's default, with as many
  ///     connections to a host as are asked for.
  ///   - tls: whom to trust, and how to be trusted.
  ///   - scheduler: whose time the timeouts take.
  public init(
    configuration: URLSessionConfiguration? = nil, tls: TLSOptions = TLSOptions(),
    scheduler: any Scheduler = .live
  ) {
    let given = configuration ?? .unboundedDefault
    let trust = URLSessionTrust(tls)
    limits = SessionTimeouts(given)
    refusal = URLSessionTrust.refusal(of: tls)
    self.scheduler = scheduler
    events = URLSessionEventDelegate(trust: trust)
    let own = given.forSingleHop
    trust.configure(own)
    session = URLSession(configuration: own, delegate: events, delegateQueue: events.queue)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  /// Starts an exchange; see ``Transport/start(_:_:)``.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - receive: gets the events of the exchange, on the transport's queue, which it must not block:
  ///     every other exchange waits for it.
  /// - Returns: a handle on the exchange; dropping it changes nothing.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let exchange = URLSessionExchange(
      limits.times(of: request), on: events.queue, scheduler, receive)
    do throws(TransportFailure) {
      if let refusal { throw refusal }
      let prepared = try URLRequest(checking: request)
      if URLSessionBody.needsCopy(request.body) {
        exchange.prepare(
          Task(priority: .utility) { [self] in
            do throws(TransportFailure) {
              begin(exchange, prepared, try await URLSessionBody(copying: request.body))
            } catch {
              exchange.end(error)
            }
          })
      } else {
        begin(exchange, prepared, try URLSessionBody(request.body))
      }
    } catch {
      exchange.end(error)
    }
    return exchange
  }

  private func begin(
    _ exchange: URLSessionExchange, _ request: URLRequest, _ body: URLSessionBody
  ) {
    let task = body.task(of: request, in: session)
    events.add(exchange, for: task)
    // The body goes with it, for a copy that is to be removed when the exchange is over.
    exchange.begin(task, body)
  }
}

/// How long the exchanges of a session may take, as far as its configuration says so.
struct SessionTimeouts: Sendable {
  /// The silence allowed; nil when the configuration leaves it at the platform's.
  let idle: Duration?
  /// The time for the whole; nil when the configuration leaves it at the platform's.
  let total: Duration?

  init(_ configuration: URLSessionConfiguration) {
    let usual = URLSessionConfiguration.default
    idle = Self.limit(
      configuration.timeoutIntervalForRequest, unless: usual.timeoutIntervalForRequest)
    total = Self.limit(
      configuration.timeoutIntervalForResource, unless: usual.timeoutIntervalForResource)
  }

  func times(of request: HTTPRequest) -> ExchangeTimeouts {
    ExchangeTimeouts(
      connect: request.connectTimeout,
      idle: [request.idleTimeout, idle].compactMap { $0 }.min(), total: total,
      reportsConnect: request.body.byteCount ?? 0 > 0)
  }

  private static func limit(_ interval: TimeInterval, unless usual: TimeInterval) -> Duration? {
    guard interval != usual, interval > 0, interval < 1e9 else { return nil }
    return .seconds(interval)
  }
}

extension URLSessionConfiguration {
  /// The platform's default, with as many connections to a host as are asked for: how many requests
  /// are under way is for a client's mode to say.
  static var unboundedDefault: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = Int(Int32.max)
    return configuration
  }

  /// A copy that performs one hop and keeps nothing.
  var forSingleHop: URLSessionConfiguration {
    // Foundation's own `copy` makes the same class again.
    let configuration = copy() as? URLSessionConfiguration ?? .default
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    return configuration
  }

  /// Where this configuration has cookies kept; nil when nowhere.
  var effectiveCookieStorage: HTTPCookieStorage? {
    httpShouldSetCookies && httpCookieAcceptPolicy != .never ? httpCookieStorage : nil
  }
}
