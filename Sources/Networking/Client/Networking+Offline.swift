import Foundation
import Promises

extension Networking {
  /// The store that keeps this client's requests for which there is no network: to look at what is kept,
  /// and to remove it.
  ///
  /// The first use may block for as long as the disk takes to open it.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when it
  ///   cannot be opened, or the client has none (``OfflinePolicy/none``).
  public var offlineStore: OfflineStore {
    get throws { try clientOfflineStore.store }
  }

  /// Told what has come of each replay that was begun by itself; nil tells nobody.
  ///
  /// It runs in ``callbackContext``. ``NetworkingConfiguration/replaysWhenReachable`` says when there are
  /// such replays.
  public var onAutomaticReplay:
    (@Sendable (_ result: Result<OfflineStore.Report, any Error>) -> Void)?
  {
    get { settings.withLock { $0.settings.onAutomaticReplay } }
    set { change { $0.onAutomaticReplay = newValue } }
  }

  /// Sends what is kept in this client's offline store.
  ///
  /// ```swift
  /// networking.replay { progress in print("\(progress.completed) of \(progress.total)") }
  ///   .done { report in
  ///     print(report.delivered.count, "delivered,", report.kept.count, "still offline")
  ///     for refused in report.failed { show(refused.entry.request, refused.error) }
  ///   }
  /// ```
  ///
  /// - **The way.** Each request takes its turn in this client's queue and goes through its hooks,
  ///   interceptors, retries and redirects, as one made now does, with the credentials and cookies of now;
  ///   its `Idempotency-Key`, its base URL and its own header fields are those that it was first sent
  ///   with. Fields of the endpoints' type that carry credentials are added anew. Other requests are
  ///   made meanwhile as always.
  /// - **Order.** Those of one ``Request/storeKey`` are sent one after the other, as they were kept; when
  ///   one stays in the store, the later ones of its key stay behind it.
  /// - **Outcomes.** What was answered leaves the store, also by a 4xx, which is among
  ///   ``OfflineStore/Report/failed``. What failed on the way stays, what was answered by 401, 407, 408, 425,
  ///   429 or 5xx, what was cancelled, and what an interceptor or a hook has rejected for a reason of
  ///   its own. A request that was replayed is not kept a second time.
  /// - **One at a time**, over all clients and processes that have the same store.
  ///
  /// - Parameters:
  ///   - concurrency: of how many keys requests are sent at once; at least 1.
  ///   - progress: called after each outcome, in their order, in ``callbackContext``, before the
  ///     handlers of the promise where that is serial.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the report; rejected with a ``NetworkError`` of the code `offlineStoreBusy`
  ///   when another replay is under way, or `offlineStoreFailed`. Cancelling it cancels what is being
  ///   sent, all of which stays in the store; so does the departure of its last consumer.
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
        self.clientOfflineStore.removeOverrides(than: try store.keys)
        return store.replay(
          concurrency: concurrency, scheduler: self.runner.scheduler,
          decidingWith: ReplayDecision.forClient,
          progress: { outcome in context.run { progress(outcome) } },
          send: { entry in self.send(entry, file, line) })
      }
      .on(context, file: file, line: line)
  }

  /// A replay that nobody has asked for.
  func replayAutomatically() -> Promise<OfflineStore.Report> {
    let replay = replay()
    replay.always { [weak self] result in
      // Somebody else is at it; it is tried again.
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

  /// Those fields of the endpoints' type that an entry was kept without.
  static func removedCredentialHeaders(of entry: OfflineStore.Entry) -> HTTPHeaders {
    HTTPHeaders(
      Endpoint.headers.filter { field in
        entry.removedCredentialHeaders.contains { HTTPHeaders.areNamesEqual($0, field.name) }
      })
  }

  /// Returns the transport for a replay: selected as for the original request if its endpoint is still known.
  private func transport(forReplayOf entry: OfflineStore.Entry) -> SelectedTransport {
    guard let selection = clientOfflineStore.transportSelection(for: entry.id) else {
      return transports.select(forStored: entry.request)
    }
    return selection() ?? SelectedTransport(transport: transports.transport)
  }
}

extension Networking {
  /// What it takes to keep a request; nil for one that is not to be kept.
  ///
  /// - Parameters:
  ///   - endpoint: what was asked for.
  ///   - original: its request.
  ///   - request: the same as the client's hook has made it.
  ///   - collectsInMemory: whether the body of the answer goes into memory.
  /// - Returns: what the pipeline's stage does it by.
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
    // Selected again at the replay, because another transport may be right then.
    if transports.mayOverride {
      offlineSaver.selectTransport = { [weak self] in self?.transports.select(forAny: endpoint) }
    }
    return offlineSaver
  }
}
