import Networking
import Promises
import Synchronization

/// Plays one mocked exchange: the ``PlaybackMachine`` behind a lock, with a clock and a receiver.
final class MockExchange: TransportHandle {
  private struct State {
    var machine: PlaybackMachine
    var timer: ScheduledAction?
  }

  private let state: Mutex<State>
  private let scheduler: any Scheduler
  private let start: Duration
  private let receive: @Sendable (TransportEvent) -> Void

  init(
    _ machine: PlaybackMachine, _ scheduler: any Scheduler,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) {
    state = Mutex(State(machine: machine))
    self.scheduler = scheduler
    self.receive = receive
    start = scheduler.now
  }

  func cancel() {
    play { $0.cancel() }
  }

  func suspend() {
    state.withLock { $0.machine.suspend() }
  }

  func resume() {
    let moment = scheduler.now - start
    play { $0.resume(at: moment) }
  }

  /// Tells the machine what has happened, and plays as far as that goes, unless somebody does.
  func play(_ happened: (inout PlaybackMachine) -> Void = { _ in }) {
    let begins = state.withLock { state in
      happened(&state.machine)
      return state.machine.begin()
    }
    guard begins else { return }
    while true {
      switch state.withLock({ $0.machine.next() }) {
      case .deliver(let event): receive(event)
      case .finish(let event):
        state.withLock { $0.timer.take() }?.cancel()
        return receive(event)
      case .generate(let range, let make):
        let data = make(range)
        state.withLock { $0.machine.generated(data, of: range) }
      case .wait(let moment): return wait(until: moment)
      case .rest: return
      }
    }
  }

  private func wait(until moment: Duration) {
    let rest = start + moment - scheduler.now
    guard rest > .zero else { return play { $0.reached(moment) } }
    let timer = scheduler.schedule(after: rest) { [self] in play { $0.reached(moment) } }
    let useless = state.withLock { state -> ScheduledAction? in
      // It may have fired by now, and the next one may have been kept.
      guard !state.machine.isOver, state.machine.awaited == moment else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    useless?.cancel()
  }
}
