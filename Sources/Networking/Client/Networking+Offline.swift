import CatenaSystem
import Foundation
public import Promises

extension Networking {
  /// The client's offline store, for inspecting and removing stored requests.
  ///
  /// The first use opens the store, which blocks on the disk.
  ///
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the store cannot be opened, or if the client has none (``OfflinePolicy/none``).
  public var offlineStore: OfflineStore { get throws { try clientOfflineStore.store } }

  /// Sets the handler of the results of automatic replays, in place of the earlier one.
  ///
  /// ```swift
  /// networking.onAutomaticReplay { [weak self] result in self?.show(result) }
  /// ```
  ///
  /// ``NetworkingConfiguration/replaysWhenReachable`` enables automatic replays.
  ///
  /// - Parameter handler: The handler, which runs once for each replay, on its actor or, without
  ///   one, in ``callbackContext``. `nil` removes the earlier handler.
  public func onAutomaticReplay(
    @_inheritActorContext _ handler: (
      @Sendable @isolated(any) (_ result: Result<OfflineStore.Report, any Error>) -> Void
    )?
  ) {
    change { $0.onAutomaticReplay = handler }
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
  ///   request. Fields with credentials, which are not stored, are added again: those of the
  ///   endpoint and its request if this client has stored the request, otherwise those of the
  ///   client's endpoint type, unless the endpoint was of another type with a base URL of its own.
  ///   Other requests are not affected.
  /// - **Order.** Requests with the same ``Request/storeKey`` are sent one after the other, in the
  ///   order in which they were stored. If one stays in the store, the later ones with its key
  ///   stay, too.
  /// - **Outcomes.** A request leaves the store when it has a final response, or can never be
  ///   encoded: ``ReplayPolicy`` has the rules, and ``NetworkingConfiguration/replay`` replaces
  ///   them. A final 4xx response is listed in ``OfflineStore/Report/failed``. After any other
  ///   result, such as an error of a hook, an interceptor or a token refresh, the request stays, and
  ///   ``OfflineStore/Report/kept`` has the error. It is not stored a second time. It also stays,
  ///   without being sent, if a field with credentials is still missing after all hooks and
  ///   interceptors; the error then has the code
  ///   ``NetworkError/Code-swift.enum/offlineCredentialsMissing`` and names the field.
  /// - **Users.** A replay belongs to the session of the user in which it starts. At the end of the
  ///   session, the requests that are not sent yet stay in the store, with the code
  ///   ``NetworkError/Code-swift.enum/sessionEnded`` in ``OfflineStore/Report/kept``. So do requests that
  ///   this client has stored in a session that has ended.
  /// - **One replay at a time** runs over all clients and processes that use the same store. A call while
  ///   a replay of this client is running, such as an automatic one, joins it: the promise is that of its
  ///   report, and `progress` receives the further outcomes. Another process can take over the replay of a
  ///   process that the system has suspended for 30 seconds.
  ///
  /// - Parameters:
  ///   - concurrency: The number of keys whose requests are sent concurrently; at least 1.
  ///   - progress: A handler that is called after each outcome, in order, on its actor or, without
  ///     one, in ``callbackContext``; if that is serial, before the handlers of the promise in the
  ///     same context.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the report. It is rejected with a ``NetworkError`` with the code
  ///   `offlineStoreBusy` if another client or process is replaying the store, or
  ///   `offlineStoreFailed`. When the promises of all callers are cancelled or have lost their last
  ///   consumers, the requests being sent are cancelled and stay in the store.
  @discardableResult
  public func replay(
    concurrency: Int = 4,
    @_inheritActorContext progress:
      @escaping @Sendable @isolated(any) (_ progress: OfflineStore.Progress) -> Void = { _ in },
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<OfflineStore.Report> {
    let context = runner.scheduler.context(for: callbackContext)
    let (progress, progressContext) = (IsolatedClosure(progress), callbackContext)
    let sessions = currentSessions
    return replay(concurrency, in: sessions, file, line) {
      progress.run($0, on: progressContext, awaitedBy: self.runner.scheduler)
    }
    .on(context, file: file, line: line)
  }

  /// Joins the running replay of the same session, or starts one.
  private func replay(
    _ concurrency: Int, in sessions: CallSessions, _ file: StaticString, _ line: UInt,
    _ progress: @escaping SharedReplay.ProgressHandler
  ) -> Promise<OfflineStore.Report> {
    let queue = runner.scheduler.context(for: .queue(clientOfflineStore.queue))
    return Promise.fulfilled((), file: file, line: line).then(on: queue, file: file, line: line) {
      let (own, runner) = (self.clientOfflineStore, self.runner)
      if let ending = own.replay.ofEndedSession {
        // It sends nothing any more.
        return ending.asResult().then(on: .inline) { _ in
          self.replay(concurrency, in: sessions, file, line, progress)
        }
      }
      let store = try own.store
      own.removeReplaySources(except: try store.keys)
      return own.replay.join(progress, endsWith: { sessions.hasEnded }) { progress in
        store.replay(
          with: OfflineReplay.Options(
            concurrency: concurrency, scheduler: runner.scheduler, policy: own.replayPolicy,
            progress: progress, send: { try self.send($0, in: sessions, file, line) }))
      }
    }
  }

  /// Starts a replay and passes its result to the handler of ``onAutomaticReplay(_:)``.
  func replayAutomatically() -> Promise<OfflineStore.Report> {
    let replay = replay()
    replay.always(on: .inline) { [weak self] result in
      // Another replay is running. The client tries again later.
      guard !result.isOfflineStoreBusy, let self,
        let handler = settings.withLock({ $0.settings }).onAutomaticReplay
      else { return }
      IsolatedClosure(handler).run(result, on: callbackContext, awaitedBy: runner.scheduler)
    }
    return replay
  }

  private func send(
    _ entry: OfflineStore.Entry, in sessions: CallSessions, _ file: StaticString, _ line: UInt
  ) throws -> NetworkPromise {
    let source = clientOfflineStore.replaySource(of: entry.id)
    if source?.hasSessionEnded == true { throw NetworkError.sessionEnded(.init(entry.request)) }
    var options = CallOptions()
    // Selected as for the original request if its endpoint is still known.
    options.transport =
      if let select = source?.selectTransport {
        select() ?? transports.own
      } else {
        transports.select(forStored: entry.request)
      }
    options.replayed = CopyOnWrite(entry)
    options.sessions = sessions
    return send(entry.request, options, file, line)
  }

  /// Returns the fields that were removed from an entry because they carry credentials.
  ///
  /// They are the current fields of the endpoint and its request if this client has stored the
  /// entry, otherwise those of the client's endpoint type if the entry inherits them.
  func removedCredentialHeaders(of entry: OfflineStore.Entry, inherits: Bool) -> HTTPHeaders {
    guard !entry.removedCredentialHeaders.isEmpty else { return [:] }
    let headers =
      clientOfflineStore.replaySource(of: entry.id)?.headers?()
      ?? (inherits ? Endpoint.resolvedHeaders() : [:])
    return HTTPHeaders(
      headers.filter { field in
        entry.removedCredentialHeaders.contains { HTTPHeaders.areNamesEqual($0, field.name) }
      })
  }

  /// Returns whether an entry has the defaults of the client's endpoint type.
  ///
  /// If that is not recorded, because the program has added the request to the store itself, it does if
  /// it is for the origin of the client.
  func inheritsDefaults(_ entry: OfflineStore.Entry) -> Bool {
    if let inherits = entry.inheritsDefaults { return inherits }
    guard let url = try? OfflineStore.url(entry.request, entry.baseURL) else { return false }
    return currentOrigin?.matches(url) == true
  }
}

extension Networking {
  /// Returns the relation of a request to the offline store.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - defaults: The defaults of the endpoint.
  ///   - options: The options of the call.
  ///   - original: The changed request of the endpoint.
  ///   - request: The request after the ``beforeEach`` hook.
  /// - Returns: The relation, or `nil` for a request that is not stored when there is no network.
  func offlineMode(
    of endpoint: some RequestConvertible, _ defaults: Call.EndpointDefaults,
    _ options: CallOptions, _ original: Request?, as request: Request
  ) -> OfflineMode? {
    if let entry = options.replayed?.value {
      return .replaying(
        key: entry.effectiveIdempotencyKey, removedHeaders: entry.removedCredentialHeaders)
    }
    guard request.storePolicy == .offline else { return nil }
    var kept = (original ?? request).with(.store(.offline, key: request.storeKey))
    kept.headers = defaults.headers.merging(kept.headers)
    let (changes, sessions, inherits) = (options.changes, options.sessions, defaults.inherits)
    // Values of the client's type may be for another server, too.
    let isOfClient =
      inherits
      && (try? defaults.baseURL.get()) == (try? Endpoint.resolvedBaseURL())
      && Endpoint.resolvedHeaders().allSatisfy { defaults.headers[$0.name] == $0.value }
    var source = ClientOfflineStore.ReplaySource(
      headers: {
        Self.fields(of: endpoint, inherits: inherits)
          .merging((try? endpoint.request.applying(changes).headers) ?? [:])
      },
      sessionEnd: { sessions?.hasEnded == true })
    // The transport is selected again at the replay, because a scope of mocks or a provider may
    // apply then.
    if transports.mayOverride {
      source.selectTransport = { [weak self] in self?.transports.select(for: endpoint) }
    }
    return .saving(
      OfflineSaver(
        request: kept, inheritsDefaults: isOfClient, collectsInMemory: options.destination.isMemory,
        clientOfflineStore: clientOfflineStore, source: source, automatic: automaticReplay,
        scheduler: runner.scheduler))
  }
}
