import Foundation
import Networking
import Promises

/// What happens on a connection to answer a request, step by step.
///
/// Made of a mock without any socket or clock: framing, pace and faults are all decided here, and who
/// plays the script, on a socket or in memory, knows nothing of them.
struct ResponseScript {
  enum Step {
    /// Go on when so much time has passed since the beginning of the script.
    case wait(until: Duration)
    case send(WireBytes.Segment)
    /// The last step, and only that.
    case end(Ending)
  }

  enum Ending: Hashable {
    /// The connection takes the next request.
    case keepAlive
    /// The response is complete, and no other follows: the client gets all of it, then the end.
    case finish
    /// The connection is closed here and now.
    case close
    case reset
    case stall
  }

  /// The exchange that the response belongs to, as far as it matters.
  struct ResponseContext: Hashable {
    var method: HTTPMethod = .get
    var minorVersion = 1
    var keepsAlive = true
    /// What a Date field says; nil sends none.
    var date: String?
  }

  private(set) var steps: [Step] = []
  /// The status in it; 0 where there is none.
  let status: Int
  /// How long the status line and the header fields are.
  let headByteCount: Int
  private let headMoment: Duration
  private let bodyMoment: Duration
  private let pace: Mock.Pace?

  /// Lays out how a mock is answered.
  ///
  /// - Parameters:
  ///   - mock: one of ``Mock/Source/own``, whose body is no file and whose delays are fixed.
  ///   - exchange: what it answers.
  init(_ mock: Mock, for exchange: ResponseContext = ResponseContext()) {
    let mock = mock.serverMock
    let message = ResponseMessage(mock, for: exchange)
    let (head, body) = (WireBytes(message.head), message.body)
    status = mock.status
    headByteCount = message.head.count
    let ending: Ending = message.keepsAlive ? .keepAlive : .finish
    headMoment = mock.headDelay
    bodyMoment = headMoment + (mock.bodyDelay?.duration(0) ?? .zero)
    pace = mock.pace
    steps.reserveCapacity(3)
    wait(until: headMoment, after: .zero)
    guard let interruption = mock.interruption else {
      if pace == nil, bodyMoment == headMoment, message.isSmall {
        // The common case: one send.
        var bytes = message.head
        for case .data(let data) in body.segments { bytes += data }
        steps += [.send(.bytes(bytes[...])), .end(ending)]
        return
      }
      send(head, then: body)
      steps.append(.end(ending))
      return
    }
    play(interruption, message, ending)
  }

  /// Lays out bytes that answer nothing, and then the end.
  init(garbage: Data) {
    (status, headByteCount) = (0, 0)
    (headMoment, bodyMoment, pace) = (.zero, .zero, nil)
    steps = [.send(.data(garbage)), .end(.finish)]
  }

  private mutating func play(
    _ interruption: Mock.Interruption, _ message: ResponseMessage, _ ending: Ending
  ) {
    var (head, body) = (WireBytes(message.head), message.body)
    switch (interruption.fault, interruption.stage) {
    case (.malformedChunk, let stage):
      let length = if case .body(let length) = stage { length } else { 0 }
      send(head, then: ResponseMessage.malformedChunks(of: message.payload, afterBytes: length))
      return steps.append(.end(.close))
    case (let fault, .request):
      guard interrupt(by: fault) else { return }
      send(head, then: body)
    case (let fault, .head(let length)):
      send(head.removeFirst(max(length, 0)))
      guard interrupt(by: fault) else { return }
      send(head, then: body)
    case (let fault, .body(let length)):
      send(head, then: body.removeFirst(max(length, 0)))
      guard interrupt(by: fault) else { return }
      send(body)
    case (let fault, .end):
      send(head, then: body)
      guard interrupt(by: fault) else { return }
    }
    steps.append(.end(ending))
  }

  /// Adds what the fault does; true when the script goes on behind it.
  private mutating func interrupt(by fault: MockFault) -> Bool {
    switch fault {
    case .close, .malformedChunk: steps.append(.end(.close))
    case .reset: steps.append(.end(.reset))
    case .stall: steps.append(.end(.stall))
    case .garbage(let data):
      send(WireBytes(Array(data)))
      return true
    }
    return false
  }

  private mutating func send(_ bytes: WireBytes) {
    for segment in bytes.segments { steps.append(.send(segment)) }
  }

  /// Sends a head, or the rest of one, and a body at its time and pace.
  private mutating func send(_ head: WireBytes, then body: WireBytes) {
    send(head)
    wait(until: bodyMoment, after: headMoment)
    guard let pace else { return send(body) }
    var body = body
    var last = bodyMoment
    for piece in pace.pieces(of: body.count) {
      wait(until: bodyMoment + piece.moment, after: last)
      last = bodyMoment + piece.moment
      send(body.removeFirst(piece.byteCount))
    }
  }

  private mutating func wait(until moment: Duration, after last: Duration) {
    if moment > last { steps.append(.wait(until: moment)) }
  }
}

/// Plays the script of a response on a socket, as far as that goes at a time.
struct ScriptPlayer {
  enum Outcome {
    /// For time to pass.
    case waits
    /// For the socket to take more.
    case blocked
    /// The client is gone.
    case broken
    /// The script cannot be played: a generated body has come to its end too soon.
    case failed
    case end(ResponseScript.Ending)
  }

  private var steps: [ResponseScript.Step] = []
  private var position = 0
  private var elapsed = Duration.zero
  private var number = 0
  /// How many bytes of the script have been sent.
  private(set) var sentByteCount = 0
  private var timers: [ScheduledAction] = []
  /// Whether time has to pass before anything else can happen.
  private(set) var isWaiting = false

  /// Takes a script; returns its number.
  mutating func begin(_ steps: [ResponseScript.Step]) -> Int {
    cancel()
    self.steps = steps
    position = 0
    elapsed = .zero
    sentByteCount = 0
    number += 1
    return number
  }

  /// Sets all the timers of the script at once, so that one advance of a test's clock sees them all.
  mutating func schedule(
    on scheduler: any Scheduler, _ reached: @escaping @Sendable (_ moment: Duration) -> Void
  ) {
    for case .wait(let moment) in steps {
      timers.append(scheduler.schedule(after: moment) { reached(moment) })
    }
  }

  /// Time has passed; false when it was another script's.
  mutating func reached(_ moment: Duration, in number: Int) -> Bool {
    guard number == self.number else { return false }
    elapsed = max(elapsed, moment)
    return true
  }

  mutating func cancel() {
    for timer in timers { timer.cancel() }
    timers = []
    steps = []
    isWaiting = false
  }

  mutating func advance(_ socket: Socket) -> Outcome {
    isWaiting = false
    var rest = Self.writeBudget
    while position < steps.count {
      switch steps[position] {
      case .wait(let moment):
        guard elapsed >= moment else {
          isWaiting = true
          return .waits
        }
        position += 1
      case .send(let segment):
        // Others are to have their turn, too.
        guard rest > 0 else { return .blocked }
        let outcome = Self.send(segment, socket)
        guard case .bytes(let count) = outcome else {
          if case .wouldBlock = outcome { return .blocked }
          return Self.isGenerated(segment, outcome) ? .failed : .broken
        }
        rest -= count
        sentByteCount += count
        if count < segment.count {
          steps[position] = .send(segment.dropFirst(count))
        } else {
          position += 1
        }
      case .end(let ending): return .end(ending)
      }
    }
    return .waits
  }

  private static func isGenerated(_ segment: WireBytes.Segment, _ outcome: Socket.Outcome) -> Bool {
    if case .generated = segment, case .ended = outcome { true } else { false }
  }

  private static func send(_ segment: WireBytes.Segment, _ socket: Socket) -> Socket.Outcome {
    switch segment {
    case .bytes(let bytes): return bytes.withUnsafeBytes { socket.send($0) }
    case .data(let data): return data.withUnsafeBytes { socket.send($0) }
    case .generated(let range, let make):
      let data = make(range.prefix(generatedBytes)).prefix(range.count)
      return data.isEmpty ? .ended : data.withUnsafeBytes { socket.send($0) }
    }
  }

  private static let writeBudget = 1024 * 1024
  private static let generatedBytes = 64 * 1024
}
