import Promises

extension OfflineStore {
  /// Sends what is kept, in the order of each queue.
  ///
  /// An entry that was answered leaves the store, and so does one that was refused for good: by a
  /// status of 400 to 499, but those that follow, or by an error that has nothing to do with the way to the server. It stays
  /// when it failed on that way, was cancelled, or was answered by 401, 407, 408, 425, 429 or 500 and above; then
  /// the later ones of its queue wait for another replay. What has expired is removed unsent; what is
  /// no entry, or not as it was written, is set aside. Requests that are kept meanwhile are for
  /// the next replay.
  ///
  /// One replay of a store is under way at a time, over all processes.
  ///
  /// - Parameters:
  ///   - concurrency: how many queues are sent from at once; at least 1.
  ///   - scheduler: whose time the work belongs to; a test's waits for it to be done.
  ///   - progress: called after each outcome, one at a time and in their order, on the store's own
  ///     queue, which waits for it.
  ///   - send: sends an entry's request, with its idempotency key, to its base URL, with such
  ///     credentials as are in force; called on the store's own queue, at most once a replay for each
  ///     entry. Throwing is failing.
  /// - Returns: a promise of the report, on the main context, rejected with a ``NetworkError`` of the
  ///   code `offlineStoreBusy` when another replay is under way, or `offlineStoreFailed`. Cancelling it
  ///   cancels what is being sent, all of which stays in the store.
  public func replay(
    concurrency: Int = 4, scheduler: any Scheduler = .live,
    progress: @escaping @Sendable (_ progress: Progress) -> Void = { _ in },
    _ send: @escaping @Sendable (_ entry: Entry) throws -> NetworkPromise
  ) -> Promise<Report> {
    replay(
      concurrency: concurrency, scheduler: scheduler,
      judging: { result, _ in OfflineVerdict(result) }, progress: progress, send: send)
  }

  /// The same with a judge of one's own.
  ///
  /// - Parameters:
  ///   - concurrency: how many queues are sent from at once; at least 1.
  ///   - scheduler: whose time the work belongs to.
  ///   - judge: says what an outcome means for its entry.
  ///   - progress: called after each outcome.
  ///   - send: sends an entry's request.
  /// - Returns: a promise of the report.
  func replay(
    concurrency: Int, scheduler: any Scheduler, judging judge: @escaping OfflineReplay.Judge,
    progress: @escaping @Sendable (_ progress: Progress) -> Void,
    send: @escaping @Sendable (_ entry: Entry) throws -> NetworkPromise
  ) -> Promise<Report> {
    let context = scheduler.context(for: .queue(queue))
    return Promise.fulfilled(())
      .then(on: context) { [self] in
        guard let lock = try files.replayLock() else { throw NetworkError(.offlineStoreBusy) }
        let replay = OfflineReplay(
          self, lock, on: context, judging: judge, progress: progress, send: send)
        return try replay.start(concurrency: max(1, concurrency))
      }
      .on(scheduler.context(for: .main))
  }
}
