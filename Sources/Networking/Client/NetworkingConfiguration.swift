import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The fixed configuration of a client.
///
/// A client copies it when it is made. Later changes have no effect on that client.
public struct NetworkingConfiguration: Sendable {
  /// The default header fields.
  ///
  /// Fields of the endpoint's type and of the request override them.
  public var headers: HTTPHeaders = .defaults
  /// The encoders that turn parameters into queries and bodies.
  public var encoders = ParameterEncoders()
  /// The policy for redirects.
  public var redirects = RedirectPolicy.follow()
  /// The retry policy of requests that have none of their own.
  ///
  /// The default is never to retry.
  public var retry = RetryPolicy.never
  /// The limit for retries of all calls of the client together.
  ///
  /// `nil` means no limit.
  public var retryBudget: RetryBudget? = RetryBudget()
  /// The circuit breaker, which rejects requests to a host that keeps failing.
  ///
  /// `nil` means none.
  public var circuitBreaker: CircuitBreaker?
  /// The monitors that observe all calls of the client.
  ///
  /// ``Networking/addMonitor(_:)-(NetworkMonitor)`` adds a monitor later.
  public var monitors: [any NetworkMonitor] = []
  /// The log of the client's calls.
  ///
  /// The default is no log.
  ///
  /// ```swift
  /// configuration.logging = .info
  /// ```
  ///
  /// ``Networking/logLevel`` changes the level of an existing client.
  public var logging = LoggingConfiguration.none
  /// Additional names of secrets: of header fields, of fields in queries and forms, and of members
  /// of JSON.
  ///
  /// ```swift
  /// configuration.secretNames = ["X-Tenant", "iban"]
  /// ```
  ///
  /// Well-known names such as `Authorization`, `password` or `access_token` are secrets already.
  /// Case and punctuation do not matter. The value of a secret is printed as `***` in logs, events,
  /// errors, curl commands and descriptions, and a secret header field is not written to an
  /// ``OfflineStore``.
  ///
  /// The names apply to the whole process from the time that the client is made, because an error
  /// or a request does not know its client. They cannot be removed.
  public var secretNames: Set<String> = []
  /// Whether identical concurrent requests share one exchange.
  ///
  /// ``Request/isShared`` overrides it. The default is `false`.
  ///
  /// ```swift
  /// configuration.sharesRequests = true
  /// networking.request(.boards)                    // sends the request
  /// networking.request(.boards)                    // waits for the same response
  /// networking.request(.boards.sharing(false))     // sends a separate request
  /// ```
  ///
  /// - **Requests.** Only GET and HEAD requests without a body are shared, and only if the response
  ///   goes to memory. Downloads and streams are not shared. Two requests are identical if, after
  ///   the client's interceptors, they have the same method, URL, header fields in the same order,
  ///   credentials and idle timeouts, the same value of ``Request/isIntercepted``, and the same
  ///   transport; scopes of mocks have different transports. The tracing fields `traceparent`,
  ///   `tracestate`, `X-Request-ID` and `X-Correlation-ID` are not compared. The server receives
  ///   those of the first request.
  /// - **Callers.** Each caller has its own promise, and receives the whole response and its
  ///   progress, even if it joins late. Cancelling one promise does not affect the others. When the
  ///   last caller cancels, the connection is closed.
  /// - **Retries.** Attempts, redirects and the retry budget belong to the exchange, not to the
  ///   callers. Requests with a ``RetryPolicy`` of their own are shared only among themselves, and
  ///   the policy of the first one applies.
  /// - **Timeouts.** The limit of the call belongs to the caller. On timeout the caller leaves, as
  ///   if cancelled.
  /// - **No storage.** A failure is delivered to all current callers. A request made after the end
  ///   of the exchange is sent again.
  /// - **Queue.** A request that waits for a shared exchange takes its own place in the queue. In
  ///   the mode ``RequestMode/sync``, which runs one request at a time, nothing is shared.
  public var sharesRequests = false
  /// The cookie storage.
  ///
  /// The default is that of the client's ``SessionConfiguration``.
  public var cookies = CookiePolicy.session
  /// The store for requests with the policy ``Request/StorePolicy/offline`` that are made without a
  /// network.
  public var offline = OfflinePolicy.automatic
  /// Whether the client replays the offline store each time the network becomes reachable.
  ///
  /// The default is `false`.
  ///
  /// A replay starts when the status changes from unreachable to reachable. A network that is
  /// reachable when the client is made does not start one, so requests stored by an earlier run
  /// wait for a call of `replay()`, for example after the user has signed in. `onAutomaticReplay`
  /// receives the result of each replay. While another client or process replays the store, the
  /// client tries again every ten seconds as long as the network is reachable.
  public var replaysWhenReachable = false
  /// The policy for requests to the internet while it is unreachable.
  ///
  /// `nil` sends them anyway.
  ///
  /// ``ReachabilityInterceptor`` documents which requests need the internet. Mocked requests do
  /// not. Each hop waits separately, within the limit of the call. A request that fails under this
  /// policy is not retried, regardless of ``retry``.
  public var whenUnreachable: ReachabilityInterceptor.Policy?
  /// The reachability for ``replaysWhenReachable`` and ``whenUnreachable``.
  ///
  /// `nil` uses an instance that all clients of the process share. It starts on first use.
  public var reachability: NetworkReachability?
  /// The limit for opening a connection, including TLS.
  ///
  /// `nil` means no limit.
  public var connectTimeout: Duration? = .seconds(30)
  /// The limit for the time without data on a connection.
  ///
  /// `nil` means no limit.
  public var idleTimeout: Duration? = .seconds(60)
  /// The limit for one hop, including the client's hop interceptors.
  ///
  /// `nil` means no limit.
  public var attemptTimeout: Duration?
  /// The limit for a call.
  ///
  /// `nil` means no limit. ``Request/timeout`` overrides it.
  ///
  /// It covers the time from the moment at which the request leaves the queue to the end of the
  /// response body, including the ``Networking/middleware``, all attempts, all redirects, and the
  /// body of a stream.
  public var callTimeout: Duration?
  /// The limit for a response body in memory after decoding, in bytes.
  ///
  /// `nil` means no limit.
  ///
  /// A larger body ends the request with ``NetworkError/Code-swift.enum/bodyTooLarge``. The limit
  /// does not apply to downloads and streams. If the status of these is not 2xx, up to 1 MiB of the
  /// body is kept and the rest discarded.
  public var maximumBodySize: Int?
  /// The source of time for timeouts and delays.
  ///
  /// `nil` uses that of the client's mock provider, or the system clock.
  public var scheduler: (any Scheduler)?
  /// The source of the wall clock time, which a date in `Retry-After` is compared with.
  ///
  /// The default is the system clock.
  ///
  /// It is called at the end of an attempt, on any thread, and must not block. Tests in virtual
  /// time derive it from ``scheduler``:
  ///
  /// ```swift
  /// configuration.scheduler = time
  /// configuration.wallClock = { noon.addingTimeInterval(time.now / .seconds(1)) }
  /// ```
  public var wallClock: @Sendable () -> Date = { Date() }

  /// Makes the default configuration.
  public init() {}
}
