import CatenaSystem
import Dispatch
import Promises

/// The queue of finished traces on their way to a receiver.
///
/// It makes the records, too, so that no call waits for that.
final class TraceDelivery: Sendable {
  private enum Item {
    case trace(SpanRecorder)
    /// A closure to call when the traces before it have been handed over.
    case flush(@Sendable () -> Void)
  }

  private struct State {
    var waiting = FIFO<Item>()
    var waitingCount = 0
    var droppedCount = 0
    var isRunning = false

    mutating func next() -> Item? {
      let item = waiting.popFirst()
      if case .trace = item { waitingCount -= 1 }
      isRunning = item != nil
      return item
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
      state.waiting.append(.trace(recorder))
      state.waitingCount += 1
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if begins { runNext(by: recorder.scheduler) }
  }

  /// Calls a closure when the receiver has handled all traces so far.
  func flush(_ action: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      if state.isRunning { state.waiting.append(.flush(action)) }
      return !state.isRunning
    }
    if isIdle { action() }
  }

  /// Hands one trace over, so that an actor can do other work between two of them.
  ///
  /// - Parameter scheduler: The scheduler of the trace's client, whose virtual time waits for the receiver.
  private func runNext(by scheduler: any Scheduler) {
    scheduler.context(for: context).run { [self] in
      switch state.withLock({ $0.next() }) {
      case .trace(let recorder):
        receiver.receive(recorder.record)
        recorder.discard()
        runNext(by: recorder.scheduler)
      case .flush(let action):
        action()
        runNext(by: scheduler)
      case nil: break
      }
    }
  }
}
