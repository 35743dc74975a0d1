import CatenaSystem
public import Foundation
public import Promises

/// The fixed configuration of a client.
///
/// A client copies it when it is made. Later changes have no effect on that client.
public struct NetworkingConfiguration: Sendable {
  /// The base URL of the client's requests.
  ///
  /// `nil` uses that of the endpoint type. ``Networking/baseURL`` changes it later.
  public var baseURL: URL?
  /// The limit for the number of running requests.
  public var mode = RequestMode.async
  /// The transport and the cookies.
  public var session = SessionConfiguration.default
  /// The default header fields.
  ///
  /// Fields of the endpoint's type and of the request override them.
  public var headers: HTTPHeaders = .defaults
  /// The encoders that turn parameters into queries and bodies.
  public var encoders = ParameterEncoders()
  /// The format of parameters in queries and forms.
  ///
  /// The `queryFormat` of an endpoint and the option ``RequestOption/queryFormat(_:)`` override it.
  ///
  /// ```swift
  /// configuration.queryFormat = .rails
  /// ```
  ///
  /// Setting it replaces the ``ParameterEncoders/query`` and ``ParameterEncoders/formURLEncoded`` of
  /// ``encoders``. With encoders of other types, the value is ``QueryFormat/standard``.
  public var queryFormat: QueryFormat {
    get { encoders.format }
    set { encoders.format = newValue }
  }
  /// The decoder for JSON bodies, which `decode` and `fetch` use unless they are given another one.
  ///
  /// `nil` uses a `JSONDecoder` with default settings. The decoder must not be modified after the
  /// client has been made.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.keyDecodingStrategy = .convertFromSnakeCase
  /// decoder.dateDecodingStrategy = .iso8601
  /// configuration.decoder = decoder
  /// ```
  ///
  /// ``NetworkError/decodeBody(_:decoder:)`` uses it, too; `toJson` and its variants do not.
  public var decoder: JSONDecoder?
  /// The encoder for JSON bodies, the counterpart of ``decoder``.
  ///
  /// `nil` writes JSON with the members in the order of the parameters. The encoder must not be
  /// modified after the client has been made. ``JSONParameterEncoder`` describes its effect.
  ///
  /// This is an alias for the ``JSONParameterEncoder/encoder`` of ``ParameterEncoders/json`` in
  /// ``encoders``. If that is an encoder of another type, the value is `nil`, setting `nil` has no
  /// effect, and setting an encoder replaces it by a ``JSONParameterEncoder``.
  public var encoder: JSONEncoder? {
    get { (encoders.json as? JSONParameterEncoder)?.encoder }
    set {
      let current = encoders.json as? JSONParameterEncoder
      guard current != nil || newValue != nil else { return }
      var json = current ?? JSONParameterEncoder()
      json.encoder = newValue
      encoders.json = json
    }
  }
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
  /// The monitors that observe all calls of the client.
  ///
  /// ``Networking/addMonitor(_:)-(NetworkMonitor)`` adds a monitor later.
  public var monitors: [any NetworkMonitor] = []
  /// The recording of the calls that are made outside of a trace, and the `traceparent` of all calls.
  ///
  /// `nil`, the default, records and sends none. The values are made by the product `NetworkingTracing`.
  public var tracing: CallTracing?
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
  /// Case, punctuation and diacritics do not matter. The value of a secret is printed as `***` in
  /// logs, events, errors, curl commands and descriptions, and is masked in recordings. A secret
  /// header field is not written to an ``OfflineStore``.
  ///
  /// The names apply to the requests of this client, to their responses, and to all that is made of
  /// them. Other clients have names of their own. The description of a ``Request`` that has not been
  /// passed to a client masks the well-known names only, and so does that of a single
  /// ``HTTPHeaders/Field``.
  public var secretNames: Set<String> = []
  /// Whether requests have the credentials of the client.
  ///
  /// ``Request/sendsCredentials`` overrides it. The default is `true`. With `false`, only requests
  /// that are ``RequestOption/withCredentials`` have them:
  ///
  /// ```swift
  /// configuration.sendsCredentials = false
  ///
  /// case .news: .get("news")
  /// case .profile: .get("profile", .withCredentials)
  /// ```
  public var sendsCredentials = true
  /// Whether identical concurrent requests share one exchange.
  ///
  /// ``Request/isShared`` overrides it. The default is `false`.
  ///
  /// ```swift
  /// configuration.sharesRequests = true
  /// networking.request(.boards)                    // sends the request
  /// networking.request(.boards)                    // waits for the same response
  /// networking.request(.boards, .shared(false))     // sends a separate request
  /// ```
  ///
  /// - **Requests.** Only GET and HEAD requests without a body are shared, and only if the response
  ///   goes to memory. Downloads and streams are not shared. Two requests are identical if, after
  ///   the client's interceptors, they have the same method, URL, header fields in the same order,
  ///   credentials and idle timeouts, the same values of ``Request/sendsCredentials`` and
  ///   ``Request/isIntercepted``, the same ``Request/cachePolicy-swift.property`` and
  ///   ``Request/cacheLifetime``, and the same transport; scopes of mocks have different transports.
  ///   Their interceptors of attempts and hops must be the same, too: a ``Networking/copy()`` whose
  ///   interceptors of these levels have been changed shares nothing with its original. With such
  ///   interceptors, requests with ``Request/attributes`` are not shared, because they cannot be compared.
  ///   The tracing fields `traceparent`, `tracestate`, `X-Request-ID` and `X-Correlation-ID` are not
  ///   compared. The server receives those of the first request.
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
  /// The cache of responses.
  ///
  /// The default is that of the client's ``SessionConfiguration``.
  public var caching = CachingConfiguration()
  /// The cookies.
  ///
  /// The default are those of the client's ``SessionConfiguration``.
  public var cookies = CookiePolicy.session
  /// The store for requests with the policy ``Request/StorePolicy/offline`` that are made without a
  /// network.
  public var offline = OfflinePolicy.automatic
  /// The rules that decide which requests leave the offline store after they were sent.
  ///
  /// ```swift
  /// configuration.replay = .deciding { entry, result, proposed in
  ///   if case .success(let response) = result, response.contentType?.subtype == "html" {
  ///     return .keep                        // the login page of a network
  ///   }
  ///   return proposed
  /// }
  /// ```
  public var replay = ReplayPolicy.standard
  /// Whether the client replays the offline store each time the network becomes reachable.
  ///
  /// The default is `false`.
  ///
  /// A replay starts when the status changes from unreachable to reachable. A network that is
  /// reachable when the client is made does not start one, so requests stored by an earlier run
  /// wait for a call of `replay()`, for example after the user has signed in. `onAutomaticReplay(_:)`
  /// receives the result of each replay. While another client or process replays the store, the
  /// client tries again every ten seconds as long as the network is reachable.
  public var replaysWhenReachable = false
  /// The policy for requests to the internet while it is unreachable.
  ///
  /// `nil` sends them anyway.
  ///
  /// ``ReachabilityPolicy`` documents which requests need the internet. Mocked requests do
  /// not. Each hop waits separately, within the limit of the call. A request that fails under this
  /// policy is not retried, regardless of ``retry``.
  public var whenUnreachable: ReachabilityPolicy?
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
  /// The limit for receiving a response body into memory, from its first bytes to its last.
  ///
  /// `nil` means no limit. The default is 30 minutes.
  ///
  /// ``idleTimeout`` restarts with every byte, so a server that sends one byte a second would keep
  /// an exchange for ever. A body of the maximum size, ``maximumBodySize``, has to arrive at 150
  /// KB/s or faster to stay within the default. On timeout the request is rejected with
  /// `timedOut(.attempt)`, and the connection is closed. The time is compared when bytes arrive,
  /// so the rejection may come up to one idle timeout later. On the system clock, late bytes give the
  /// body two more seconds, once, because they may have arrived while the process was suspended.
  ///
  /// The limit does not apply to the wait for the response, so a long poll is limited by
  /// ``idleTimeout`` only. It does not apply to the bodies of downloads and streams either, whose
  /// consumers see their progress and can cancel them.
  public var bodyTimeout: Duration? = .seconds(1_800)
  /// The limit for one hop, including the client's interceptors of hops.
  ///
  /// `nil`, the default, means no limit: an upload or a download may take as long as its data keeps
  /// flowing. ``connectTimeout``, ``idleTimeout`` and ``bodyTimeout`` limit the phases of a hop.
  public var attemptTimeout: Duration?
  /// The limit for a call.
  ///
  /// `nil`, the default, means no limit beyond those of its attempts. ``Request/timeout`` overrides
  /// it.
  ///
  /// It covers the time from the moment at which the request leaves the queue to the end of the
  /// response body, including the ``Networking/middleware``, all attempts, all redirects, and the
  /// body of a stream.
  public var callTimeout: Duration?
  /// The limit for a response body in memory after decoding, in bytes.
  ///
  /// `nil` means no limit. The default is 256 MiB, so that no server can fill the memory: 1 MB of
  /// gzip can become 1 GB.
  ///
  /// A larger body ends the request with ``NetworkError/Code-swift.enum/bodyTooLarge``. The limit
  /// does not apply to downloads and streams. If the status of these is not 2xx, up to 1 MiB of the
  /// body is kept and the rest discarded. The same applies to a status of 3xx with a `Location`.
  public var maximumBodySize: Int? = 256 << 20
  /// The source of time for timeouts and delays.
  ///
  /// `nil` uses that of the client's mock provider, or the system clock.
  public var scheduler: (any Scheduler)?
  /// The source of the wall clock time, which a date in `Retry-After` and the dates of cookies are
  /// compared with, and which the ages of cached responses are computed with.
  ///
  /// The default is the system clock. For clients that are made in the scope of `withVirtualTime`, and
  /// in tests with the trait `.virtualTime`, it is the date at the start of the scope, and advances with
  /// the virtual time.
  ///
  /// It is called before and after each hop, on any thread, and must not block. A ``CookieJar`` that
  /// was made with a clock uses that one. Tests with a scheduler of their own derive it from
  /// ``scheduler``:
  ///
  /// ```swift
  /// configuration.scheduler = scheduler
  /// configuration.wallClock = { noon.addingTimeInterval(scheduler.now / .seconds(1)) }
  /// ```
  public var wallClock: @Sendable () -> Date {
    get { ownWallClock ?? LiveScheduler.wallClock }
    set { ownWallClock = newValue }
  }

  private var ownWallClock: (@Sendable () -> Date)?

  /// Makes a configuration with the values above.
  public init() {}

  /// Returns the configuration with the values that are not `nil`.
  func with(_ baseURL: URL?, _ mode: RequestMode?, _ retry: RetryPolicy?) -> Self {
    copy(of: self) {
      $0.baseURL = baseURL ?? self.baseURL
      $0.mode = mode ?? self.mode
      $0.retry = retry ?? self.retry
    }
  }
}

extension NetworkingConfiguration {
  /// The default configuration, and its use by the client that outlives all others.
  private struct ProcessDefault {
    var configuration = NetworkingConfiguration()
    var isShared = false
    var hasWarned = false
  }

  private static let processDefault = Mutex(ProcessDefault())

  /// Returns the configuration of `Networking.shared`, which ignores later changes.
  static func forSharedClient() -> NetworkingConfiguration {
    processDefault.withLock { state in
      state.isShared = true
      return state.configuration
    }
  }

  /// The configuration of clients that are made without one.
  ///
  /// Set it when the program starts, to give all clients the same encoders, decoder, log or monitors:
  ///
  /// ```swift
  /// NetworkingConfiguration.default.encoders.custom["application/cbor"] = CBOREncoder()
  /// NetworkingConfiguration.default.decoder = decoder
  /// NetworkingConfiguration.default.logging = .info
  ///
  /// var configuration = NetworkingConfiguration.default     // for a client with a change
  /// configuration.retry = .exponential(initial: .seconds(1), limit: 3)
  /// ```
  ///
  /// A change does not affect existing clients, including ``Networking/shared`` after its first use. The
  /// first change after that use writes a warning to standard error.
  ///
  /// ``init()`` does not use it. The property may be used from any thread; two concurrent changes
  /// through the property itself may overwrite each other.
  public static var `default`: NetworkingConfiguration {
    get { processDefault.withLock { $0.configuration } }
    set {
      // Released after unlocking, because the release may run a `deinit` of the user.
      let (old, isIgnored) = processDefault.withLock { state in
        defer { (state.configuration, state.hasWarned) = (newValue, state.isShared) }
        return (state.configuration, state.isShared && !state.hasWarned)
      }
      withExtendedLifetime(old) {}
      guard isIgnored else { return }
      StandardStream.error.write(
        "warning: NetworkingConfiguration.default has been changed after the first use of "
          + "Networking.shared, which keeps the earlier configuration. Change it when the program starts, "
          + "or make a client with the configuration.\n")
    }
  }
}

extension NetworkingConfiguration: BrieflyDescribed {
  /// The level of the log and the number of monitors: `NetworkingConfiguration(logging: info, monitors: 0)`.
  public var description: String {
    "NetworkingConfiguration(logging: \(logging.level), monitors: \(monitors.count))"
  }
}
