import Foundation
import Networking
import Promises

/// The steps of a response on a connection: waits, bytes, and an ending.
///
/// A script is computed from a mock, without a socket or a clock. It includes the framing, the pace
/// and the faults, so that a player on a socket or in memory only performs the steps.
struct ResponseScript {
  enum Step {
    /// Waits until this time, counted from the start of the script.
    case wait(until: Duration)
    case send(WireBytes.Segment)
    /// Sends the body of a forwarded response.
    case relay(RelayedBody, ResponseMessage.RelayFraming)
    /// Ends the response. This is always the last step, and only the last step.
    case end(Ending)
  }

  enum Ending: Hashable {
    /// The connection stays open for the next request.
    case keepAlive
    /// The response is complete, and the connection closes after the client has received it.
    case finish
    /// The connection closes immediately.
    case close
    /// The connection is reset.
    case reset
    /// Nothing more is sent, and the connection stays open.
    case stall
  }

  /// The properties of the exchange that affect the response.
  struct ResponseContext: Hashable {
    var method: HTTPMethod = .get
    var minorVersion = 1
    var keepsAlive = true
    /// The value of the Date field, or `nil` for none.
    var date: String?
  }

  private(set) var steps: [Step] = []
  /// Whether the body is that of a forwarded response.
  private(set) var isRelayed = false
  /// The status of the response, or 0 if it has none.
  let status: Int
  /// The length of the status line and the header fields.
  let headByteCount: Int
  private let headMoment: Duration
  private let bodyMoment: Duration
  private let pace: Mock.Pace?

  /// Creates the script of a mock.
  ///
  /// - Parameters:
  ///   - mock: A resolved mock: its source is ``Mock/Source/fields``, its body is not a file, and
  ///     its delays are fixed.
  ///   - exchange: The properties of the exchange.
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
      if let relay = mock.relay {
        isRelayed = true
        send(head, then: WireBytes())
        if !mock.isBodiless, exchange.method != .head {
          steps.append(.relay(relay, message.relayFraming))
        }
        steps.append(.end(ending))
        return
      }
      if pace == nil, bodyMoment == headMoment, message.isSmall {
        // Fast path: one send.
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

  /// Creates a script that sends bytes to a new connection and then closes it.
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

  /// Adds the steps of a fault, and returns whether the response continues after them.
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

  /// Adds the head or the rest of it, and then the body with its delay and its pace.
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

/// A player that performs the steps of response scripts on a socket.
struct ScriptPlayer {
  enum Outcome {
    /// The next step waits for a delay.
    case waits
    /// The player has to wait until the socket is writable.
    case blocked
    /// The connection is broken.
    case broken
    /// A generated body ended too early.
    case failed
    case end(ResponseScript.Ending)
  }

  private var steps: [ResponseScript.Step] = []
  private var position = 0
  private var elapsed = Duration.zero
  /// The number of scripts that have been started.
  private var number = 0
  /// The number of bytes of the script that have been sent.
  private(set) var sentByteCount = 0
  private var timers: [ScheduledAction] = []
  /// Whether the next step waits for a delay.
  private(set) var isWaiting = false
  /// Runs on any thread when a forwarded response has more bytes.
  private var continueRelay: (@Sendable () -> Void)?
  /// The unsent rest of the last piece of a forwarded response.
  private var relayedPiece: WireBytes.Segment?

  /// Starts a script and returns its number.
  ///
  /// - Parameters:
  ///   - steps: The steps.
  ///   - continueRelay: A closure that runs on any thread after `waits`, when a forwarded response has
  ///     more bytes. `advance(_:)` must be called then.
  /// - Returns: The number of the script.
  mutating func begin(
    _ steps: [ResponseScript.Step], continueRelay: (@Sendable () -> Void)? = nil
  ) -> Int {
    cancel()
    self.continueRelay = continueRelay
    self.steps = steps
    position = 0
    elapsed = .zero
    sentByteCount = 0
    number += 1
    return number
  }

  /// Schedules the timers of all waits of the script.
  ///
  /// They are scheduled at once, so that one advance of virtual time can reach all of them.
  mutating func schedule(
    on scheduler: any Scheduler, _ reached: @escaping @Sendable (_ moment: Duration) -> Void
  ) {
    for case .wait(let moment) in steps {
      timers.append(scheduler.schedule(after: moment) { reached(moment) })
    }
  }

  /// Records that a time has been reached, and returns `false` for a timer of an earlier script.
  mutating func reached(_ moment: Duration, in number: Int) -> Bool {
    guard number == self.number else { return false }
    elapsed = max(elapsed, moment)
    return true
  }

  mutating func cancel() {
    for timer in timers { timer.cancel() }
    for case .relay(let relay, _) in steps { relay.pipe.cancel() }
    timers = []
    steps = []
    isWaiting = false
    continueRelay = nil
    relayedPiece = nil
  }

  /// Performs steps until the player has to wait or the script ends.
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
        switch transmit(segment, socket, &rest) {
        case .rest(let segment?): steps[position] = .send(segment)
        case .rest(nil): position += 1
        case .stopped(let outcome): return outcome
        }
      case .relay(let relay, let framing):
        if let piece = relayedPiece {
          switch transmit(piece, socket, &rest) {
          case .rest(let segment): relayedPiece = segment
          case .stopped(let outcome): return outcome
          }
          continue
        }
        switch relay.pipe.next(continueRelay ?? {}) {
        case .data(let data):
          relayedPiece = .data(framing == .chunked ? Self.chunk(data) : data)
        case .end where framing == .chunked: steps[position] = .send(.data(Data("0\r\n\r\n".utf8)))
        case .end: position += 1
        case .pending:
          isWaiting = true
          return .waits
        // The client detects the interruption by the framing. Without one, only a reset shows it.
        case .failed: return .end(framing == .untilClose ? .reset : .close)
        }
      case .end(let ending): return .end(ending)
      }
    }
    return .waits
  }

  private enum Transmission {
    /// A part of the segment, or all of it, has been sent. The value is the rest.
    case rest(WireBytes.Segment?)
    case stopped(Outcome)
  }

  /// Sends bytes of a segment.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - socket: The socket.
  ///   - budget: The number of bytes that may be sent, which is decreased.
  /// - Returns: The rest of the segment, or the reason to stop.
  private mutating func transmit(
    _ segment: WireBytes.Segment, _ socket: Socket, _ budget: inout Int
  ) -> Transmission {
    // Returns, so that the event loop can serve other connections in between.
    guard budget > 0 else { return .stopped(.blocked) }
    let outcome = Self.send(segment, socket)
    guard case .bytes(let count) = outcome else {
      if case .wouldBlock = outcome { return .stopped(.blocked) }
      return .stopped(Self.isGenerated(segment, outcome) ? .failed : .broken)
    }
    budget -= count
    sentByteCount += count
    return .rest(count < segment.count ? segment.dropFirst(count) : nil)
  }

  private static func chunk(_ data: Data) -> Data {
    Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
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

  /// The number of bytes after which `advance(_:)` returns.
  private static let writeBudget = 1024 * 1024
  /// The maximum number of bytes that are generated at once.
  private static let generatedBytes = 64 * 1024
}
