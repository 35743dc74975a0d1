import Foundation
import Promises
import Synchronization

/// One replay of a store: its steps run on the store's queue, one at a time, so that outcomes have an
/// order; only what is being sent is under way meanwhile.
///
/// It has the lock of replays for as long as it lives, or until its report is made: one that is
/// cancelled keeps it until the last of its steps is over.
final class OfflineReplay: Sendable {
  typealias Entry = OfflineStore.Entry
  typealias DecisionHandler = @Sendable (Result<Response, any Error>, Entry) -> ReplayDecision

  private struct State: ~Copyable {
    /// Nil once the report is made.
    var lock: FileLock?
    var report = OfflineStore.Report()
    var completed = 0
    var total = 0
  }

  private let store: OfflineStore
  private let context: ExecutionContext
  private let decide: DecisionHandler
  private let progress: @Sendable (OfflineStore.Progress) -> Void
  private let send: @Sendable (Entry) throws -> NetworkPromise
  private let state: Mutex<State>

  init(
    _ store: OfflineStore, _ lock: consuming FileLock, on context: ExecutionContext,
    decidingWith decide: @escaping DecisionHandler,
    progress: @escaping @Sendable (OfflineStore.Progress) -> Void,
    send: @escaping @Sendable (Entry) throws -> NetworkPromise
  ) {
    self.store = store
    self.context = context
    self.decide = decide
    self.progress = progress
    self.send = send
    state = Mutex(State(lock: lock))
  }

  /// Sets aside what is no entry, and sends the rest, queue by queue.
  func start(concurrency: Int) throws -> Promise<OfflineStore.Report> {
    let queues = try loadQueues()
    return when(queues, concurrency: concurrency) { [self] names in
      reduce(names, true, on: context) { isOnline, name in self.replayEntry(name, isOnline) }
    }
    .map(on: context) { [self] _ in
      state.withLock { state in
        state.lock = nil
        return state.report
      }
    }
  }

  /// The names of the entries, queue by queue, the queues in the order of their first.
  private func loadQueues() throws -> [[EntryName]] {
    var queues: [String] = []
    var names: [String: [EntryName]] = [:]
    var unrecognized: [FileName] = []
    var problems: [any Error] = []
    try store.files.withExclusiveLock { _ in
      let found = try store.files.list()
      unrecognized = found.unrecognized
      let summaries = store.summaries(of: found.names)
      for name in found.names {
        guard let summary = summaries[name] else { continue }
        // Nobody knows whose order it is part of, so it holds up none.
        if let problem = summary.problem {
          problems.append(problem)
          continue
        }
        let queue = summary.queue
        if names[queue] == nil { queues.append(queue) }
        names[queue, default: []].append(name)
      }
    }
    let total = names.values.reduce(unrecognized.count + problems.count) { $0 + $1.count }
    state.withLock { $0.total = total }
    for name in unrecognized { quarantine(name, "it is not called like an entry") }
    for problem in problems { finish(nil, .kept(problem)) }
    return queues.compactMap { names[$0] }
  }

  /// Handles one entry.
  ///
  /// - Returns: a promise of whether the later ones of its queue are to be tried.
  private func replayEntry(_ name: EntryName, _ isOnline: Bool) -> Promise<Bool> {
    do {
      guard var record = try store.files.read(name) else {
        finish(nil, .removed)
        return .fulfilled(isOnline)
      }
      let now = store.clock()
      if record.lifespan.isImplausible(at: now) {
        record.lifespan = record.lifespan.beginning(at: now)
        // Where it cannot be written, the next replay does it.
        try? store.files.withExclusiveLock { [record] _ in try store.files.rewrite(record, name) }
      }
      let entry = store.entry(record)
      if record.lifespan.isExpired(at: now) {
        try remove(name)
        finish(entry, .expired)
        return .fulfilled(isOnline)
      }
      guard isOnline else {
        finish(entry, .kept(nil))
        return .fulfilled(false)
      }
      try store.files.verifyFiles(of: record, name)
      return settled([firstly { try send(entry) }])
        .then(on: context) { [self, record] results in
          finish(record, entry, results.first.map { decide($0, entry) })
        }
    } catch let corruption as CorruptEntryError {
      quarantine(name.fileName, corruption.reason)
      return .fulfilled(isOnline)
    } catch {
      finish(nil, .kept(error))
      return .fulfilled(false)
    }
  }

  /// Does as an outcome wants it.
  ///
  /// - Returns: whether the later ones of its queue are to be tried.
  private func finish(_ record: EntryRecord, _ entry: Entry, _ verdict: ReplayDecision?) -> Bool {
    do {
      switch verdict {
      case .delivered(let response):
        try remove(entry.name)
        finish(entry, .delivered(response))
        return true
      case .failed(let error):
        try remove(entry.name)
        finish(entry, .failed(error))
        return true
      case .kept(let error):
        recordAttempt(record)
        finish(entry, .kept(error))
        return false
      case nil: return false
      }
    } catch {
      // It was sent, and will be again, as it could not be removed: better twice than never.
      finish(entry, .kept(error))
      return false
    }
  }

  private func remove(_ name: EntryName) throws {
    _ = try store.files.withExclusiveLock { _ in try store.files.remove(name) }
  }

  /// Counts an attempt.
  ///
  /// A full disk keeps it from being counted, and nothing else.
  private func recordAttempt(_ record: EntryRecord) {
    var record = record
    record.attempts += 1
    let name = EntryName(number: record.number, key: record.key)
    try? store.files.withExclusiveLock { [record] _ in try store.files.rewrite(record, name) }
  }

  /// Sets aside what is no entry, or reports that it cannot be.
  private func quarantine(_ name: FileName, _ reason: String) {
    do {
      let location = try store.files.withExclusiveLock { _ in try store.files.setAside(name) }
      finish(nil, .quarantined(OfflineStore.QuarantinedFile(location: location, reason: reason)))
    } catch {
      finish(nil, .kept(error))
    }
  }

  private func finish(_ entry: Entry?, _ outcome: OfflineStore.Outcome) {
    let (completed, total) = state.withLock { state in
      state.report.recordAttempt(entry, outcome)
      state.completed += 1
      return (state.completed, state.total)
    }
    progress(
      OfflineStore.Progress(completed: completed, total: total, entry: entry, outcome: outcome))
  }
}

extension OfflineStore.Report {
  fileprivate mutating func recordAttempt(
    _ entry: OfflineStore.Entry?, _ outcome: OfflineStore.Outcome
  ) {
    switch (outcome, entry) {
    case (.delivered, let entry?): delivered.append(entry)
    case (.failed(let error), let entry?):
      failed.append(OfflineStore.UnsentEntry(entry: entry, error: error))
    case (.kept(let error), let entry?):
      kept.append(OfflineStore.UnsentEntry(entry: entry, error: error))
    case (.expired, let entry?): expired.append(entry)
    case (.quarantined(let what), _): quarantined.append(what)
    case (.kept(let error?), nil): errors.append(error)
    default: break
    }
  }
}

/// What the outcome of sending an entry means for it.
///
///     an answer of 408, 425, 429 or 5xx            kept: the server asks for another try
///     an answer of 401 or 407                      kept: the credentials may be stale, the request is not
///     any other 4xx                                failed
///     any other answer                             delivered
///     failed on the way, timed out, cancelled      kept
///     without a mocked answer                      kept: no server has seen it
///     failed in any other way                      failed
///
/// Source: RFC 9110 section 15, RFC 8470 section 5.2 (425), RFC 6585 section 4 (429).
enum ReplayDecision {
  case delivered(Response)
  case failed(any Error)
  case kept(any Error)

  init(_ result: Result<Response, any Error>) {
    switch result {
    case .success(let response):
      let error = NetworkError(.unacceptableStatus(response.status), response)
      self = Self.of(response.status, error) ?? .delivered(response)
    case .failure(let error as NetworkError):
      if case .unacceptableStatus(let status) = error.code {
        self = Self.of(status, error) ?? .failed(error)
      } else {
        let isUndecided =
          error.code.isConnectionOrTLSFailure || error.code == .mockFailed || error.isCancellation
        self = isUndecided ? .kept(error) : .failed(error)
      }
    case .failure(let error):
      let isTimeout = if case PromiseError.timedOut = error { true } else { false }
      self = isTimeout || error.isCancellation ? .kept(error) : .failed(error)
    }
  }

  private static func of(_ status: Int, _ error: NetworkError) -> ReplayDecision? {
    switch status {
    case 401, 407, 408, 425, 429, 500...599: .kept(error)
    case 400...499: .failed(error)
    default: nil
    }
  }
}

extension ReplayDecision {
  /// What the outcome of sending an entry through a client means for it.
  ///
  /// A client's request is fulfilled by any answer of its own. So what it is rejected with may be the
  /// failure of something that it depends on, such as a token's refresh or a hook of the user's, which
  /// is no verdict on the request itself: then it is kept.
  ///
  /// - Parameters:
  ///   - result: what the client's promise has come to.
  ///   - entry: what was sent.
  /// - Returns: the verdict.
  static func forClient(
    _ result: Result<Response, any Error>, _ entry: OfflineStore.Entry
  ) -> ReplayDecision {
    let verdict = ReplayDecision(result)
    guard case .failed(let error) = verdict, case .failure = result else { return verdict }
    guard let error = error as? NetworkError else { return .kept(error) }
    if case .unacceptableStatus = error.code, !concerns(entry, error) { return .kept(error) }
    return verdict
  }

  private static func concerns(_ entry: OfflineStore.Entry, _ error: NetworkError) -> Bool {
    guard let request = error.request, request.method == entry.request.method,
      let resource = try? OfflineStore.resource(entry.request, entry.baseURL)
    else { return false }
    return Redactor.standard.maskedURL(resource) == String(request.url.prefix { $0 != "?" })
  }
}
