import Foundation
import Promises

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
  /// The unsent rest of the last piece of a forwarded response or a stream.
  private var unsentPiece: WireBytes.Segment?
  /// Schedules a timer for the next item of a stream.
  private var scheduleItem: ((_ moment: Duration) -> ScheduledAction)?
  private var itemTimer: (action: ScheduledAction, moment: Duration)?

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
  /// They are scheduled at once, so that one advance of virtual time can reach all of them. The items
  /// of a stream, which may be endless, are scheduled one after another.
  mutating func schedule(
    on scheduler: any Scheduler, _ reached: @escaping @Sendable (_ moment: Duration) -> Void
  ) {
    for case .wait(let moment) in steps {
      timers.append(scheduler.schedule(after: moment) { reached(moment) })
    }
    let hasStream = steps.contains { if case .stream = $0 { true } else { false } }
    guard hasStream else { return }
    let start = scheduler.now
    scheduleItem = { moment in
      scheduler.schedule(after: max(start + moment - scheduler.now, .zero)) { reached(moment) }
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
    unsentPiece = nil
    itemTimer.take()?.action.cancel()
    scheduleItem = nil
  }

  /// Performs steps until the player has to wait or the script ends.
  mutating func advance(_ socket: Socket) -> Outcome {
    isWaiting = false
    var rest = Self.writeBudget
    while position < steps.count {
      if let piece = unsentPiece {
        switch transmit(piece, socket, &rest) {
        case .rest(let segment): unsentPiece = segment
        case .stopped(let outcome): return outcome
        }
        continue
      }
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
      case .stream(var cursor):
        guard !cursor.isAtEnd else {
          position += 1
          continue
        }
        guard elapsed >= cursor.moment else {
          waitForItem(at: cursor.moment)
          return .waits
        }
        let data = cursor.next()
        steps[position] = .stream(cursor)
        if !data.isEmpty { unsentPiece = .data(data) }
      case .relay(let relay, let framing):
        switch relay.pipe.next(continueRelay ?? {}) {
        case .data(let data):
          unsentPiece = .data(framing == .chunked ? Self.chunk(data) : data)
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

  private mutating func waitForItem(at moment: Duration) {
    isWaiting = true
    guard itemTimer?.moment != moment, let scheduleItem else { return }
    itemTimer?.action.cancel()
    itemTimer = (scheduleItem(moment), moment)
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
