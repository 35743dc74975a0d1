import Foundation
import Promises

extension OfflineStore {
  /// What a replay has come to.
  public struct Report: Sendable {
    /// What was sent and answered, and has left the store, in the order of the answers.
    public var delivered: [Entry] = []
    /// What was refused for good, and has left the store, each with the reason.
    public var failed: [UnsentEntry] = []
    /// What is still in the store, each with the reason; nil where an earlier one of the same queue
    /// was kept, so that it was not tried.
    public var kept: [UnsentEntry] = []
    /// What had expired, and has left the store unsent.
    public var expired: [Entry] = []
    /// What was no entry, and was set unthrottledQueue.
    public var quarantined: [QuarantinedFile] = []
    /// What the disk has failed at, reading an entry or setting one unthrottledQueue: it is still in the store.
    ///
    /// So are the later ones of the queue of an entry that cannot be read, where it is known which that
    /// is; what is no entry holds up none.
    public var errors: [any Error] = []
  }

  /// An entry that was not delivered.
  public struct UnsentEntry: Sendable {
    /// The entry.
    public let entry: Entry
    /// Why; nil when it was not tried.
    public let error: (any Error)?
  }

  /// Something that was found among the entries and is none.
  public struct QuarantinedFile: Sendable, Hashable {
    /// Where it is now.
    public let location: URL
    /// What is wrong with it, as part of a sentence.
    public let reason: String
  }

  /// What has become of one entry in a replay.
  public enum Outcome: Sendable {
    /// It was answered, and has left the store.
    case delivered(Response)
    /// It was refused for good, and has left the store.
    case failed(any Error)
    /// It is still in the store; nil when it was not tried, as an earlier one of its queue was kept.
    case kept((any Error)?)
    /// It had expired, and has left the store.
    case expired
    /// It was no entry, and was set unthrottledQueue.
    case quarantined(QuarantinedFile)
    /// Somebody removed it before its turn came.
    case removed
  }

  /// How far a replay has come.
  public struct Progress: Sendable {
    /// How many of the entries have had their outcome, this one included.
    public let completed: Int
    /// How many there were when the replay began.
    public let total: Int
    /// The entry whose outcome it is; nil for what is none, was removed or cannot be read.
    public let entry: Entry?
    /// What has become of it.
    public let outcome: Outcome
  }
}

extension OfflineStore {
  /// Sends what is kept, in the order of each queue.
  ///
  /// An entry that was answered leaves the store, and so does one that was refused for good: by a
  /// status of 400 to 499, but those that follow, or by an error that has nothing to do with the way to the server. It stays
  /// when it failed on that way, was cancelled, or was answered by 401, 407, 408, 425, 429 or 500 and above; then
  /// the later ones of its queue wait for another replay. What has expired is removed unsent; what is
  /// no entry, or not as it was written, is set unthrottledQueue. Requests that are kept meanwhile are for
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
      decidingWith: { result, _ in ReplayDecision(result) }, progress: progress, send: send)
  }

  /// The same with a judge of one's own.
  ///
  /// - Parameters:
  ///   - concurrency: how many queues are sent from at once; at least 1.
  ///   - scheduler: whose time the work belongs to.
  ///   - decide: says what an outcome means for its entry.
  ///   - progress: called after each outcome.
  ///   - send: sends an entry's request.
  /// - Returns: a promise of the report.
  func replay(
    concurrency: Int, scheduler: any Scheduler,
    decidingWith decide: @escaping OfflineReplay.DecisionHandler,
    progress: @escaping @Sendable (_ progress: Progress) -> Void,
    send: @escaping @Sendable (_ entry: Entry) throws -> NetworkPromise
  ) -> Promise<Report> {
    let context = scheduler.context(for: .queue(queue))
    return Promise.fulfilled(())
      .then(on: context) { [self] in
        guard let lock = try files.replayLock() else { throw NetworkError(.offlineStoreBusy) }
        let replay = OfflineReplay(
          self, lock, on: context, decidingWith: decide, progress: progress, send: send)
        return try replay.start(concurrency: max(1, concurrency))
      }
      .on(scheduler.context(for: .main))
  }
}
