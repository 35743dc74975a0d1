import Foundation
import Promises

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
    var rest = Self.bytesAtATime
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

  private static let bytesAtATime = 1024 * 1024
  private static let generatedBytes = 64 * 1024
}
