import TestGate
import Testing

@testable import Networking
@testable import NetworkingTransfers

@Suite(.gated)
struct BackgroundTransferMachineTests {
  private typealias Machine = BackgroundTransferMachine<String, String>

  private func connected(
    _ tasks: [(task: Int, key: String)] = [], stored: [String: String] = [:]
  ) -> Machine {
    var machine = Machine()
    _ = machine.connect(tasks, stored: stored)
    return machine
  }

  /// A machine with a running task 1 of the key "a", and its caller 1.
  private func running() -> Machine {
    var machine = connected()
    _ = machine.request("a", for: 1, making: "job")
    _ = machine.began(1, key: "a", start: 1)
    return machine
  }

  private func texts(_ actions: [Machine.Action]) -> [String] { actions.map { "\($0)" } }

  @Test func aRequestMakesATaskThatStartsOnceItsNumberIsKnown() {
    var machine = connected()
    #expect(
      texts(machine.request("a", for: 1, making: "job")) == [#"make("job", key: "a", start: 1)"#])
    #expect(
      texts(machine.began(1, key: "a", start: 1))
        == [#"discardResumption(key: "a")"#, "resume(1)"])
    #expect(
      texts(machine.finished(1, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"deliver("done", to: [1])"#])
    #expect(machine.keys.unfinished.isEmpty && machine.keys.finished.isEmpty)
  }

  @Test func aSecondCallerOfAKeyJoinsItsTransfer() {
    var machine = running()
    #expect(machine.request("a", for: 2, making: "job").isEmpty)
    #expect(machine.request("a", for: 3, making: nil).isEmpty)
    #expect(machine.callers(of: 1) == [1, 2, 3])
    #expect(
      texts(machine.finished(1, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"deliver("done", to: [1, 2, 3])"#])
  }

  @Test func theTaskIsCancelledWithItsLastCallerAndItsEndIsIgnored() {
    var machine = running()
    _ = machine.request("a", for: 2, making: "job")
    #expect(machine.leave(1).isEmpty)
    #expect(texts(machine.leave(2)) == ["cancel(1)"])
    #expect(machine.leave(2).isEmpty)
    #expect(machine.finished(1, key: "a", with: "cancelled").isEmpty)
    #expect(machine.keys.finished.isEmpty)
  }

  @Test func aTaskWhoseCallersLeftWhileItWasMadeIsCancelled() {
    var machine = connected()
    _ = machine.request("a", for: 1, making: "job")
    #expect(machine.leave(1).isEmpty)
    #expect(texts(machine.began(1, key: "a", start: 1)) == ["cancel(1)"])
    #expect(
      texts(machine.request("a", for: 2, making: "job")) == [#"make("job", key: "a", start: 2)"#])
  }

  @Test func aRequestDoesNotJoinACancelledTransferWhoseTaskIsBeingMade() {
    var machine = connected()
    _ = machine.request("a", for: 1, making: "old")
    _ = machine.cancel("a", with: "no")
    #expect(
      texts(machine.request("a", for: 2, making: "new")) == [#"make("new", key: "a", start: 2)"#])
    #expect(machine.failed("a", start: 1, with: "no file").isEmpty)
    #expect(texts(machine.began(1, key: "a", start: 1)) == ["cancel(1)"])
    #expect(
      texts(machine.began(2, key: "a", start: 2))
        == [#"discardResumption(key: "a")"#, "resume(2)"])
    #expect(machine.callers(of: 2) == [2])
  }

  @Test func aRequestAfterACancellationHasATaskOfItsOwn() {
    var machine = running()
    _ = machine.leave(1)
    #expect(
      texts(machine.request("a", for: 2, making: "job")) == [#"make("job", key: "a", start: 2)"#])
    _ = machine.began(2, key: "a", start: 2)
    #expect(machine.finished(1, key: "a", with: "cancelled").isEmpty)
    #expect(
      texts(machine.finished(2, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"deliver("done", to: [2])"#])
  }

  @Test func anOutcomeThatNobodyWaitsForIsKeptAndDeliveredOnce() {
    var machine = connected([(task: 7, key: "a")])
    #expect(
      texts(machine.finished(7, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"keep("done", key: "a")"#])
    #expect(machine.keys.finished == ["a"])
    #expect(
      texts(machine.request("a", for: 1, making: "job"))
        == [#"discard(key: "a")"#, #"deliver("done", to: [1])"#])
    #expect(
      texts(machine.request("a", for: 2, making: "job")) == [#"make("job", key: "a", start: 1)"#])
  }

  @Test func callersWaitForTheListOfTasksAndFindTheirTransfers() {
    var machine = Machine()
    for (caller, key) in [(1, "running"), (2, "kept"), (3, "new")] {
      #expect(machine.request(key, for: caller, making: "job \(key)").isEmpty)
    }
    #expect(machine.request("lost", for: 4, making: nil).isEmpty)
    let actions = machine.connect([(task: 9, key: "running")], stored: ["kept": "old"])
    #expect(
      texts(actions) == [
        #"discard(key: "kept")"#, #"deliver("old", to: [2])"#,
        #"make("job new", key: "new", start: 1)"#,
        "reportMissing([4])",
      ])
    #expect(machine.callers(of: 9) == [1])
  }

  @Test func aTransferThatEndsBeforeTheListReachesItsCallerAndIsNotAdopted() {
    var machine = Machine()
    _ = machine.request("a", for: 1, making: "job")
    #expect(
      texts(machine.finished(5, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"deliver("done", to: [1])"#])
    #expect(machine.connect([(task: 5, key: "a")], stored: [:]).isEmpty)
    #expect(machine.keys.unfinished.isEmpty)
  }

  @Test func aTaskThatAnEarlierRunCancelledIsNoOutcome() {
    var machine = Machine()
    _ = machine.request("a", for: 1, making: "job")
    #expect(machine.finished(5, key: "a", with: "cancelled", isCancellation: true).isEmpty)
    #expect(
      texts(machine.connect([(task: 5, key: "a")], stored: [:])) == [
        #"make("job", key: "a", start: 1)"#
      ])
    #expect(machine.finished(6, key: "b", with: "cancelled", isCancellation: true).isEmpty)
    #expect(machine.keys.finished.isEmpty)
  }

  @Test func aTaskThatOtherCodeCancelledSettlesItsCallers() {
    var machine = running()
    #expect(
      texts(machine.finished(1, key: "a", with: "cancelled", isCancellation: true))
        == [#"storeResumption(of: "cancelled", key: "a")"#, #"deliver("cancelled", to: [1])"#])
  }

  @Test func aSecondTaskOfAKeyIsCancelled() {
    var machine = Machine()
    #expect(
      texts(machine.connect([(task: 1, key: "a"), (task: 2, key: "a")], stored: [:]))
        == ["cancel(2)"])
    #expect(machine.finished(2, key: "a", with: "cancelled").isEmpty)
    #expect(
      texts(machine.finished(1, key: "a", with: "done"))
        == [#"storeResumption(of: "done", key: "a")"#, #"keep("done", key: "a")"#])
  }

  @Test func aTaskThatCannotBeMadeSettlesItsCallersAndItsKeyIsFree() {
    var machine = connected()
    _ = machine.request("a", for: 1, making: "job")
    #expect(machine.request("a", for: 2, making: "job").isEmpty)
    #expect(
      texts(machine.failed("a", start: 1, with: "no file")) == [#"deliver("no file", to: [1, 2])"#])
    _ = machine.request("a", for: 3, making: "job")
    _ = machine.leave(3)
    #expect(machine.failed("a", start: 2, with: "no file").isEmpty)
    #expect(
      texts(machine.request("a", for: 4, making: "job")) == [#"make("job", key: "a", start: 3)"#])
  }

  @Test func cancellingAKeySettlesItsCallersAndDropsItsOutcome() {
    var machine = running()
    #expect(machine.expects(1, key: "a"))
    #expect(
      texts(machine.cancel("a", with: "no"))
        == [#"discardResumption(key: "a")"#, "cancel(1)", #"deliver("no", to: [1])"#])
    #expect(!machine.expects(1, key: "a"))
    #expect(machine.finished(1, key: "a", with: "late").isEmpty)

    machine = connected(stored: ["b": "old"])
    #expect(
      texts(machine.cancel("b", with: "no"))
        == [#"discardResumption(key: "b")"#, #"discard(key: "b")"#])
    #expect(texts(machine.cancel("b", with: "no")) == [#"discardResumption(key: "b")"#])

    _ = machine.request("c", for: 2, making: "job")
    #expect(
      texts(machine.cancel("c", with: "no"))
        == [#"discardResumption(key: "c")"#, #"deliver("no", to: [2])"#])
    #expect(texts(machine.began(3, key: "c", start: 1)) == ["cancel(3)"])
  }

  @Test func aKeyThatIsCancelledBeforeTheListLosesWhatEarlierRunsHaveLeft() {
    var machine = Machine()
    _ = machine.request("left", for: 1, making: "job")
    #expect(machine.leave(1).isEmpty)
    _ = machine.request("joined", for: 2, making: "job")
    _ = machine.request("joined", for: 3, making: "job")
    #expect(machine.leave(2).isEmpty)
    _ = machine.request("again", for: 4, making: "job")
    #expect(
      texts(machine.cancel("again", with: "no"))
        == [#"discardResumption(key: "again")"#, #"deliver("no", to: [4])"#])
    _ = machine.request("again", for: 5, making: "job")
    #expect(!machine.expects(9, key: "again"))
    #expect(machine.finished(9, key: "again", with: "late").isEmpty)
    let actions = machine.connect(
      [(task: 7, key: "left"), (task: 8, key: "joined"), (task: 9, key: "again")],
      stored: ["again": "old", "left": "kept"])
    #expect(
      texts(actions) == [
        "cancel(7)", #"discard(key: "again")"#, #"make("job", key: "again", start: 1)"#,
      ])
    #expect(machine.callers(of: 8) == [3])
    // What a caller leaves is cancelled, and a stored outcome stays for the next one.
    #expect(machine.keys.finished == ["left"])
  }

  @Test func aRefusedContinuationStartsFromTheBeginningOnceForAllItsCallers() {
    var machine = running()
    _ = machine.request("a", for: 2, making: "other job")
    _ = machine.request("a", for: 3, making: nil)
    #expect(
      texts(machine.finished(1, key: "a", with: "refused", isRefusal: true))
        == [#"discardResumption(key: "a")"#, #"restart("job", key: "a", start: 2)"#])
    #expect(machine.keys.unfinished == ["a"] && machine.keys.finished.isEmpty)
    #expect(machine.leave(1).isEmpty)
    _ = machine.began(2, key: "a", start: 2)
    #expect(machine.callers(of: 2) == [2, 3])
    // Its task has no resume data, so its failure is no refusal.
    #expect(
      texts(machine.finished(2, key: "a", with: "lost"))
        == [#"storeResumption(of: "lost", key: "a")"#, #"deliver("lost", to: [2, 3])"#])
  }

  @Test func aRefusedContinuationOfAnEarlierRunStartsAgainWithTheJobOfACaller() {
    var machine = connected([(task: 7, key: "a"), (task: 8, key: "b")])
    _ = machine.request("a", for: 1, making: nil)
    _ = machine.request("a", for: 2, making: "job")
    #expect(
      texts(machine.finished(7, key: "a", with: "refused", isRefusal: true))
        == [#"discardResumption(key: "a")"#, #"restart("job", key: "a", start: 1)"#])
    _ = machine.request("b", for: 3, making: nil)
    #expect(
      texts(machine.finished(8, key: "b", with: "refused", isRefusal: true))
        == [#"storeResumption(of: "refused", key: "b")"#, #"deliver("refused", to: [3])"#])
  }

  @Test func aContinuationThatIsRefusedBeforeTheListStartsAgainAfterIt() {
    var machine = Machine()
    _ = machine.request("a", for: 1, making: "job")
    _ = machine.request("b", for: 2, making: nil)
    #expect(
      texts(machine.finished(7, key: "a", with: "refused", isRefusal: true))
        == [#"discardResumption(key: "a")"#])
    #expect(
      texts(machine.finished(8, key: "b", with: "refused", isRefusal: true))
        == [#"storeResumption(of: "refused", key: "b")"#, #"deliver("refused", to: [2])"#])
    #expect(
      texts(machine.connect([(task: 7, key: "a"), (task: 8, key: "b")], stored: [:]))
        == [#"make("job", key: "a", start: 1)"#])
  }

  @Test func aCancelledContinuationIsNotStartedAgain() {
    var machine = running()
    _ = machine.cancel("a", with: "no")
    #expect(machine.finished(1, key: "a", with: "refused", isRefusal: true).isEmpty)
    machine = running()
    _ = machine.leave(1)
    #expect(machine.finished(1, key: "a", with: "refused", isRefusal: true).isEmpty)
    // The restarted task is cancelled as soon as it is made.
    machine = running()
    _ = machine.finished(1, key: "a", with: "refused", isRefusal: true)
    #expect(machine.leave(1).isEmpty)
    #expect(texts(machine.began(2, key: "a", start: 2)) == ["cancel(2)"])
  }

  @Test func anEndOfTheEventsBeforeTheEndOfATransferIsNotThatOfTheTransfer() {
    var machine = running()
    _ = machine.endEvents()
    _ = machine.finished(1, key: "a", with: "done")
    #expect(machine.awaitEventsEnd(for: 2).isEmpty)
    #expect(texts(machine.endEvents()) == ["reportEventsEnd([2])"])
  }

  @Test func theEndOfTheEventsIsReportedWhetherTheCallerIsEarlyOrLate() {
    var machine = connected()
    #expect(machine.awaitEventsEnd(for: 1).isEmpty)
    #expect(machine.awaitEventsEnd(for: 2).isEmpty)
    _ = machine.leave(2)
    #expect(texts(machine.endEvents()) == ["reportEventsEnd([1])"])
    #expect(machine.endEvents().isEmpty)
    #expect(texts(machine.awaitEventsEnd(for: 3)) == ["reportEventsEnd([3])"])
    #expect(machine.awaitEventsEnd(for: 4).isEmpty)
  }

  @Test func theEndOfTheSessionLeavesNothingPending() {
    var machine = Machine()
    _ = machine.request("a", for: 1, making: nil)
    _ = machine.awaitEventsEnd(for: 2)
    #expect(
      texts(machine.invalidate("ended"))
        == [#"deliver("ended", to: [1])"#, "reportEventsEnd([2])"])
    #expect(machine.connect([], stored: [:]).isEmpty)
    #expect(
      texts(machine.request("b", for: 3, making: "job")) == [#"deliver("ended", to: [3])"#])
    #expect(texts(machine.awaitEventsEnd(for: 4)) == ["reportEventsEnd([4])"])
  }

  /// Random calls, events and relaunches, compared with the promises and tasks that exist outside of
  /// the machine.
  @Test(arguments: 0..<40) func everyCallerIsSettledOnceAndNoOutcomeIsLost(_ seed: UInt64) {
    var world = BackgroundWorld(seed: seed)
    for _ in 0..<400 { world.step() }
    world.finish()
    #expect(world.violations == [])
  }
}
