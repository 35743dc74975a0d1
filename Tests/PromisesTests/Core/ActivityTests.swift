import TestGate
import TestSupport
import Testing

@testable import Promises

/// The activities that a scheduler waits for, and the executor that counts the jobs of tasks.
@Suite(.gated)
struct ActivityTests {
  private let time = TestScheduler()
  private let log = Log<String>()

  /// Runs for a while without waiting.
  private static func work() async {
    for _ in 0..<200 { await Task.yield() }
  }

  @Test(arguments: 0..<20)
  func anAsynchronousStepOfAChainIsAnActivity(_ round: Int) async {
    let log = log
    after(.seconds(1), scheduler: time)
      .then { () async -> String in
        await Self.work()
        return "step"
      }
      .done { log.append($0) }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["step"])
  }

  @Test(arguments: 0..<20)
  func aTaskOfACountedPromiseAndThoseThatItStartsAreActivities(_ round: Int) async {
    let log = log
    let promise = ActivityExecutor.counting(for: time) {
      Promise {
        await Self.work()
        log.append("outer")
        return try await Promise {
          await Self.work()
          log.append("inner")
        }.value
      }
    }
    await time.advance(by: .zero)
    #expect(log.entries == ["outer", "inner"])
    #expect(promise.isSettled)
    #expect(ActivityExecutor.current == nil)
  }

  @Test func aSuspendedTaskIsNoActivity() async {
    let (gate, open) = Promise<Void>.pending()
    let promise = ActivityExecutor.counting(for: time) { Promise { try await gate.value } }
    await time.advance(by: .seconds(1))
    #expect(time.now == .seconds(1) && promise.isPending)
    open.fulfill(())
    await time.advance(by: .zero)
    #expect(promise.isSettled)
  }

  @Test func aSchedulerThatDoesNotWaitHasNoExecutor() {
    #expect(ActivityExecutor(for: LiveScheduler.live) == nil)
    #expect(ActivityExecutor.counting(for: .live) { ActivityExecutor.current } == nil)
    #expect(ActivityExecutor.counting(for: time) { ActivityExecutor.current } != nil)
    #expect(ExecutionContext.background.activityExecutor == nil)
    #expect(time.context(for: .background).activityExecutor != nil)
  }

  @Test(arguments: [true, false], 0..<20)
  func aHandlerMayBeAnActivityOfTwoSchedulers(_ isFirst: Bool, _ round: Int) async {
    let (log, other) = (log, TestScheduler())
    let context = other.context(for: time.context(for: time.context(for: .background)))
    Promise.fulfilled(()).done(on: context) {
      for _ in 0..<1_000 { log.append("a") }
      log.append("end")
    }
    await (isFirst ? time : other).advance(by: .zero)
    #expect(log.entries.last == "end")
  }

  @Test(arguments: 0..<20)
  func theTimeWaitsForTheLastOfTwoActivities(_ round: Int) async {
    let (log, time) = (log, time)
    let tokens = [time.beginActivity(), time.beginActivity()]
    async let advanced: Void = time.advance(by: .seconds(1))
    tokens[0]?.end()
    tokens[0]?.end()
    await Self.work()
    _ = time.schedule(after: .seconds(1)) { log.append("in time") }
    tokens[1]?.end()
    await advanced
    #expect(log.entries == ["in time"])
  }
}
