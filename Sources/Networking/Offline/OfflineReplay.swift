import CatenaSystem
import Promises

/// A single replay of a store.
///
/// Its steps run on the store's queue, one at a time, so that outcomes are ordered. Only the
/// sending of requests is concurrent.
///
/// The replay holds the lease until its report is made or it is deallocated. A cancelled replay holds the
/// lease until its last step has ended. No request is sent after another process has taken over the lease.
final class OfflineReplay: Sendable {
  typealias Entry = OfflineStore.Entry

  private struct State {
    var report = OfflineStore.Report()
    var completed = 0
    var total = 0
  }

  /// The options of a replay.
  struct Options: Sendable {
    /// The number of queues that are sent from concurrently.
    let concurrency: Int
    /// The scheduler that runs the work.
    let scheduler: any Scheduler
    /// The rules that decide which entries leave the store.
    let policy: ReplayPolicy
    /// A handler that is called after each outcome.
    let progress: @Sendable (_ progress: OfflineStore.Progress) -> Void
    /// A closure that sends the request of an entry.
    let send: @Sendable (_ entry: Entry) throws -> NetworkPromise
  }

  private let store: OfflineStore
  private let lease: FileLease
  private let options: Options
  private let context: ExecutionContext
  private let state = Mutex(State())

  init(_ store: OfflineStore, _ lease: FileLease, _ options: Options) {
    self.store = store
    self.lease = lease
    self.options = options
    context = options.scheduler.context(for: .queue(store.queue))
  }

  /// Moves invalid entries to quarantine and sends the others, queue by queue.
  func start() throws -> Promise<OfflineStore.Report> {
    let queues = try loadQueues()
    let limit = max(1, options.concurrency)
    return when(queues, concurrency: limit, file: "the replayed requests", line: 0) {
      [self] names in
      reduce(names, true, on: context) { shouldSend, name in self.replayEntry(name, shouldSend) }
    }
    .map(on: context) { [self] _ in
      lease.release()
      return state.withLock { $0.report }
    }
  }

  /// Returns the names of the entries of each queue, ordered by the first entry of each queue.
  private func loadQueues() throws -> [[EntryName]] {
    var names: [String: [EntryName]] = [:]
    var unrecognized: [FileName] = []
    var readErrors: [any Error] = []
    try store.directory.withExclusiveLock { _ in
      let found = try store.directory.list()
      unrecognized = found.unrecognized
      let summaries = store.summaries(of: found.names)
      for name in found.names {
        guard let summary = summaries[name] else { continue }
        // The queue of this entry is unknown, so it does not hold up any queue.
        if let readError = summary.readError {
          readErrors.append(readError)
          continue
        }
        names[summary.queue, default: []].append(name)
      }
    }
    let total = names.values.reduce(unrecognized.count + readErrors.count) { $0 + $1.count }
    state.withLock { $0.total = total }
    for name in unrecognized { quarantine(name, "the name is not a valid entry name") }
    for readError in readErrors { report(nil, .kept(readError)) }
    return names.values.sortedByPositions { $0[0] < $1[0] }
  }

  /// Processes one entry.
  ///
  /// - Returns: A promise of whether to send the later entries of its queue.
  private func replayEntry(_ name: EntryName, _ shouldSend: Bool) -> Promise<Bool> {
    do {
      guard var record = try store.directory.read(name) else {
        report(nil, .removed)
        return .fulfilled(shouldSend)
      }
      let now = store.clock()
      if record.lifespan.isImplausible(at: now) {
        record.lifespan = record.lifespan.restarted(at: now)
        // If this write fails, the next replay restarts the lifespan.
        rewrite(record)
      }
      let entry = store.entry(record)
      if record.lifespan.isExpired(at: now) {
        try remove(name)
        report(entry, .expired)
        return .fulfilled(shouldSend)
      }
      guard shouldSend else {
        report(entry, .kept(nil))
        return .fulfilled(false)
      }
      try store.directory.verifyFiles(of: record, name)
      if let loss = lossOfLease() {
        report(entry, .kept(loss))
        return .fulfilled(false)
      }
      return settled([firstly { try options.send(entry) }])
        .then(on: context) { [self, record] results in
          apply(record, entry, results.first.map { options.policy.outcome(of: entry, $0) })
        }
    } catch let corruption as CorruptEntryError {
      quarantine(name.fileName, corruption.reason)
      return .fulfilled(shouldSend)
    } catch {
      report(nil, .kept(error))
      return .fulfilled(false)
    }
  }

  /// Applies the outcome of an entry that was sent.
  ///
  /// - Returns: Whether to send the later entries of its queue.
  private func apply(
    _ record: EntryRecord, _ entry: Entry, _ outcome: OfflineStore.Outcome?
  ) -> Bool {
    do {
      switch outcome {
      case .delivered, .failed: try remove(entry.name)
      case .kept:
        // A failure to write is ignored: only the count is lost.
        var record = record
        record.attempts += 1
        rewrite(record)
      case .expired, .quarantined, .removed, nil: return false
      }
      guard let outcome else { return false }
      report(entry, outcome)
      if case .kept = outcome { return false }
      return true
    } catch {
      // The removal failed, so the request will be sent again. Sending it twice is better than
      // losing it.
      report(entry, .kept(error))
      return false
    }
  }

  /// Renews the lease.
  ///
  /// - Returns: The error, if another process has taken over the lease or its file cannot be used.
  private func lossOfLease() -> (any Error)? {
    do {
      try NetworkError.reporting(.offlineStoreFailed) { try lease.renew() }
      return nil
    } catch {
      return error is FileLease.Lost ? NetworkError(.offlineStoreBusy) : error
    }
  }

  private func remove(_ name: EntryName) throws {
    _ = try store.directory.withExclusiveLock { _ in try store.directory.remove(name) }
  }

  private func rewrite(_ record: EntryRecord) {
    try? store.directory.withExclusiveLock { _ in try store.directory.rewrite(record) }
  }

  /// Moves an invalid entry to quarantine, or reports the error if that fails.
  private func quarantine(_ name: FileName, _ reason: String) {
    do {
      let location = try store.directory.withExclusiveLock { _ in
        try store.directory.moveToQuarantine(name)
      }
      report(nil, .quarantined(OfflineStore.QuarantinedFile(location: location, reason: reason)))
    } catch {
      report(nil, .kept(error))
    }
  }

  private func report(_ entry: Entry?, _ outcome: OfflineStore.Outcome) {
    let (completed, total) = state.withLock { state in
      state.report.add(entry, outcome)
      state.completed += 1
      return (state.completed, state.total)
    }
    options.progress(
      OfflineStore.Progress(completed: completed, total: total, entry: entry, outcome: outcome))
  }
}

extension OfflineStore.Report {
  fileprivate mutating func add(
    _ entry: OfflineStore.Entry?, _ outcome: OfflineStore.Outcome
  ) {
    switch (outcome, entry) {
    case (.delivered, let entry?): delivered.append(entry)
    case (.failed(let error), let entry?):
      failed.append(OfflineStore.FailedEntry(entry: entry, error: error))
    case (.kept(let error), let entry?):
      kept.append(OfflineStore.UnsentEntry(entry: entry, error: error))
    case (.expired, let entry?): expired.append(entry)
    case (.quarantined(let file), _): quarantined.append(file)
    case (.kept(let error?), nil): errors.append(error)
    default: break
    }
  }
}
