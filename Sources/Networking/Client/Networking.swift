import CatenaSystem
public import Foundation
public import Promises

/// A client that sends the requests of endpoints through a queue, and returns promises of the
/// responses.
///
/// ```swift
/// let networking = Networking<BoardsAPI>(baseURL: url, mode: .limited(4))
/// networking.request(.boards)
///   .validate()
///   .decode([Board].self)
///   .done { boards in show(boards) }
/// ```
///
/// - **Threads.** All members may be used from any thread. A request is built and started on the
///   caller's thread, or, if it had to wait, on the thread on which an earlier request ended. A
///   request made on the main queue starts on a global queue. Responses arrive off the main
///   queue. `validate`, `decode` and similar steps run there; handlers run in ``callbackContext``.
/// - **Order.** The ``RequestMode`` limits the number of running requests. Requests of higher
///   priority start first. Mocked requests wait in the same queue.
/// - **Cancellation.** Cancelling the promise of a request, or the only promise derived from it,
///   aborts the connection. A request that was still waiting is never sent.
/// - **Lifetime.** Releasing a client cancels neither its waiting nor its running requests.
///   ``cancelAllRequests()`` cancels all of them.
public final class Networking<Endpoint: RequestConvertible>: Sendable {
  let queue: RequestQueue
  /// The queue of requests that are not intercepted.
  ///
  /// They never wait.
  let unthrottledQueue: RequestQueue
  let settings: Mutex<ClientSettings.Snapshot>
  let runner: CallRunner
  let logging: LoggingConfiguration
  let clientOfflineStore: ClientOfflineStore
  let automaticReplay: AutomaticReplay?
  let transports: TransportSelector<Endpoint>
  /// The client whose base URL and credentials this one uses.
  ///
  /// `nil` if it has its own.
  let sessionOwner: Networking?

  /// Makes a client on a transport of the platform.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of all requests. `nil` uses that of the configuration or, without one,
  ///     of the endpoint type.
  ///   - mode: The limit for the number of running requests. `nil` uses that of the configuration.
  ///   - mockProvider: A provider of transports for some endpoints, such as mocks. `nil` means
  ///     none.
  ///   - sessionConfiguration: The transport and the cookies of all other requests. `nil` uses those of
  ///     the configuration.
  ///   - retry: The retry policy. `nil` uses that of the configuration.
  ///   - configuration: The configuration of all requests.
  public convenience init(
    baseURL: URL? = nil, mode: RequestMode? = nil,
    mockProvider: (any TransportProvider<Endpoint>)? = nil,
    sessionConfiguration: SessionConfiguration? = nil, retry: RetryPolicy? = nil,
    configuration: NetworkingConfiguration = .default
  ) {
    let session = sessionConfiguration ?? configuration.session
    self.init(
      mockProvider, session.makeSession(wallClock: configuration.wallClock),
      configuration.with(baseURL, mode, retry))
  }

  /// Makes a client with a base URL that has been checked, on a transport of the platform.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of all requests.
  ///   - mockProvider: A provider of transports for some endpoints, such as mocks. `nil` means none.
  ///   - configuration: The configuration of all requests.
  public convenience init(
    baseURL: BaseURL, mockProvider: (any TransportProvider<Endpoint>)? = nil,
    configuration: NetworkingConfiguration = .default
  ) {
    self.init(baseURL: baseURL.url, mockProvider: mockProvider, configuration: configuration)
  }

  /// Makes a client on a custom transport.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of all requests. `nil` uses that of the configuration or, without one,
  ///     of the endpoint type.
  ///   - mode: The limit for the number of running requests. `nil` uses that of the configuration.
  ///   - mockProvider: A provider of transports for some endpoints, such as mocks. `nil` means
  ///     none.
  ///   - transport: The transport of all other requests.
  ///   - retry: The retry policy. `nil` uses that of the configuration.
  ///   - configuration: The configuration of all requests.
  public convenience init(
    baseURL: URL? = nil, mode: RequestMode? = nil,
    mockProvider: (any TransportProvider<Endpoint>)? = nil,
    transport: any Transport, retry: RetryPolicy? = nil,
    configuration: NetworkingConfiguration = .default
  ) {
    self.init(
      mockProvider, Session(transport: transport), configuration.with(baseURL, mode, retry))
  }

  private init(
    _ mockProvider: (any TransportProvider<Endpoint>)?, _ session: Session,
    _ configuration: NetworkingConfiguration
  ) {
    var configuration = configuration
    configuration.replay.encoders = configuration.encoders
    sessionOwner = nil
    transports = TransportSelector(transport: session.transport, provider: mockProvider)
    let scheduler = configuration.scheduler ?? transports.scheduler ?? .live
    queue = RequestQueue(configuration.mode, scheduler: scheduler)
    unthrottledQueue = RequestQueue(.async, scheduler: scheduler)
    var initial = ClientSettings(session: UserSession(), scheduler: scheduler)
    initial.baseURL = configuration.baseURL
    settings = Mutex(.init(initial))
    runner = CallRunner(configuration, session, scheduler)
    logging = configuration.logging
    clientOfflineStore = ClientOfflineStore(
      configuration.offline, configuration.replay, for: Endpoint.self,
      isMocked: mockProvider != nil)
    automaticReplay =
      configuration.replaysWhenReachable
      ? AutomaticReplay(configuration.reachability ?? .shared, scheduler: scheduler) : nil
    logLevel = logging.level
    for monitor in configuration.monitors { addMonitor(monitor) }
    automaticReplay?.start { [weak self] in self?.replayAutomatically() }
  }

  /// Makes a client that shares everything but the settings with another one.
  init(sharingSessionOf other: Networking) {
    sessionOwner = other.sessionOwner ?? other
    queue = other.queue
    unthrottledQueue = other.unthrottledQueue
    settings = Mutex(other.settings.withLock { $0 }.updated { $0.onAutomaticReplay = nil })
    runner = other.runner
    logging = other.logging
    clientOfflineStore = other.clientOfflineStore
    automaticReplay = other.automaticReplay
    transports = other.transports
  }

  /// Adds a request to the queue.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response, whatever its status. It is rejected with a
  ///   ``NetworkError``, with the error of the ``middleware``, or with `CancellationError`. It may be
  ///   ignored: the request is sent anyway, and ``PromiseDiagnostics`` reports a rejection.
  @discardableResult
  public func request(
    _ endpoint: Endpoint, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    send(endpoint, CallOptions(options), file, line)
  }

  /// Adds a request of an endpoint of any type to the queue.
  ///
  /// ```swift
  /// networking.request(any: GetProfile(id: 1)).validate().toJson()
  /// ```
  ///
  /// If the endpoint has no base URL, it has that of the client's endpoint type, and the header fields
  /// of that type that it does not declare itself.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response, like that of `request(_:_:file:line:)`.
  @discardableResult
  public func request<Other: RequestConvertible>(
    any endpoint: Other, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    send(endpoint, CallOptions(options), file, line)
  }

  /// Adds a request of an endpoint with a response type to the queue, and decodes the response.
  ///
  /// The endpoint may be of any type. If it has no base URL, it has that of the client's endpoint
  /// type, and the header fields of that type that it does not declare itself.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses
  ///     ``NetworkingConfiguration/decoder``.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the decoded value. It is rejected like that of
  ///   `request(_:_:file:line:)`, and with the errors of `validate` and `decode`.
  public func fetch<Typed: TypedEndpoint>(
    _ endpoint: Typed, decoder: JSONDecoder? = nil, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Typed.ResponseType> {
    send(endpoint, CallOptions(options), file, line)
      .validate(file: file, line: line)
      .decode(Typed.ResponseType.self, decoder: decoder, file: file, line: line)
  }

  /// Adds a request to the queue.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of the call.
  ///   - file: The source file of the caller.
  ///   - line: The source line of the caller.
  /// - Returns: A promise of the response, in the ``callbackContext``.
  package func send(
    _ endpoint: some RequestConvertible, _ options: consuming CallOptions, _ file: StaticString,
    _ line: UInt
  ) -> NetworkPromise {
    var options = options
    let transport = options.transport ?? transports.select(for: endpoint)
    let snapshot = currentSettings()
    if options.sessions == nil { options.sessions = CallSessions(snapshot) }
    let context = runner.scheduler.context(for: snapshot.settings.callbackContext)
    let pending = NetworkPromise.pending(on: context, file: file, line: line)
    let events = CallEvents(snapshot.settings.eventSinks, runner)
    do {
      let defaults = defaults(of: endpoint, replaying: options.replayed?.value)
      var request = try Self.request(of: endpoint, options, defaults)
      runner.addSecretNames(to: &request)
      // `nil` if it is the request, of which a copy takes 500 instructions.
      var original: Request?
      if let beforeEach = snapshot.settings.beforeEach {
        original = request
        request = beforeEach(request)
        runner.addSecretNames(to: &request)
      }
      if let handler = request.onProgress {
        let reporter = ProgressReporter(
          on: snapshot.settings.callbackContext, scheduler: runner.scheduler,
          reportsResponse: request.payload == nil || !options.destination.isMemory, handler)
        options.progress = options.progress.map { ProgressBroadcaster($0, reporter) } ?? reporter
      }
      events?.queued(request, pending.resolver)
      let offline = offlineMode(of: endpoint, defaults, options, original, as: request)
      let call = Call(
        request, endpoint: defaults, settings: snapshot, over: transport,
        receivedBy: Reception(options: options, settings: runner.reception),
        credentialSource: self, offline: offline, reportingTo: events)
      // A request of an interceptor that holds other requests up must not wait behind them. Such
      // requests are not intercepted, or are made in a token refresh.
      let isThrottled =
        call.request.isIntercepted && call.refresh?.isInProgress != true
        && runner.performer(over: transport) == nil
      (isThrottled ? queue : unthrottledQueue).add(
        pending, priority: call.request.priority, of: call,
        HandlerScope.capturing { [runner] in runner.start(call) })
    } catch {
      events?.failed(error)
      pending.resolver.reject(error)
    }
    return pending.promise
  }

  /// Returns the defaults of an endpoint: its own and, if it has no base URL, those of the client's
  /// endpoint type.
  ///
  /// An endpoint with a base URL of its own has only its own defaults, because those of the client's
  /// endpoint type may be secrets of another server. The base URL is read once, because a computed one
  /// may change.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - entry: The stored request that is sent again, if any.
  /// - Returns: The defaults.
  func defaults<SomeEndpoint: RequestConvertible>(
    of endpoint: SomeEndpoint, replaying entry: OfflineStore.Entry? = nil
  ) -> Call.EndpointDefaults {
    let isOther = SomeEndpoint.self != Endpoint.self
    var baseURL = Result { try endpoint.resolvedBaseURL() }
    var inherits = !isOther
    if isOther, case .success(nil) = baseURL {
      inherits = true
      baseURL = Result { try Endpoint.resolvedBaseURL() }
    }
    if let entry { inherits = inheritsDefaults(entry) }
    return Call.EndpointDefaults(
      type: SomeEndpoint.self,
      headers: entry.map { removedCredentialHeaders(of: $0, inherits: inherits) }
        ?? Self.fields(of: endpoint, inherits: inherits),
      baseURL: baseURL, inherits: inherits)
  }

  /// Returns the request of a call, with the format that the type of the endpoint declares.
  static func request<SomeEndpoint: RequestConvertible>(
    of endpoint: SomeEndpoint, _ options: CallOptions, _ defaults: Call.EndpointDefaults
  ) throws -> Request {
    var request =
      if case .some(let given) = options.request { try given.get() } else { try endpoint.request }
    for change in options.changes { change.apply(&request) }
    request.queryFormat =
      request.queryFormat ?? endpoint.resolvedQueryFormat()
      ?? (defaults.inherits ? Endpoint.resolvedQueryFormat() : nil)
    return request
  }

  /// Returns the current header fields of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - inherits: Whether it has the fields of the client's endpoint type, too.
  /// - Returns: The header fields.
  static func fields<SomeEndpoint: RequestConvertible>(
    of endpoint: SomeEndpoint, inherits: Bool
  ) -> HTTPHeaders {
    let own = endpoint.resolvedHeaders()
    return inherits && SomeEndpoint.self != Endpoint.self
      ? Endpoint.resolvedHeaders().merging(own) : own
  }
}

extension Networking {
  /// Makes the shared client.
  ///
  /// It is dynamic, so that the compiler does not specialize a client for `Request`: that would be a
  /// second copy of the code of 35 KB, and other modules would still call the first one.
  dynamic fileprivate static func makeShared() -> Networking {
    HandlerScope.outside { Networking(configuration: .forSharedClient()) }
  }
}

extension Networking where Endpoint == Request {
  /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
  ///
  /// It has the ``NetworkingConfiguration/default`` of its first use. It is made outside of all scopes of
  /// mocks, because it outlives them.
  public static let shared = makeShared()

  /// Makes a client for requests without endpoints, `Networking(baseURL: url)`.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of all requests. `nil` uses that of the configuration.
  ///   - configuration: The configuration of all requests.
  @_disfavoredOverload @_alwaysEmitIntoClient
  public convenience init(baseURL: URL? = nil, configuration: NetworkingConfiguration = .default) {
    self.init(baseURL: baseURL, mode: nil, configuration: configuration)
  }

  /// Makes a client for requests without endpoints, with a base URL that has been checked.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of all requests.
  ///   - configuration: The configuration of all requests.
  @_disfavoredOverload @_alwaysEmitIntoClient
  public convenience init(baseURL: BaseURL, configuration: NetworkingConfiguration = .default) {
    self.init(baseURL: baseURL.url, mode: nil, configuration: configuration)
  }
}

extension Networking: BrieflyDescribed {}
