import Foundation
import Promises
import Synchronization

/// A client: makes requests of endpoints, performs them in its queue, and answers with promises.
///
/// ```swift
/// let networking = Networking<BoardsAPI>(mode: .limited(4))
/// networking.request(.boards)
///   .validate()
///   .decode([Board].self)
///   .done { boards in show(boards) }
/// ```
///
/// - **Threads.** Everything may be called from any thread. A request whose turn has come is built and
///   started on the thread that brought the turn about: the one that asks, or where an earlier request
///   has just ended. What the main queue asks for starts in an operation of an `OperationQueue`. Responses
///   arrive off the main queue, and `validate`, `decode` and their like run right there; handlers run in
///   ``callbackContext``.
/// - **Order.** Requests wait in a queue as wide as the ``RequestMode`` says, mocked ones like all others;
///   those of higher priority come first.
/// - **Cancellation.** Cancelling a request's promise, or any promise derived from it alone, aborts the
///   connection; a request that was still waiting never touches the network.
/// - **Lifetime.** Releasing a client loses no request: those waiting and those under way go on to their
///   end. ``cancelAllRequests()`` ends them.
public final class Networking<Endpoint: RequestConvertible>: Sendable {
  /// Told how the bodies of a request get on.
  public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void

  let queue: RequestQueue
  /// For the requests that are not intercepted, which never wait for their turn.
  let unthrottledQueue: RequestQueue
  let settings: Mutex<ClientSettings.Snapshot>
  let runner: CallRunner
  let logging: LoggingConfiguration
  let clientOfflineStore: ClientOfflineStore
  let automaticReplay: AutomaticReplay?
  let transports: TransportSelector<Endpoint>
  private let areRetryable = Endpoint.self is any RetryableRequest.Type

  /// Makes a client on what the platform has.
  ///
  /// - Parameters:
  ///   - mode: how many requests are under way at once.
  ///   - mockProvider: supplies another transport for some endpoints; nil for none.
  ///   - sessionConfiguration: what the others go over, and whom connections and cookies are shared
  ///     with.
  ///   - retry: how requests are tried again, in place of what the configuration says; nil is as that
  ///     says.
  ///   - configuration: what it does with every request.
  public convenience init(
    mode: RequestMode = .async, mockProvider: (any TransportProvider<Endpoint>)? = nil,
    sessionConfiguration: SessionConfiguration = .default, retry: RetryPolicy? = nil,
    configuration: NetworkingConfiguration = NetworkingConfiguration()
  ) {
    self.init(mode, mockProvider, Session(sessionConfiguration), retry, configuration)
  }

  /// Makes a client on a transport of your own.
  ///
  /// - Parameters:
  ///   - mode: how many requests are under way at once.
  ///   - mockProvider: supplies another transport for some endpoints; nil for none.
  ///   - transport: what performs the others.
  ///   - retry: how requests are tried again, in place of what the configuration says; nil is as that
  ///     says.
  ///   - configuration: what it does with every request.
  public convenience init(
    mode: RequestMode = .async, mockProvider: (any TransportProvider<Endpoint>)? = nil,
    transport: any Transport, retry: RetryPolicy? = nil,
    configuration: NetworkingConfiguration = NetworkingConfiguration()
  ) {
    self.init(mode, mockProvider, Session(transport: transport), retry, configuration)
  }

  private init(
    _ mode: RequestMode, _ mockProvider: (any TransportProvider<Endpoint>)?, _ session: Session,
    _ retry: RetryPolicy?, _ configuration: NetworkingConfiguration
  ) {
    var configuration = configuration
    if let retry { configuration.retry = retry }
    transports = TransportSelector(transport: session.transport, provider: mockProvider)
    let scheduler = configuration.scheduler ?? transports.scheduler ?? .live
    queue = RequestQueue(mode, scheduler: scheduler)
    unthrottledQueue = RequestQueue(.async, scheduler: scheduler)
    settings = Mutex(.init(ClientSettings(baseURL: { Endpoint.baseURL })))
    SecretNames.register(configuration.secretNames)
    runner = CallRunner(configuration, session, scheduler)
    logging = configuration.logging
    clientOfflineStore = ClientOfflineStore(configuration.offline, for: Endpoint.self)
    automaticReplay =
      configuration.replaysWhenReachable
      ? AutomaticReplay(configuration.reachability ?? .shared, scheduler: scheduler) : nil
    logLevel = logging.level
    for monitor in configuration.monitors { addMonitor(monitor) }
    automaticReplay?.start { [weak self] in self?.replayAutomatically() }
  }

  /// Makes a request and puts it into the queue.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - progress: told how the bodies get on; see ``TransferProgress``. It runs in ``callbackContext``,
  ///     before the handlers of the promise where that is serial; while it is at work or on its way there
  ///     only the newest progress is kept.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the response, whatever its status, at once; rejected with a
  ///   ``NetworkError``, with what ``middleware`` was rejected with, or with `CancellationError`.
  public func request(
    _ endpoint: Endpoint, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: transports.select(for: endpoint), progress: progress, file, line)
  }

  /// Makes a request of an endpoint that was changed on the spot, `BoardsAPI.boards.notIntercepted()`.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - progress: told how the bodies get on; see ``TransferProgress``. It runs in ``callbackContext``,
  ///     before the handlers of the promise where that is serial; while it is at work or on its way there
  ///     only the newest progress is kept.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: the same as `request(_:progress:file:line:)` of the plain endpoint.
  public func request(
    _ endpoint: ModifiedEndpoint<Endpoint>, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: transports.select(for: endpoint.base), progress: progress, file, line)
  }

  /// Makes a request of an endpoint that says what it answers with, and reads the answer.
  ///
  /// The endpoint may be of any type; one without a base URL has this client's.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - progress: told how the bodies get on; see ``TransferProgress``. It runs in ``callbackContext``,
  ///     before the handlers of the promise where that is serial; while it is at work or on its way there
  ///     only the newest progress is kept.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the value, validated and decoded; rejected like that of
  ///   `request(_:progress:file:line:)`, and like `validate` and `decode`.
  public func fetch<Typed: TypedEndpoint>(
    _ endpoint: Typed, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Typed.ResponseType> {
    perform(endpoint, over: transports.select(forAny: endpoint), progress: progress, file, line)
      .validate(file: file, line: line)
      .decode(Typed.ResponseType.self, file: file, line: line)
  }

  func perform<SomeEndpoint: RequestConvertible>(
    _ endpoint: SomeEndpoint, over transport: SelectedTransport,
    to destination: BodyDestination.Kind = .memory, replaying entry: OfflineStore.Entry? = nil,
    progress: ProgressHandler?, _ file: StaticString, _ line: UInt
  ) -> NetworkPromise {
    var snapshot = settings.withLock { $0 }
    if let entry { snapshot = snapshot.updated { $0.baseURL = { entry.baseURL } } }
    let context = runner.scheduler.context(for: snapshot.settings.callbackContext)
    let pending = NetworkPromise.pending(on: context, file: file, line: line)
    let delivery = BodyDestination(
      kind: destination, maximumBodySize: runner.maximumBodySize,
      progress: progress.map { ProgressReporter(on: context, $0) })
    let events = snapshot.settings.eventSinks.map { CallEvents($0, scheduler: runner.scheduler) }
    do {
      let original = try endpoint.request
      let request = snapshot.settings.beforeEach?(original) ?? original
      events?.queued(request, pending.resolver)
      let offline: OfflineMode? =
        if let entry { .replaying(key: entry.effectiveIdempotencyKey) } else {
          offlineSaver(endpoint, original, as: request, collectsInMemory: delivery.isToMemory)
            .map { .saving($0) }
        }
      let call = Call(
        request,
        endpoint: Call.EndpointDefaults(
          headers: entry.map { Self.removedCredentialHeaders(of: $0) } ?? SomeEndpoint.headers,
          baseURL: SomeEndpoint.baseURL, retry: retryPolicy(of: endpoint)),
        settings: snapshot, over: transport, to: delivery, credentialSource: self,
        offline: offline, reportingTo: events)
      // A request that is not intercepted may come from an interceptor that holds other requests up, so it
      // must not wait behind them.
      (request.isIntercepted ? queue : unthrottledQueue).add(
        pending, priority: request.priority,
        HandlerScope.capturing { [runner] in runner.start(call) })
    } catch {
      events?.failed(error)
      pending.resolver.reject(error)
    }
    return pending.promise
  }

  /// A look that costs most where the answer is no, so that is found out once for the client's own type.
  private func retryPolicy<SomeEndpoint: RequestConvertible>(of endpoint: SomeEndpoint)
    -> RetryPolicy?
  {
    if SomeEndpoint.self == Endpoint.self, !areRetryable { return nil }
    return (endpoint as? any RetryableRequest)?.retryPolicy
  }
}

extension Networking where Endpoint == Request {
  /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
  ///
  /// It is made outside of all scopes of mocks, whoever asks for it first, since it outlives them.
  public static let shared = HandlerScope.$current.withValue(nil) { Networking() }
}
