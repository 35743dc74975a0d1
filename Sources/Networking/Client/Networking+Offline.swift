import Foundation
import Promises

extension Networking {
  /// The client's offline store, for inspecting and removing stored requests.
  ///
  /// The first use opens the store, which blocks on the disk.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the store cannot be opened, or if the client has none (``OfflinePolicy/none``).
  public var offlineStore: OfflineStore {
    get throws { try clientOfflineStore.store }
  }

  /// A handler of the result of each automatic replay.
  ///
  /// `nil` means none.
  ///
  /// It runs in ``callbackContext``. ``NetworkingConfiguration/replaysWhenReachable`` enables
  /// automatic replays.
  public var onAutomaticReplay:
    (@Sendable (_ result: Result<OfflineStore.Report, any Error>) -> Void)?
  {
    get { settings.withLock { $0.settings.onAutomaticReplay } }
    set { change { $0.onAutomaticReplay = newValue } }
  }

  /// Sends the requests in the client's offline store.
  ///
  /// ```swift
  /// networking.replay { progress in print("\(progress.completed) of \(progress.total)") }
  ///   .done { report in
  ///     print(report.delivered.count, "delivered,", report.kept.count, "still offline")
  ///     for failure in report.failed { show(failure.entry.request, failure.error) }
  ///   }
  /// ```
  ///
  /// - **Path.** Each request takes its place in the client's queue and passes the hooks,
  ///   interceptors, retries and redirects like a new request, with the current credentials and
  ///   cookies. Its `Idempotency-Key`, base URL and own header fields are those of the original
  ///   request. Credential fields of the endpoint's type are added again. Other requests are not
  ///   affected.
  /// - **Order.** Requests with the same ``Request/storeKey`` are sent one after the other, in the
  ///   order in which they were stored. If one stays in the store, the later ones with its key
  ///   stay, too.
  /// - **Outcomes.** A request that received a response leaves the store. A 4xx response counts,
  ///   and is listed in ``OfflineStore/Report/failed``. A request stays in the store if it failed,
  ///   was cancelled, was rejected by an interceptor or a hook, or received 401, 407, 408, 425, 429
  ///   or 5xx. It is not stored a second time.
  /// - **One replay at a time** runs over all clients and processes that use the same store.
  ///
  /// - Parameters:
  ///   - concurrency: The number of keys whose requests are sent concurrently; at least 1.
  ///   - progress: A handler that is called after each outcome, in order, in ``callbackContext``;
  ///     if that is serial, before the handlers of the promise.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the report. It is rejected with a ``NetworkError`` with the code
  ///   `offlineStoreBusy` if another replay is running, or `offlineStoreFailed`. When the promise
  ///   is cancelled or loses its last consumer, the requests being sent are cancelled and stay in
  ///   the store.
  @discardableResult
  public func replay(
    concurrency: Int = 4,
    progress: @escaping @Sendable (_ progress: OfflineStore.Progress) -> Void = { _ in },
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<OfflineStore.Report> {
    let context = runner.scheduler.context(for: callbackContext)
    return Promise.fulfilled((), file: file, line: line)
      .then(
        on: runner.scheduler.context(for: .queue(clientOfflineStore.queue)), file: file, line: line
      ) {
        let store = try self.clientOfflineStore.store
        self.clientOfflineStore.removeTransportSelections(except: try store.keys)
        return store.replay(
          concurrency: concurrency, scheduler: self.runner.scheduler,
          decidingWith: ReplayDecision.forClient,
          progress: { outcome in context.run { progress(outcome) } },
          send: { entry in self.send(entry, file, line) })
      }
      .on(context, file: file, line: line)
  }

  /// Starts a replay and passes its result to ``onAutomaticReplay``.
  func replayAutomatically() -> Promise<OfflineStore.Report> {
    let replay = replay()
    replay.always { [weak self] result in
      // Another replay is running. The client tries again later.
      if case .failure(let error as NetworkError) = result, error.code == .offlineStoreBusy {
        return
      }
      self?.onAutomaticReplay?(result)
    }
    return replay
  }

  private func send(
    _ entry: OfflineStore.Entry, _ file: StaticString, _ line: UInt
  ) -> NetworkPromise {
    perform(
      entry.request, over: transport(forReplayOf: entry), replaying: entry, progress: nil, file,
      line)
  }

  /// Returns the fields of the endpoint's type that were removed from an entry because they carry
  /// credentials.
  static func removedCredentialHeaders(of entry: OfflineStore.Entry) -> HTTPHeaders {
    HTTPHeaders(
      Endpoint.headers.filter { field in
        entry.removedCredentialHeaders.contains { HTTPHeaders.areNamesEqual($0, field.name) }
      })
  }

  /// Returns the transport for a replay: selected as for the original request if its endpoint is
  /// still known.
  private func transport(forReplayOf entry: OfflineStore.Entry) -> SelectedTransport {
    guard let selection = clientOfflineStore.transportSelection(for: entry.id) else {
      return transports.select(forStored: entry.request)
    }
    return selection() ?? SelectedTransport(transport: transports.transport)
  }
}

extension Networking {
  /// Returns the saver of a request that is stored when there is no network, or `nil` for other
  /// requests.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - original: The request of the endpoint.
  ///   - request: The request after the ``beforeEach`` hook.
  ///   - collectsInMemory: Whether the response body goes to memory.
  /// - Returns: The saver, or `nil`.
  func offlineSaver<SomeEndpoint: RequestConvertible>(
    _ endpoint: SomeEndpoint, _ original: Request, as request: Request, collectsInMemory: Bool
  ) -> OfflineSaver? {
    guard request.storePolicy == .offline else { return nil }
    var kept = original.storing(.offline, key: request.storeKey)
    kept.headers = SomeEndpoint.headers.merging(original.headers)
    var offlineSaver = OfflineSaver(
      request: kept, collectsInMemory: collectsInMemory, clientOfflineStore: clientOfflineStore,
      automatic: automaticReplay,
      scheduler: runner.scheduler)
    // The transport is selected again at the replay, because a scope of mocks or a provider may
    // apply then.
    if transports.mayOverride {
      offlineSaver.selectTransport = { [weak self] in self?.transports.select(forAny: endpoint) }
    }
    return offlineSaver
  }
}
