import Promises
import Synchronization

/// Tells a scheduler whose time is turned by hand when a queue is about to start something.
///
/// Between `addOperation` and an operation's `start` lies a thread's time that nobody else can see; a
/// test that lets virtual time pass in between would find the delay of a mocked answer not yet set.
final class QueueActivity: Sendable {
  private struct State {
    var occupancy: QueueOccupancy
    var ticket: ActivityTicket?
  }

  private let scheduler: any Scheduler
  private let state: Mutex<State>

  /// Nil for a scheduler to which it does not matter.
  init?(width: Int, scheduler: any Scheduler) {
    guard scheduler.beginActivity() != nil else { return nil }
    self.scheduler = scheduler
    state = Mutex(State(occupancy: QueueOccupancy(width: width)))
  }

  /// Takes in what has happened.
  func note(_ change: (inout QueueOccupancy) -> Void) {
    // What ends may wake whoever waits for it, so it is let go after unlocking.
    let ended: ActivityTicket? = state.withLock { state in
      change(&state.occupancy)
      guard state.occupancy.isBusy else { return state.ticket.take() }
      if state.ticket == nil { state.ticket = scheduler.beginActivity() }
      return nil
    }
    ended?.end()
  }
}
