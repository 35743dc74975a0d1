import Networking
import Synchronization

/// What a provider, a transport or a server has been asked, in order.
///
/// ```swift
/// for entry in provider.journal.entries { print(entry) }
/// // 1. GET /v1/boards?page=1, answered 200 by GET /boards
/// ```
///
/// A request is in it before its answer begins, each attempt and each redirect by itself. Of a
/// ``MockProvider`` made of a closure only what the closure had an answer for is in it: what it returned
/// nil for never came by. Keeping the journal costs next to nothing: bodies are shared, not copied, and
/// nothing is worked out before it is read. What is kept is bounded by ``JournalLimits``.
///
/// Everything may be called from any thread. Copies of a provider or transport share one journal.
public final class RequestJournal: Sendable {
  private let records: Mutex<JournalRecords>
  /// Those that have been replaced among them, since old entries name them.
  private let routes: Mutex<[Route]>
  /// The path of the base URL that relative patterns start from, asked when they are used.
  private let basePath: @Sendable () -> String?

  init(
    limits: JournalLimits, routes: [Route] = [],
    basePath: @escaping @Sendable () -> String? = { nil }
  ) {
    records = Mutex(JournalRecords(limits: limits, routeCount: routes.count))
    self.routes = Mutex(routes)
    self.basePath = basePath
  }

  /// The requests remembered, in order.
  public var entries: [JournalEntry] {
    records.withLock { $0.records }.map(entry)
  }

  /// How many requests there have been, those forgotten included.
  public var count: Int { records.withLock { $0.count } }

  /// How many requests have been forgotten for the sake of ``JournalLimits/requests``.
  public var forgottenCount: Int { records.withLock { $0.first } }

  /// Forgets all requests, which of them have been verified, and which stubs have been used.
  public func reset() {
    withExtendedLifetime(records.withLock { $0.reset() }) {}
  }

  // MARK: Writing

  /// Takes a request in.
  ///
  /// - Parameters:
  ///   - source: the request.
  ///   - route: the number of the route that answers it; nil for none.
  /// - Returns: by which to say what has come of it.
  func record(_ source: JournalRecords.Source, route: Int? = nil) -> JournalTicket {
    let (recorded, generation) = records.withLock {
      ($0.record(source, route: route), $0.generation)
    }
    defer { withExtendedLifetime(recorded) {} }
    return JournalTicket(
      journal: self, number: recorded.number, generation: generation, route: route)
  }

  func settle(_ number: Int, of generation: Int, _ outcome: JournalEntry.Outcome) {
    records.withLock { $0.settle(number, of: generation, outcome) }
  }

  /// Has other routes answer from now on; returns the number of the first.
  func replaceRoutes(with new: [Route]) -> Int {
    routes.withLock { routes in
      routes += new
      return records.withLock { $0.replaceRoutes(count: new.count) }
    }
  }

  // MARK: Verifying

  /// All that a verification looks at, as it is at this moment.
  func snapshot() -> JournalSnapshot {
    let (routes, state) = routes.withLock { routes in (routes, records.withLock { $0 }) }
    let current = zip(routes, state.uses).dropFirst(state.firstRoute)
    return JournalSnapshot(
      entries: state.records.map { .init(entry: entry($0), isVerified: $0.isVerified) },
      forgottenCount: state.first,
      unused: current.filter { $0.1 == 0 }.map { $0.0.description },
      routeCount: routes.count - state.firstRoute, base: basePath().map(Self.segments))
  }

  func markVerified(_ entries: [JournalEntry]) {
    records.withLock { $0.markVerified(entries.map { $0.number - 1 }) }
  }

  private func entry(_ record: JournalRecords.Record) -> JournalEntry {
    let routes = routes.withLock { $0 }
    return JournalEntry(
      number: record.number + 1, request: record.source.request(record.number),
      stub: record.route.flatMap { routes.indices.contains($0) ? routes[$0].description : nil },
      outcome: record.outcome)
  }

  private static func segments(of path: String) -> [String] {
    let segments = RequestTarget(path)?.segments ?? []
    return segments.filter { !$0.isEmpty }
  }
}

/// What a ``RequestJournal`` remembers of one request.
public struct JournalEntry: Sendable, Hashable {
  /// What has come of a request.
  public enum Outcome: Sendable, Hashable {
    /// It was answered by a response of this status, of which at least the head has been given.
    case response(status: Int)
    /// It came to nothing: by a mock, for want of one, or because it was cancelled or timed out.
    case failure(NetworkError.Code)
    /// It went on to the real network, or to a fallback.
    case passedThrough
  }

  /// Which request it is, counted from 1 and on beyond those forgotten.
  public let number: Int
  /// The request; each attempt and each redirect of a call is one of its own.
  ///
  /// Its body is empty where it was not kept, while ``ReceivedRequest/bodyByteCount`` says how much there
  /// was.
  public let request: ReceivedRequest
  /// The route that answered, described by its method, its template and its conditions.
  ///
  /// Nil where no route did: there was none, or the answer came from a provider's closure.
  public let stub: String?
  /// What has come of it; nil while it is under way.
  public let outcome: Outcome?
}

extension JournalEntry: CustomStringConvertible {
  /// Number, method, target, outcome and stub in one line, without secrets.
  public var description: String {
    let outcome =
      switch outcome {
      case .response(let status): "answered \(status)"
      case .failure(let code): "failed: \(code)"
      case .passedThrough: "passed on"
      case nil: "under way"
      }
    let stub = stub.map { " by \($0)" } ?? ""
    return "\(number). \(request.summary), \(ReportFormatter.bounded(outcome + stub))"
  }
}

extension ReceivedRequest {
  /// Method and target in one line, without secrets.
  var summary: String {
    let target = Redactor.standard.maskedURL(target)
    return "\(ReportFormatter.bounded(method.rawValue)) \(ReportFormatter.bounded(target))"
  }
}

/// By which who answers a request tells the journal what has come of it.
struct JournalTicket: Sendable {
  let journal: RequestJournal
  let number: Int
  /// Of the journal; after a reset the number may be another request's.
  let generation: Int
  /// The number of the route that answers; nil for none.
  let route: Int?

  func settle(_ outcome: JournalEntry.Outcome) {
    journal.settle(number, of: generation, outcome)
  }

  /// The same receiver, with the journal told of the head and of a failure before it is.
  func watching(
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> @Sendable (TransportEvent) -> Void {
    { event in
      switch event {
      case .head(let head): settle(.response(status: head.status))
      case .failure(let failure): settle(.failure(failure.code))
      case .connected, .servedLocally, .sent, .body, .end: break
      }
      receive(event)
    }
  }
}

/// How much a ``RequestJournal`` keeps.
public struct JournalLimits: Sendable, Hashable {
  /// How many requests are remembered; the oldest are forgotten first.
  ///
  /// 10,000 unless set; at least one.
  public var requests: Int
  /// How many bytes of bodies are kept in all.
  ///
  /// Beyond that the oldest bodies are let go while their requests stay; a body that is larger by itself is
  /// not kept at all, and a file's is read for the journal up to 1 MiB. 64 MiB unless set.
  public var bodyBytes: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - requests: how many requests are remembered.
  ///   - bodyBytes: how many bytes of bodies are kept in all.
  public init(requests: Int = 10_000, bodyBytes: Int = 64 * 1024 * 1024) {
    self.requests = requests
    self.bodyBytes = bodyBytes
  }
}
