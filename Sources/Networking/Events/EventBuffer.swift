import Synchronization

/// The buffer of a sequence of events.
final class EventBuffer: Sendable {
  private typealias Reader = CheckedContinuation<NetworkEvent?, Never>

  private let machine: Mutex<EventBufferMachine<Reader>>

  init(limit: Int) {
    machine = Mutex(EventBufferMachine(limit: limit))
  }

  var droppedCount: Int { machine.withLock { $0.dropped } }

  func add(_ event: NetworkEvent) {
    machine.withLock { $0.add(event) }
  }

  func finish() {
    machine.withLock { $0.finish() }
    deliver()
  }

  /// Answers those who wait.
  func deliver() {
    while let (reader, event) = machine.withLock({ $0.nextAnswer() }) {
      reader.resume(returning: event)
    }
  }

  /// The next event; nil when there is none to come, or the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> NetworkEvent? {
    let id = machine.withLock { $0.makeID() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        machine.withLock { $0.wait(id, reader) }
        // The handler below may have come too early to find the reader.
        if Task.isCancelled { leave(id) }
        deliver()
      }
    } onCancel: {
      leave(id)
    }
  }

  private func leave(_ id: UInt64) {
    machine.withLock { $0.leave(id) }?.resume(returning: nil)
  }
}
