import Promises
import TestSupport
import Testing

/// `advance` returns when the handlers that it set off have.
@Suite(.timeLimit(.minutes(10)))
struct TestSchedulerHandlersTests {
  private static let contexts: [ExecutionContext] = [
    .main, .inline, .background, LabelledQueue().context,
  ]

  @Test(arguments: contexts.indices)
  func itWaitsForHandlersInEveryContext(_ index: Int) async {
    let time = TestScheduler()
    let log = Log<String>()
    after(.seconds(1), scheduler: time)
      .on(Self.contexts[index])
      .done { log.append("done") }
      .then { log.append("then") }
      .thenInBackground { log.append("background") }
      .always { _ in log.append("always") }
    await time.advance(by: .seconds(1))
    #expect(log.entries.sorted() == ["always", "background", "done", "then"])
  }

  @Test(arguments: contexts.indices)
  func itWaitsForHandlersThatNameTheirContext(_ index: Int) async {
    let time = TestScheduler()
    let log = Log<String>()
    let context = Self.contexts[index]
    after(.seconds(1), scheduler: time)
      .then(on: context) { log.append("a") }
      .then(on: .background) { Promise(on: context) { log.append("b") } }
      .always(on: context) { _ in log.append("c") }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["a", "b", "c"])
  }

  @Test func itWaitsForMainActorHandlers() async {
    let time = TestScheduler()
    let log = Log<String>()
    after(.seconds(1), scheduler: time)
      .done { @MainActor _ in log.append("done") }
      .always { @MainActor _ in log.append("always") }
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["done", "always"])
  }

  @Test func handlersOfOneActionEndBeforeTheNextAction() async {
    let time = TestScheduler()
    let log = Log<String>()
    for second in 1...5 {
      after(.seconds(second), scheduler: time)
        .thenInBackground { log.append("first \(second)") }
        .done { log.append("second \(second) \(time.now)") }
    }
    await time.advance(by: .seconds(5))
    let expected = (1...5).flatMap { ["first \($0)", "second \($0) \($0).0 seconds"] }
    #expect(log.entries == expected)
  }

  @Test func aHandlerThatSchedulesIsSeenInTheSameAdvance() async {
    let time = TestScheduler()
    let promise = after(.seconds(1), scheduler: time)
      .thenInBackground { after(.seconds(1), scheduler: time) }
      .then { time.now }
    await time.advance(by: .seconds(2))
    guard case .fulfilled(.seconds(2)) = promise.state else {
      return #expect(Bool(false), "\(promise.state)")
    }
  }

  @Test func aHandlerDroppedUnrunIsNotWaitedFor() async {
    let time = TestScheduler()
    let promise = after(.seconds(1), scheduler: time).then(on: .custom { _ in }) { 1 }
    await time.advance(by: .seconds(1))
    #expect(await promise.result.failure() == PromiseError.abandoned)
  }
}
