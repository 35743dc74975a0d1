/// The contents of a journal: the latest requests in a ring buffer.
///
/// Methods return the values that they remove, so that the caller releases them after unlocking.
struct JournalRecords {
  struct Record: Sendable {
    /// The number of the request, from 0.
    fileprivate(set) var number = 0
    var request: StoredRequest
    /// The route that responds, or `nil` if there is none.
    let route: RegisteredRoute?
    var outcome: JournalEntry.Outcome?
    /// The number of body bytes kept.
    var bodyBytes = 0
    var isVerified = false
    /// The response and the times, if the journal keeps them.
    var exchange: JournalExchange?
  }

  private let limits: JournalLimits
  private var ring: [Record] = []
  /// The number of requests recorded since the last reset, discarded ones included.
  private(set) var count = 0
  private var bodyBytes = 0
  /// The number of the oldest request that may have a body.
  private var firstWithBody = 0
  /// The number of resets.
  private(set) var generation = 0

  init(limits: JournalLimits) {
    self.limits = limits
  }

  private var capacity: Int { max(limits.requests, 1) }

  /// The number of the oldest request that is kept, from 0.
  var first: Int { count - ring.count }

  /// The requests that are kept, in order.
  var all: [Record] {
    let oldest = ring.count < capacity ? 0 : count % capacity
    return Array(ring[oldest...] + ring[..<oldest])
  }

  /// The request with this number, or `nil` if it has been discarded.
  subscript(number: Int) -> Record? {
    index(of: number).map { ring[$0] }
  }

  private func index(of number: Int) -> Int? {
    number >= first && number < count ? number % capacity : nil
  }

  /// Adds a request, and counts the use of its route.
  ///
  /// - Parameter record: The request without a number. Afterwards the record that it replaces, if any.
  /// - Returns: The number of the request from 0, and the requests whose bodies have been removed, with
  ///   their bodies.
  mutating func add(_ record: inout Record) -> (number: Int, withBody: [StoredRequest]) {
    record.number = count
    record.route?.countUse()
    let size = record.request.bodyByteCount
    if size > limits.largestBody {
      record.request = record.request.withoutBody
    } else {
      record.bodyBytes = size
    }
    bodyBytes += record.bodyBytes
    if ring.count < capacity {
      ring.append(record)
    } else {
      swap(&ring[count % capacity], &record)
      bodyBytes -= record.bodyBytes
    }
    count += 1
    return (count - 1, removeOldestBodies())
  }

  /// Removes the oldest bodies until the remaining ones are within the limit.
  private mutating func removeOldestBodies() -> [StoredRequest] {
    var removed: [StoredRequest] = []
    while bodyBytes > limits.bodyBytes, firstWithBody < count {
      if let index = index(of: firstWithBody), ring[index].bodyBytes > 0 {
        bodyBytes -= ring[index].bodyBytes
        removed.append(ring[index].request)
        ring[index].request = ring[index].request.withoutBody
        ring[index].exchange?.removeBody()
        ring[index].bodyBytes = 0
      }
      firstWithBody = max(firstWithBody + 1, first)
    }
    return removed
  }

  /// Sets the outcome of a request.
  ///
  /// The outcome `passedThrough` is final. Calls for discarded requests are ignored.
  mutating func setOutcome(
    _ outcome: JournalEntry.Outcome, of number: Int, generation: Int
  ) {
    guard generation == self.generation, let index = index(of: number),
      ring[index].outcome != .passedThrough
    else { return }
    ring[index].outcome = outcome
  }

  /// Counts the bytes of a response body that is kept.
  ///
  /// - Returns: Whether the body may be kept, and the requests whose bodies have been removed.
  mutating func addResponseBytes(
    _ byteCount: Int, of number: Int, generation: Int
  ) -> (isKept: Bool, withBody: [StoredRequest]) {
    guard generation == self.generation, number >= firstWithBody, let index = index(of: number),
      byteCount <= limits.largestBody
    else { return (false, []) }
    ring[index].bodyBytes += byteCount
    bodyBytes += byteCount
    return (true, removeOldestBodies())
  }

  mutating func markVerified(_ numbers: [Int]) {
    for number in numbers {
      if let index = index(of: number) { ring[index].isVerified = true }
    }
  }

  /// Discards all requests and starts numbering from 0 again; returns the discarded records.
  mutating func reset() -> [Record] {
    let (discarded, next) = (ring, generation + 1)
    self = JournalRecords(limits: limits)
    generation = next
    return discarded
  }
}
