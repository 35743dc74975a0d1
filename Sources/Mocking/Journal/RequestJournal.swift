import CatenaSystem
import Networking
import Promises

/// A record of the requests that a provider, a transport or a server has received, in order.
///
/// ```swift
/// for entry in provider.journal.entries { print(entry) }
/// // 1. GET /v1/boards?page=1, status 200, stub GET /boards
/// ```
///
/// A request is recorded before its response starts. Each attempt and each redirect is recorded
/// separately. The journal does not contain requests that a ``MockServer`` rejects as malformed or
/// too large, nor requests that a ``MockProvider`` passes on because its closure returns `nil`.
///
/// Recording has a low cost: bodies are shared, not copied, and values are computed when they are
/// read. ``JournalLimits`` bounds the memory.
///
/// All members may be used from any thread. Copies of a provider or transport share one journal.
public final class RequestJournal: Sendable {
  private struct State {
    var records: JournalRecords
    var takeQueue = TakeQueue()
  }

  private let state: Mutex<State>
  /// The current routes, or `nil` if the backend has none.
  private let registry: Mutex<StubRegistry?>
  /// The receiver of changes, which the admin API sets.
  private let observer = Mutex<Observer?>(nil)
  private let isObserved = Atomic(false)

  init(limits: JournalLimits, registry: StubRegistry? = nil) {
    state = Mutex(State(records: JournalRecords(limits: limits)))
    self.registry = Mutex(registry)
  }

  // MARK: Reading

  /// The recorded requests with their stubs and outcomes, in order.
  public var entries: [JournalEntry] {
    state.withLock { $0.records.all }.map(entry)
  }

  /// The recorded requests, in order.
  var requests: [ReceivedRequest] {
    state.withLock { $0.records.all }.map { $0.request.received(number: $0.number) }
  }

  /// The number of requests recorded since the start or the last ``reset()``, discarded ones
  /// included.
  public var count: Int { state.withLock { $0.records.count } }

  /// The number of requests discarded because of ``JournalLimits/requests``.
  public var discardedCount: Int { state.withLock { $0.records.first } }

  /// Discards all requests, and marks all stubs as unused.
  ///
  /// The numbers start again from 1. Callers that wait for a request keep waiting for the next one.
  public func reset() {
    let routes = currentRoutes
    let discarded = state.withLock { state in
      state.takeQueue.reset()
      for route in routes { route.resetUses() }
      return state.records.reset()
    }
    withExtendedLifetime(discarded) {}
    notify(.reset)
  }

  // MARK: Recording

  /// Records a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The route that responds, or `nil` if there is none.
  /// - Returns: A reporter for the outcome of the request.
  func record(_ request: StoredRequest, route: RegisteredRoute? = nil) -> OutcomeReporter {
    let exchange = keepsResponses ? JournalExchange() : nil
    var record = JournalRecords.Record(request: request, route: route, exchange: exchange)
    let (added, generation) = state.withLock {
      ($0.records.add(&record), $0.records.generation)
    }
    // Released after unlocking, as is `record`, the one that has been replaced.
    defer { withExtendedLifetime(added) {} }
    notify(.changed(added.number, generation: generation))
    return OutcomeReporter(
      journal: self, number: added.number, generation: generation, route: route?.number,
      exchange: exchange)
  }

  /// Records a request, starts its response, and then makes the request available to
  /// ``takeRequest()``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: The route that responds, or `nil` if there is none.
  ///   - respond: Starts the response.
  /// - Returns: The result of the closure.
  func record<Result>(
    _ request: StoredRequest, route: RegisteredRoute? = nil,
    respond: (OutcomeReporter) -> Result
  ) -> Result {
    let reporter = record(request, route: route)
    defer { offer(reporter) }
    return respond(reporter)
  }

  func report(_ outcome: JournalEntry.Outcome, of number: Int, generation: Int) {
    state.withLock { $0.records.setOutcome(outcome, of: number, generation: generation) }
    notify(.changed(number, generation: generation))
  }

  // MARK: Observing

  /// The receiver of changes.
  ///
  /// A type of its own, because a mutex converts a closure to its generic form and back at each access: each
  /// conversion adds a call.
  private struct Observer: Sendable {
    let receive: @Sendable (JournalChange) -> Void
  }

  /// Whether the journal keeps responses and times, as it does while it is observed.
  var keepsResponses: Bool { isObserved.load(ordering: .acquiring) }

  /// Keeps the responses of further requests, and calls a closure after each change.
  ///
  /// - Parameter observer: The closure. It runs on the thread that records a request or sends a
  ///   response, and must not block. `nil` keeps no further responses.
  package func observe(_ observer: (@Sendable (JournalChange) -> Void)?) {
    let new = observer.map(Observer.init)
    let old = self.observer.withLock { current in
      defer { current = new }
      return current
    }
    isObserved.store(new != nil, ordering: .releasing)
    withExtendedLifetime(old) {}
  }

  func notify(_ change: JournalChange) {
    guard keepsResponses else { return }
    observer.withLock { $0 }?.receive(change)
  }

  /// Counts the bytes of a response body, and returns whether it may be kept.
  func keepsBody(_ byteCount: Int, of number: Int, generation: Int) -> Bool {
    let (isKept, removed) = state.withLock {
      $0.records.addResponseBytes(byteCount, of: number, generation: generation)
    }
    withExtendedLifetime(removed) {}
    return isKept
  }

  /// Returns the requests after a number that meet a condition, in order, up to a limit.
  ///
  /// - Parameters:
  ///   - number: The number of a request, from 1. 0 returns requests from the oldest one on.
  ///   - limit: The maximum number of requests.
  ///   - isIncluded: The condition.
  /// - Returns: The requests, each with its response if it is kept.
  package func details(
    after number: Int, limit: Int, where isIncluded: (JournalEntry) -> Bool = { _ in true }
  ) -> [JournalDetail] {
    let records = state.withLock { $0.records }
    var details: [JournalDetail] = []
    for next in max(number, records.first)..<max(records.count, number, records.first)
    where details.count < limit {
      guard let record = records[next] else { continue }
      let detail = JournalDetail(entry: entry(record), exchange: record.exchange?.values)
      if isIncluded(detail.entry) { details.append(detail) }
    }
    return details
  }

  /// Returns the request with a number, from 1, or `nil` if it has been discarded.
  package func detail(_ number: Int) -> JournalDetail? {
    state.withLock { $0.records[number - 1] }.map {
      JournalDetail(entry: entry($0), exchange: $0.exchange?.values)
    }
  }

  /// Sets the routes whose uses are verified.
  func setRegistry(_ registry: StubRegistry) {
    self.registry.withLock { $0 = registry }
  }

  private var currentRoutes: [RegisteredRoute] { registry.withLock { $0 }?.entries ?? [] }

  // MARK: Taking requests

  /// Makes a recorded request available to ``takeRequest()``.
  ///
  /// A no-op if the journal has been reset since the request was recorded.
  ///
  /// - Parameters:
  ///   - reporter: The reporter that ``record(_:route:)`` returned for the request.
  ///   - whole: The request with its whole body, for a caller that waits for it. `nil` has the body that
  ///     the journal keeps.
  func offer(_ reporter: OutcomeReporter, whole: @autoclosure () -> ReceivedRequest? = nil) {
    let number = reporter.number
    var stored: StoredRequest?
    let offer = state.withLock { state -> TakeQueue.Offer? in
      guard state.records.generation == reporter.generation else { return nil }
      let offer = state.takeQueue.offer(number, oldest: state.records.first)
      if offer.waiter != nil { stored = state.records[number]?.request }
      return offer
    }
    if let waiter = offer?.waiter, let request = whole() ?? stored?.received(number: number) {
      waiter.fulfill(request)
    }
    withExtendedLifetime(offer) {}
  }

  /// Takes the next available request that has not been taken, when there is one.
  ///
  /// Discarded requests are skipped.
  func takeRequest() -> Promise<ReceivedRequest> {
    WaiterList.promise { resolver in
      state.withLock { state in
        while let number = state.takeQueue.next() {
          guard let record = state.records[number] else { continue }
          return .settled(.success(record.request.received(number: number)))
        }
        return state.takeQueue.wait(resolver)
      }
    } cancel: { [weak self] id in
      let dropped = self?.state.withLock { $0.takeQueue.cancel(id) }
      withExtendedLifetime(dropped) {}
    }
  }

  /// Whether a caller waits for the next request.
  var isAwaited: Bool { state.withLock { $0.takeQueue.isAwaited } }

  /// Rejects all promises that wait for a request, now and in the future.
  func stopTaking() {
    for waiter in state.withLock({ $0.takeQueue.stop() }) { waiter.reject(MockServerError.stopped) }
  }

  // MARK: Verifying

  /// Returns a consistent snapshot of the journal for a verification.
  func snapshot() -> JournalSnapshot {
    let routes = currentRoutes
    let (records, unused) = state.withLock { state in
      // A resource has routes for operations that a test does not need.
      (state.records, routes.filter { $0.useCount == 0 && $0.route.resources.storage == nil })
    }
    return JournalSnapshot(
      entries: records.all.map { .init(entry: entry($0), isVerified: $0.isVerified) },
      discardedCount: records.first,
      unusedRoutes: unused.sorted { $0.number < $1.number }.map(\.route.description),
      routeCount: routes.count)
  }

  func markVerified(_ entries: [JournalEntry]) {
    state.withLock { $0.records.markVerified(entries.map { $0.number - 1 }) }
  }

  private func entry(_ record: JournalRecords.Record) -> JournalEntry {
    JournalEntry(
      number: record.number + 1, request: record.request.received(number: record.number),
      stub: record.route?.route.description, route: record.route?.id, outcome: record.outcome)
  }
}

extension RequestJournal: BrieflyDescribed {
  /// The number of received requests: `RequestJournal(requests: 2)`.
  public var description: String { "RequestJournal(requests: \(count))" }
}
