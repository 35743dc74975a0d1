public import Foundation
public import Promises

extension OfflineStore {
  /// The result of a replay.
  public struct Report: Sendable {
    /// The entries that received a final response and left the store, in the order of the responses.
    public var delivered: [Entry] = []
    /// The entries that left the store undelivered, each with its error.
    ///
    /// The server has rejected them for good, they can never be encoded, or the ``ReplayPolicy`` has
    /// given them up.
    public var failed: [FailedEntry] = []
    /// The entries that are still in the store, each with its error.
    ///
    /// The error is `nil` if the entry was not sent because an earlier one of its queue was kept. Its
    /// code is `unacceptableStatus` for a response that is not final, and `redirectRefused` for the
    /// response of another resource, which ``NetworkError/response`` and ``NetworkError/body``
    /// contain.
    public var kept: [UnsentEntry] = []
    /// The entries that had expired and left the store without being sent.
    public var expired: [Entry] = []
    /// The files that are not valid entries and were moved to quarantine.
    public var quarantined: [QuarantinedFile] = []
    /// The disk errors of entries that could not be read or moved to quarantine.
    ///
    /// These entries are still in the store. If the queue of an unreadable entry is known, the
    /// later entries of that queue stay, too. A file that is not a valid entry does not hold up a
    /// queue.
    public var errors: [any Error] = []
  }

  /// An entry that left the store undelivered.
  public struct FailedEntry: Sendable {
    /// The entry.
    public let entry: Entry
    /// The error.
    public let error: any Error
  }

  /// An entry that is still in the store.
  public struct UnsentEntry: Sendable {
    /// The entry.
    public let entry: Entry
    /// The error, or `nil` if the request was not sent.
    public let error: (any Error)?
  }

  /// A file or folder that was found among the entries and is not a valid entry.
  public struct QuarantinedFile: Sendable, Hashable {
    /// The location of the file in quarantine.
    public let location: URL
    /// The reason why it is not a valid entry, as a clause such as "the checksum does not match".
    public let reason: String
  }

  /// The outcome of a replay for one entry.
  public enum Outcome: Sendable {
    /// It received a final response and left the store.
    case delivered(Response)
    /// It left the store undelivered.
    case failed(any Error)
    /// It is still in the store.
    ///
    /// The error is `nil` if it was not sent because an earlier entry of its queue was kept.
    case kept((any Error)?)
    /// It had expired and left the store without being sent.
    case expired
    /// It is not a valid entry and was moved to quarantine.
    case quarantined(QuarantinedFile)
    /// It was removed before the replay reached it.
    case removed
  }

  /// The progress of a replay after the outcome of an entry.
  public struct Progress: Sendable {
    /// The number of entries that have an outcome, including this one.
    public let completed: Int
    /// The number of entries at the start of the replay.
    public let total: Int
    /// The entry, or `nil` if it is not valid, was removed or cannot be read.
    public let entry: Entry?
    /// The outcome of the entry.
    public let outcome: Outcome
  }
}

extension OfflineStore {
  /// Sends the stored requests in the order of each queue.
  ///
  /// - **Final responses.** An entry leaves the store when it has a final response, or can never be
  ///   encoded: ``ReplayPolicy`` has the rules. It is in ``Report/delivered`` for a status below
  ///   400, and in ``Report/failed`` otherwise.
  /// - **Kept entries.** It stays after any other result, in ``Report/kept`` with the error. The
  ///   later entries of its queue then wait for another replay. Requests that are stored during the
  ///   replay wait for the next one, too.
  /// - **Expired entries** leave the store without being sent.
  /// - **Quarantine.** Files that are not valid entries, or are damaged, are moved to quarantine.
  /// - **One replay at a time** runs for a store, across all processes.
  ///
  /// - Parameters:
  ///   - concurrency: The number of queues that are sent from concurrently; at least 1.
  ///   - scheduler: The scheduler that runs the work. A test scheduler waits until it is done.
  ///   - policy: The rules that decide which entries leave the store.
  ///   - progress: A handler that is called after each outcome, one at a time and in order: on its
  ///     actor or, without one, on the store's own queue, where the replay waits for it.
  ///   - send: A closure that sends the request of an entry to its base URL, with its idempotency
  ///     key and the current credentials. It is called at most once for each entry, on its actor or,
  ///     without one, on the store's own queue. An error that it throws counts like one of the
  ///     promise.
  /// - Returns: A promise of the report, on the main context. It is rejected with a
  ///   ``NetworkError`` with the code `offlineStoreBusy` if another replay is running, or
  ///   `offlineStoreFailed`. Cancelling it cancels the requests that are being sent, which stay in
  ///   the store.
  public func replay(
    concurrency: Int = 4, scheduler: any Scheduler = .live, policy: ReplayPolicy = .standard,
    @_inheritActorContext progress:
      @escaping @Sendable @isolated(any) (_ progress: Progress) -> Void = { _ in },
    @_inheritActorContext _ send:
      @escaping @Sendable @isolated(any) (_ entry: Entry) throws -> NetworkPromise
  ) -> Promise<Report> {
    let (send, progress) = (IsolatedClosure(send), IsolatedClosure(progress))
    return replay(
      with: OfflineReplay.Options(
        concurrency: concurrency, scheduler: scheduler, policy: policy,
        progress: { progress.run($0, awaitedBy: scheduler) },
        send: { entry in try send.start(entry, awaitedBy: scheduler) }))
  }

  /// Sends the stored requests, with closures that inherit no actor.
  func replay(with options: OfflineReplay.Options) -> Promise<Report> {
    Promise.fulfilled(())
      .then(on: options.scheduler.context(for: .queue(queue))) { [self] in
        guard let lease = try directory.replayLease() else { throw NetworkError(.offlineStoreBusy) }
        return try OfflineReplay(self, lease, options).start()
      }
      .on(options.scheduler.context(for: .main))
  }
}
