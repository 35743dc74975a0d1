import CatenaSystem
import Dispatch
import Promises

/// The queue of finished traces on their way to a receiver.
///
/// It makes the records, too, so that no call waits for that.
final class TraceDelivery: Sendable {
  private struct State {
    var waiting = FIFO<SpanRecorder>()
    var waitingCount = 0
    var droppedCount = 0
    var flushes: [@Sendable () -> Void] = []
    var isRunning = false

    /// Returns the next trace, or the closures to call because there is none.
    mutating func next() -> (recorder: SpanRecorder?, idle: [@Sendable () -> Void]) {
      if let recorder = waiting.popFirst() {
        waitingCount -= 1
        return (recorder, [])
      }
      isRunning = false
      defer { flushes = [] }
      return (nil, flushes)
    }
  }

  let receiver: any TraceReceiver
  private let limit: Int
  private let context: ExecutionContext
  private let state = Mutex(State())

  init(to receiver: any TraceReceiver, limit: Int) {
    self.receiver = receiver
    self.limit = max(limit, 1)
    context =
      (receiver as? ClosureReceiver)?.context ?? .queue(DispatchQueue(label: "Catena.Tracing"))
  }

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  func add(_ recorder: SpanRecorder) {
    let begins = state.withLock { state in
      guard state.waitingCount < limit else {
        state.droppedCount += 1
        return false
      }
      state.waiting.append(recorder)
      state.waitingCount += 1
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if begins { runNext(by: recorder.scheduler) }
  }

  /// Calls a closure when no trace waits.
  func whenIdle(_ action: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      if state.isRunning { state.flushes.append(action) }
      return !state.isRunning
    }
    if isIdle { action() }
  }

  /// Hands one trace over, so that an actor can do other work between two of them.
  ///
  /// - Parameter scheduler: The scheduler of the trace's client, whose virtual time waits for the receiver.
  private func runNext(by scheduler: any Scheduler) {
    scheduler.context(for: context).run { [self] in
      let (recorder, idle) = state.withLock { $0.next() }
      guard let recorder else { return idle.forEach { $0() } }
      receiver.receive(recorder.record)
      runNext(by: recorder.scheduler)
    }
  }
}
