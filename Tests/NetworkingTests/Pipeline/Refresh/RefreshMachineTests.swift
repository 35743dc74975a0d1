import Promises
import TestSupport
import Testing

@testable import Networking

struct RefreshMachineTests {
  private func kind(_ action: RefreshMachine.Action) -> String {
    switch action {
    case .start(let number): "start \(number)"
    case .join: "join"
    case .resend: "resend"
    case .fail(let error): "fail \(error)"
    }
  }

  @Test func theFirstStartsTheOthersJoinAndLateOnesGoAgain() {
    var machine = RefreshMachine()
    let first = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    let second = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    machine.ended(1, nil)
    let late = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    let fresh = machine.responseRefused(sentIn: 1) { .fulfilled(()) }
    #expect(machine.isInProgress(2) && !machine.isInProgress(1))
    #expect([first, second, late, fresh].map(kind) == ["start 1", "join", "resend", "start 2"])
  }

  @Test func afterAFailureLateOnesFailAndFreshOnesStartAnother() {
    var machine = RefreshMachine()
    let first = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    machine.ended(1, TestError("denied"))
    let late = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    let fresh = machine.responseRefused(sentIn: 1) { .fulfilled(()) }
    machine.ended(2, nil)
    let later = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    #expect(
      [first, late, fresh, later].map(kind)
        == ["start 1", "fail TestError(denied)", "start 2", "resend"])
  }

  @Test func anAbandonedOneHasNoOutcome() {
    var machine = RefreshMachine()
    _ = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    machine.abandoned(1)
    machine.ended(1, nil)
    let next = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    machine.abandoned(1)
    machine.ended(1, nil)
    let joined = machine.responseRefused(sentIn: 0) { .fulfilled(()) }
    #expect(machine.epoch == 0 && [next, joined].map(kind) == ["start 2", "join"])
  }
}
