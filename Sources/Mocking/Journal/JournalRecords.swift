import Foundation
import Networking

/// What a journal holds: the last requests in a ring, as they came, and how often each route answered.
///
/// What is let go is returned, to be released after unlocking.
struct JournalRecords {
  /// A request as it came; nothing of it is worked out before somebody reads it.
  enum Source: Sendable {
    case wire(HTTPRequest, time: Duration)
    // Out of line, as it is large and most are of the other case.
    indirect case received(ReceivedRequest)
  }

  struct Record: Sendable {
    let number: Int
    var source: Source
    /// The number of the route that answers; nil for none.
    var route: Int?
    var outcome: JournalEntry.Outcome?
    /// How many bytes of a body are kept.
    var bodyBytes = 0
    var isVerified = false
  }

  private let limits: JournalLimits
  private var ring: [Record] = []
  /// How many requests there have been.
  private(set) var count = 0
  private var bodyBytes = 0
  /// The requests before this number keep no body.
  private var firstWithBody = 0
  private(set) var uses: [Int]
  /// The number of the first route that has not been replaced.
  private(set) var firstRoute = 0
  /// How often all has been forgotten.
  private(set) var generation = 0

  init(limits: JournalLimits, routeCount: Int) {
    self.limits = limits
    uses = Array(repeating: 0, count: routeCount)
  }

  private var capacity: Int { max(limits.requests, 1) }

  /// The number of the oldest request remembered, from 0.
  var first: Int { count - ring.count }

  /// Those remembered, in order.
  var records: [Record] {
    let oldest = ring.count < capacity ? 0 : count % capacity
    return Array(ring[oldest...] + ring[..<oldest])
  }

  private func index(of number: Int) -> Int? {
    number >= first && number < count ? number % capacity : nil
  }

  /// Takes a request in; returns its number, from 0, and what has been let go for it: the request whose
  /// place it has, and bodies of others.
  mutating func record(
    _ source: Source, route: Int?
  ) -> (number: Int, replaced: Record?, released: [Source]) {
    var record = Record(number: count, source: source, route: route)
    if let route, uses.indices.contains(route) { uses[route] += 1 }
    var replaced: Record?
    let size = source.bodyByteCount
    if size > limits.bodyBytes {
      record.source = source.withoutBody
    } else {
      record.bodyBytes = size
    }
    if ring.count < capacity {
      ring.append(record)
    } else {
      swap(&ring[count % capacity], &record)
      bodyBytes -= record.bodyBytes
      replaced = record
    }
    bodyBytes += ring[count % capacity].bodyBytes
    count += 1
    return (count - 1, replaced, letBodiesGo())
  }

  private mutating func letBodiesGo() -> [Source] {
    var released: [Source] = []
    while bodyBytes > limits.bodyBytes, firstWithBody < count {
      if let index = index(of: firstWithBody), ring[index].bodyBytes > 0 {
        bodyBytes -= ring[index].bodyBytes
        released.append(ring[index].source)
        ring[index].source = ring[index].source.withoutBody
        ring[index].bodyBytes = 0
      }
      firstWithBody = max(firstWithBody + 1, first)
    }
    return released
  }

  /// Takes other routes in, in place of those there are; returns the number of the first.
  mutating func replaceRoutes(count: Int) -> Int {
    firstRoute = uses.count
    uses += Array(repeating: 0, count: count)
    return firstRoute
  }

  /// What has been passed on stays so, whatever comes of it there; what has been forgotten is no matter.
  mutating func settle(_ number: Int, of generation: Int, _ outcome: JournalEntry.Outcome) {
    guard generation == self.generation, let index = index(of: number),
      ring[index].outcome != .passedThrough
    else { return }
    ring[index].outcome = outcome
  }

  mutating func markVerified(_ numbers: [Int]) {
    for number in numbers {
      if let index = index(of: number) { ring[index].isVerified = true }
    }
  }

  /// Forgets all, so that the numbers begin anew; returns what has been let go.
  mutating func reset() -> [Record] {
    let (released, first, next) = (ring, firstRoute, generation + 1)
    self = JournalRecords(limits: limits, routeCount: uses.count)
    firstRoute = first
    generation = next
    return released
  }
}

extension JournalRecords.Source {
  /// How many bytes of a body it keeps in memory.
  var bodyByteCount: Int {
    switch self {
    case .received(let request): return request.body.count
    case .wire(let request, _):
      if case .data(let data) = request.body { return data.count }
      return 0
    }
  }

  /// The same without a body, which is still counted.
  var withoutBody: Self {
    switch self {
    case .received(var request):
      request.body = Data()
      return .received(request)
    case .wire(let request, let time):
      return .received(request.receivedWithoutBody(at: time))
    }
  }

  /// The request, worked out.
  func request(_ number: Int) -> ReceivedRequest {
    switch self {
    case .received(let request): return request
    case .wire(let request, let time):
      guard let received = try? request.received(request.receivedPath, number: number, at: time)
      else { return request.receivedWithoutBody(at: time) }
      return received
    }
  }
}

extension HTTPBody {
  /// Whether a journal keeps it where nobody else reads it: what is in memory, and else up to 1 MiB.
  var isKept: Bool {
    switch self {
    case .none, .data: true
    case .file, .pieces, .stream: (byteCount ?? .max) <= 1 << 20
    }
  }
}

extension HTTPRequest {
  /// This request with its body in memory, if that is a file of up to 1 MiB, and with no body otherwise
  /// than in memory: what a journal can read later.
  func source(at time: Duration) -> JournalRecords.Source {
    switch body {
    case .none, .data: return .wire(self, time: time)
    case .file, .pieces, .stream: break
    }
    if body.isKept, let received = try? received(receivedPath, number: 0, at: time) {
      return .received(received)
    }
    return .received(receivedWithoutBody(at: time))
  }

  /// The path with no variables.
  var receivedPath: ReceivedPath {
    let target = RequestTarget(target)
    return ReceivedPath(
      text: target.map { String($0.path) } ?? self.target, target?.segments ?? [])
  }

  fileprivate func receivedWithoutBody(at time: Duration) -> ReceivedRequest {
    let size = Int(body.byteCount ?? 0)
    return ReceivedRequest(
      method: method, target: target, path: receivedPath, headers: headers, trailers: [:],
      body: Data(), bodyByteCount: size, version: "1.1", connection: 0, exchange: 0, time: time)
  }
}

/// A journal at one moment, as a verification looks at it.
struct JournalSnapshot {
  struct Seen {
    let entry: JournalEntry
    /// Whether an earlier verification has covered it.
    let isVerified: Bool
  }

  let entries: [Seen]
  let forgottenCount: Int
  /// The descriptions of the routes that have not answered.
  let unused: [String]
  let routeCount: Int
  /// The segments of the base URL's path; nil when there is none.
  let base: [String]?

  func matching(_ pattern: RequestPattern) -> [JournalEntry] {
    entries.map(\.entry).filter { pattern.matches($0.request, base: base) }
  }

  /// The request that comes nearest to a pattern without matching it; of equals the last.
  func nearest(to pattern: RequestPattern) -> JournalEntry? {
    entries.map(\.entry)
      .filter { !pattern.matches($0.request, base: base) }
      .map { (pattern.distance(from: $0.request, base: base), $0) }
      .reversed()
      .min { $0.0 < $1.0 }?.1
  }
}
