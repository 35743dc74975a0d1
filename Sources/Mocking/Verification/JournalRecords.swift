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
      ring[index].outcome != .passedOn
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
