import Foundation

/// What is told of one call: what happens goes in, the events to tell come out, in their order.
///
/// ```
/// made --queue--> queued --start--> started --begin--> in a hop --end--> over
///                                      ^                 |
///                                      +-- redirected, retrying, credentialsRefreshed
/// ```
///
/// What belongs to a hop that is over, such as one that timed out, is not told any more.
struct CallEventMachine {
  private let call: NetworkEvent.CallID
  private let made: Date
  private var request: NetworkError.RequestSummary?
  private var attempt = 0
  private var hop = 0
  /// When the last event happened.
  private var latest = Duration.zero
  /// The hop under way; nil between two.
  private var current: HopEventMachine?
  private var isOver = false
  /// How many bytes a body may have to be kept for those who watch; 0 is for none.
  private let bodyLimit: Int
  /// How many times the call was answered, or a hop begun to that end.
  private(set) var answers = 0

  init(_ call: NetworkEvent.CallID, made: Date, bodyLimit: Int = 0) {
    self.call = call
    self.bodyLimit = bodyLimit
    self.made = made
  }

  /// The response's body in the hop under way, if it is kept.
  var received: Data? { current?.received }

  /// The call joins the queue, with this request.
  mutating func queue(_ request: NetworkError.RequestSummary, at now: Duration) -> [NetworkEvent] {
    self.request = request
    return tell([(.queued, now)], now)
  }

  /// Something happens that belongs to no hop, or comes behind one.
  mutating func add(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    current = nil
    return tell([(kind, now)], now)
  }

  /// A hop begins.
  ///
  /// - Returns: its number among all of the call, and the event.
  mutating func begin(
    _ request: NetworkError.RequestSummary, headers: HTTPHeaders, bodySize: Int64?, attempt: Int,
    hop: Int, at now: Duration
  ) -> (number: Int, events: [NetworkEvent]) {
    guard !isOver else { return (answers, []) }
    answers += 1
    self.request = request
    self.attempt = attempt
    self.hop = hop
    current = HopEventMachine(bodySize: bodySize, began: now, bodyLimit: bodyLimit)
    return (answers, tell([(.sending(headers: headers, bodySize: bodySize), now)], now))
  }

  /// Something happens in a hop.
  mutating func receive(
    _ number: Int, at now: Duration,
    _ happens: (inout HopEventMachine) -> [HopEventMachine.Happening]
  ) -> [NetworkEvent] {
    guard number == answers, var hop = current.take() else { return [] }
    let happenings = happens(&hop)
    current = hop
    return tell(happenings, now)
  }

  /// Nobody waits for a hop any more.
  mutating func leave(_ number: Int) {
    if number == answers { current = nil }
  }

  /// The call waits for the answer to another.
  mutating func share(with other: NetworkEvent.CallID?, at now: Duration) -> [NetworkEvent] {
    answers += 1
    return add(.shared(with: other), at: now)
  }

  /// An interceptor has an answer; it is its own if nobody has answered since.
  mutating func answer(by name: String, since before: Int, at now: Duration) -> [NetworkEvent] {
    guard answers == before else { return [] }
    answers += 1
    return add(.answered(by: name), at: now)
  }

  /// The call is over.
  mutating func end(_ kind: NetworkEvent.Kind, at now: Duration) -> [NetworkEvent] {
    let events = add(kind, at: now)
    isOver = true
    return events
  }

  private mutating func tell(
    _ happenings: [HopEventMachine.Happening], _ now: Duration
  ) -> [NetworkEvent] {
    guard !isOver else { return [] }
    return happenings.map { kind, time in
      // What a transport has measured is by another clock.
      latest = max(latest, min(time, now))
      return NetworkEvent(
        kind, call: call, request: request, attempt: attempt, hop: hop, elapsed: latest, made: made)
    }
  }
}
