import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a client does with every request, laid down when it is made.
public struct NetworkingConfiguration: Sendable {
  /// The fields that every request has unless it or its endpoint says otherwise.
  public var headers: HTTPHeaders = .defaults
  /// How parameters become queries and bodies.
  public var encoders = ParameterEncoders()
  /// What becomes of answers that point elsewhere.
  public var redirects = RedirectPolicy.follow()
  /// How requests are tried again that do not say so themselves; not at all at first.
  public var retry = RetryPolicy.never
  /// How many repetitions there are over all calls of the client; nil is without limit.
  public var retryBudget: RetryBudget? = RetryBudget()
  /// When a host that keeps failing is left alone; nil is never.
  public var circuitBreaker: CircuitBreaker?
  /// Who is told what happens to the client's calls, from the first; others may be added later by
  /// ``Networking/addMonitor(_:)-(NetworkMonitor)``.
  public var monitors: [any NetworkMonitor] = []
  /// What the client writes about its calls, and where to; nothing at first.
  ///
  /// ```swift
  /// configuration.logging = .info
  /// ```
  ///
  /// ``Networking/logLevel`` changes how much while it works.
  public var logging = LoggingConfiguration.none
  /// Names whose values are secrets, besides those that tell so by themselves, such as `Authorization`, `password`
  /// or `access_token`: of header fields, of fields in queries and forms, and of members of JSON.
  ///
  /// ```swift
  /// configuration.secretNames = ["X-Tenant", "iban"]
  /// ```
  ///
  /// Case and punctuation make no difference. What goes by such a name reads `***` in logs, events, errors, commands
  /// and whatever else is printed, and is withheld from an ``OfflineStore`` where it is a header field. A name
  /// holds for the whole process from when a client of it is made, as neither an error nor a request that is
  /// printed knows its client; it is not taken back.
  public var secretNames: Set<String> = []
  /// Whether identical requests under way share one exchange, where a request does not say so itself; not
  /// at first.
  ///
  /// ```swift
  /// configuration.sharesRequests = true
  /// networking.request(.boards)                    // asks the server
  /// networking.request(.boards)                    // waits for the same answer
  /// networking.request(.boards.sharing(false))     // asks on its own
  /// ```
  ///
  /// - **Which.** GET and HEAD without a body, whose answer goes to memory: no downloads and no streams.
  ///   Two are identical that have, behind the client's interceptors, the same
  ///   method, URL, header fields in the same order, credentials and silence limits, that are both
  ///   ``Request/isIntercepted`` or both not, and that go to the same place: mocks of another scope are
  ///   another. Fields that only number or trace a request make no difference: `traceparent`,
  ///   `tracestate`, `X-Request-ID` and `X-Correlation-ID`; the server gets the first one's.
  /// - **Each caller has a promise of its own**, and gets all of the answer and its progress, however late
  ///   it joins. Cancelling it leaves the others; when the last has gone the connection is closed.
  /// - **One retry story.** Attempts, redirects, the retry budget and the hops are of the exchange, not of
  ///   the callers. Those that bring a ``RetryPolicy`` of their own share with one another only, and the
  ///   first one's counts.
  /// - **A time limit of the call stays the caller's own**: when it is up he leaves, like one who cancels.
  /// - **Nothing is kept.** A failure reaches all who wait for it, and whoever asks after the end, be that
  ///   well or bad, asks anew.
  /// - A request that waits for another's exchange has its own place in the queue, by its own priority. So
  ///   in mode ``RequestMode/sync``, where there is never more than one under way, nothing is shared.
  public var sharesRequests = false
  /// Where cookies are kept; at first where the client's ``SessionConfiguration`` says.
  public var cookies = CookiePolicy.session
  /// Where requests of the store policy ``Request/StorePolicy/offline`` are kept when there is no network
  /// for them.
  public var offline = OfflinePolicy.automatic
  /// Whether what is kept is replayed each time the network has come back, without being asked for.
  ///
  /// It comes back when its status turns from unreachable to reachable; a network that was there when the
  /// client was made has not come back, so what is left from an earlier run of the program waits for a
  /// `replay()` of the client's, at best once the user has signed in. `onAutomaticReplay` is told of each.
  /// While somebody else replays the store, it is tried again every ten seconds, as long as there is a network.
  public var replaysWhenReachable = false
  /// What becomes of requests while there is no way to the internet; nil tries them all the same.
  ///
  /// It concerns those to servers on the internet, as ``ReachabilityInterceptor`` says, and no mocked ones.
  /// Requests that wait do so a hop at a time, within the time for the call. What has failed by it is not
  /// tried again, whatever ``retry`` says.
  public var whenUnreachable: ReachabilityInterceptor.Policy?
  /// What tells of the network to ``replaysWhenReachable`` and ``whenUnreachable``; nil is one for all
  /// clients of this process, which begins to watch when it is first needed.
  public var reachability: NetworkReachability?
  /// How long a connection may take to stand, TLS included; nil is without limit.
  public var connectTimeout: Duration? = .seconds(30)
  /// How long a connection may be silent; nil is without limit.
  public var idleTimeout: Duration? = .seconds(60)
  /// How long one hop may take, with the client's hop interceptors; nil is without limit.
  public var attemptTimeout: Duration?
  /// How long a call may take, from its turn in the queue, with the ``Networking/middleware`` and all its hops;
  /// nil is without limit.
  ///
  /// Of a stream the body counts, to its end.
  /// A request's own timeout comes in its place.
  public var callTimeout: Duration?
  /// How many bytes of a response's body, after decoding, are taken into memory; nil is without limit.
  ///
  /// A larger one breaks the request off with ``NetworkError/Code-swift.enum/bodyTooLarge``. Downloads to
  /// a file and streams are not bounded by it; of what answers them with no success, up to 1 MiB of the
  /// body is kept, and the rest left out.
  public var maximumBodySize: Int?
  /// Whose time the deadlines take; nil is that of the client's mock provider, or the clock without one.
  public var scheduler: (any Scheduler)?
  /// The time of day, which the date in a `Retry-After` is compared with; for tests in virtual time.
  ///
  /// It is asked wherever an attempt has ended, on any thread, and must not block. A date becomes a wait
  /// in the time of ``scheduler``, so a test lets this one go on as that does:
  ///
  /// ```swift
  /// configuration.scheduler = time
  /// configuration.wallClock = { noon.addingTimeInterval(time.now / .seconds(1)) }
  /// ```
  public var wallClock: @Sendable () -> Date = { Date() }

  /// Makes a configuration of what most clients want.
  public init() {}
}

/// Where a client keeps its cookies.
public enum CookiePolicy: Sendable {
  /// Where its ``SessionConfiguration`` says; with a transport of your own, where Foundation keeps
  /// those that it shares in the process.
  case session
  /// Nowhere: none are kept, and none sent but what a request brings.
  case none
  /// In a storage of your own.
  case storage(HTTPCookieStorage)

  /// The storage; nil for none.
  func storage(of session: Session) -> HTTPCookieStorage? {
    switch self {
    case .session: session.cookies
    case .none: nil
    case .storage(let storage): storage
    }
  }
}
