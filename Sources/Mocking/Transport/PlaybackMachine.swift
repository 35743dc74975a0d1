import Foundation
import Networking

/// One mocked exchange in memory: when which event is to be delivered, without any thread or clock.
///
/// One caller at a time plays: whoever ``begin()`` lets in does what ``next()`` says, again and again,
/// until it says `rest`, `wait` or `finish`; the others have only left word of what they want. Times
/// count from the beginning of the exchange.
struct PlaybackMachine {
  enum Step {
    case wait(until: Duration)
    case sent(Int64, of: Int64)
    case bytes(WireBytes.Segment)
    case end(ResponseScript.Ending)
    /// The exchange comes to nothing.
    case fail(TransportFailure)
  }

  enum Action {
    case deliver(TransportEvent)
    /// The last event; after it the machine says `rest` for ever.
    case finish(TransportEvent)
    /// Make these bytes and hand them to ``generated(_:of:)``.
    case generate(Range<Int>, @Sendable (Range<Int>) -> Data)
    /// Call ``reached(_:)`` and play on when so much time has passed since the beginning.
    case wait(until: Duration)
    case rest
  }

  private var steps: [Step]
  private var position = 0
  private var events: [TransportEvent] = []
  private var reader: ResponseParser
  /// How long the connection may be silent.
  private let idleTimeout: Duration?
  private var metrics = TransportMetrics()

  private var isPlaying = false
  private var isSuspended = false
  private var isCancelled = false
  private(set) var isOver = false

  private var elapsed = Duration.zero
  private var lastActivity = Duration.zero
  /// The moment for which the player has been asked to wait.
  private(set) var awaited: Duration?

  /// Makes a machine.
  ///
  /// - Parameters:
  ///   - steps: what is to happen.
  ///   - request: what is answered.
  ///   - silence: how long the client has waited before the beginning.
  init(_ steps: [Step], answering request: HTTPRequest, idleFor silence: Duration = .zero) {
    self.steps = steps
    reader = ResponseParser(answering: request.method)
    idleTimeout = request.idleTimeout
    lastActivity = .zero - silence
  }

  // MARK: What happens

  /// Whether the caller is to play.
  mutating func begin() -> Bool {
    guard !isPlaying, !isOver else { return false }
    isPlaying = true
    return true
  }

  mutating func cancel() {
    isCancelled = true
  }

  mutating func suspend() {
    isSuspended = true
  }

  /// The receiver takes events again; the silence that it made itself does not count.
  mutating func resume(at moment: Duration) {
    guard isSuspended else { return }
    isSuspended = false
    elapsed = max(elapsed, moment)
    lastActivity = max(lastActivity, elapsed)
  }

  mutating func reached(_ moment: Duration) {
    elapsed = max(elapsed, moment)
    if awaited == moment { awaited = nil }
  }

  /// Takes the bytes made of a range; too few of them break the connection off.
  mutating func generated(_ data: Data, of range: Range<Int>) {
    let data = data.prefix(range.count)
    guard !data.isEmpty else { return fail(.connectionLost, "the body came to its end too soon") }
    // First the place and then the bytes, since these may be the last that matter.
    if case .bytes(let segment) = steps[position], data.count < segment.count {
      steps[position] = .bytes(segment.dropFirst(data.count))
    } else {
      position += 1
    }
    read(.data(data))
  }

  // MARK: What is to be done

  mutating func next() -> Action {
    if isOver { return rest() }
    if isCancelled { return finish(failure(.cancelled)) }
    if isSuspended { return rest() }
    while true {
      if !events.isEmpty {
        let event = events.removeFirst()
        if event.isLast { return finish(event) }
        return .deliver(event)
      }
      guard position < steps.count else { return waitForIdleTimeout() }
      switch steps[position] {
      case .wait(let moment):
        guard elapsed < moment else {
          position += 1
          continue
        }
        return wait(until: moment)
      case .sent(let count, let total):
        position += 1
        // What goes out at the beginning went out before any silence.
        if elapsed > .zero { lastActivity = elapsed }
        metrics.bytesSent = count
        metrics.requestSent = elapsed
        return .deliver(.sent(bytes: count, total: total))
      case .bytes(.generated(let range, let make)):
        return .generate(range.prefix(Self.generatedBytes), make)
      case .bytes(let segment):
        position += 1
        read(segment)
      case .end(let ending):
        position += 1
        end(ending)
      case .fail(let failure): fail(failure.code, failure.detail)
      }
    }
  }

  private mutating func wait(until moment: Duration) -> Action {
    guard let limit = idleTimeout, lastActivity + limit < moment else {
      return pause(until: moment)
    }
    return waitForIdleTimeout()
  }

  /// Nothing more comes before the client has lost its patience, if it has a limit to that.
  private mutating func waitForIdleTimeout() -> Action {
    guard let limit = idleTimeout else { return rest() }
    guard elapsed < lastActivity + limit else { return finish(failure(.timedOut(.idle))) }
    return pause(until: lastActivity + limit)
  }

  private mutating func pause(until moment: Duration) -> Action {
    isPlaying = false
    if awaited == moment { return .rest }
    awaited = moment
    return .wait(until: moment)
  }

  private mutating func rest() -> Action {
    isPlaying = false
    return .rest
  }

  private mutating func finish(_ event: TransportEvent) -> Action {
    isOver = true
    isPlaying = false
    steps = []
    events = []
    return .finish(event)
  }

  // MARK: Bytes

  private mutating func read(_ segment: WireBytes.Segment) {
    lastActivity = elapsed
    for output in reader.read(segment) {
      switch output {
      case .head(let head):
        metrics.firstByte = elapsed
        events.append(.head(head))
      case .body(let data):
        metrics.bytesReceived += Int64(data.count)
        events.append(.body(data))
      case .complete: complete()
      case .malformed(let reason): fail(.malformedResponse, reason)
      }
    }
  }

  private mutating func end(_ ending: ResponseScript.Ending) {
    switch ending {
    // A client that has not got all of it by now waits for more, in vain.
    case .keepAlive, .stall: break
    case .reset: fail(.connectionLost, "the connection was reset")
    case .finish, .close:
      switch reader.end() {
      case .complete: complete()
      case .lost:
        fail(.connectionLost, "the connection was closed before the response was complete")
      }
    }
  }

  private mutating func complete() {
    metrics.total = elapsed
    events.append(.end(metrics))
    position = steps.count
  }

  private mutating func fail(_ code: NetworkError.Code, _ detail: String) {
    events.append(failure(code, detail))
    position = steps.count
  }

  private mutating func failure(_ code: NetworkError.Code, _ detail: String = "") -> TransportEvent
  {
    metrics.total = elapsed
    return .failure(TransportFailure(code: code, detail: detail, metrics: metrics))
  }

  private static let generatedBytes = 64 * 1024
}

extension TransportEvent {
  fileprivate var isLast: Bool {
    switch self {
    case .end, .failure: true
    case .connected, .answered, .sent, .head, .body: false
    }
  }
}
