import TestGate
import TestSupport
import Testing

@testable import Promises

/// The scope of `withVirtualTime`, in which `.live` is on the virtual time.
@Suite(.gated)
struct VirtualTimeScopeTests {
  private let log = Log<String>()

  /// Runs for a while without waiting.
  private static func work() async {
    for _ in 0..<200 { await Task.yield() }
  }

  @Test func functionsWithoutASchedulerUseTheVirtualTime() async {
    let (pending, resolver) = Promise<Int>.pending()
    await withVirtualTime { [log] time in
      after(.seconds(10)).done { log.append("after at \(time.now)") }
      Promise.fulfilled(1).delay(.seconds(20)).done { _ in log.append("delay at \(time.now)") }
      pending.timeout(.seconds(30)).fail { error in log.append("\(error) at \(time.now)") }
      retry(.exponential(initial: .seconds(40), jitter: .none, limit: 1)) { _ in
        Promise<Int>.rejected(TestError("retry"))
      }
      .fail { error in log.append("\(error) at \(time.now)") }
      await time.run()
    }
    #expect(
      log.entries == [
        "after at 10.0 seconds", "delay at 20.0 seconds",
        "\(PromiseError.timedOut) at 30.0 seconds", "TestError(retry) at 40.0 seconds",
      ])
    #expect(resolver.isSettled)
  }

  @Test func handlersAttachedInTheScopeUseTheVirtualTime() async {
    let (start, resolver) = Promise<Void>.pending()
    await withVirtualTime { [log] time in
      let chain =
        start
        .then(on: .background) { after(.seconds(5)) }
        .then(on: .main) { after(.seconds(5)) }
        .recover(on: .inline) { _ in after(.seconds(5)) }
        .then { after(.seconds(5)) }
        .done { log.append("\(time.now)") }
      // Settled by code outside of the scope.
      Task.detached { resolver.fulfill(()) }
      _ = await start.result
      await time.run()
      #expect(chain.isSettled)
    }
    #expect(log.entries == ["15.0 seconds"])
  }

  @Test(arguments: 0..<20)
  func advancingWaitsForHandlersOfChainsThatStartWithoutAScheduler(_ round: Int) async {
    let (start, resolver) = Promise<Void>.pending()
    await withVirtualTime { [log] time in
      start
        .then(on: .background) { log.append("background") }
        .done(on: .main) { log.append("main") }
      resolver.fulfill(())
      await time.advance(by: .zero)
      #expect(log.entries == ["background", "main"])
    }
  }

  @Test(arguments: PromiseInContext.allCases, 0..<20)
  func workOfAPromiseInAContextBelongsToTheScope(_ kind: PromiseInContext, _ round: Int) async {
    await withVirtualTime { [log] time in
      let promise = kind.promise(on: .background) {
        log.append("\(TestScheduler.current === time)")
        return LiveScheduler.live.now
      }
      await time.advance(by: .zero)
      #expect(log.entries == ["true"])
      #expect(promise.currentValue == .zero)
    }
  }

  @Test(arguments: 0..<20)
  func advancingWaitsForTheTasksOfPromises(_ round: Int) async {
    await withVirtualTime { [log] time in
      Promise { await Self.work() }
        .then { () async -> String in
          await Self.work()
          return "step"
        }
        .done { log.append($0) }
      await time.advance(by: .zero)
      #expect(log.entries == ["step"])
    }
  }

  @Test(arguments: 0..<20) @MainActor
  func advancingWaitsForAsyncStepsOfTheMainActor(_ round: Int) async {
    await withVirtualTime { [log] time in
      Promise.fulfilled(())
        .then { () async -> String in
          await Self.work()
          MainActor.preconditionIsolated()
          await Self.work()
          return "step"
        }
        .done { log.append($0) }
      await time.advance(by: .zero)
      #expect(log.entries == ["step"])
    }
  }

  @Test func tasksAndTaskGroupsBelongToTheScope() async {
    await withVirtualTime { time in
      let isCurrent = await Task { TestScheduler.current === time }.value
      #expect(isCurrent)
      await withTaskGroup(of: Bool.self) { group in
        group.addTask { TestScheduler.current === time }
        for await isCurrent in group { #expect(isCurrent) }
      }
    }
  }

  @Test func aDetachedTaskUsesTheSystemClock() async {
    await withVirtualTime { _ in
      let isOnSystemClock = await Task.detached {
        TestScheduler.current == nil && LiveScheduler.live === LiveScheduler.system
      }.value
      #expect(isOnSystemClock)
    }
  }

  @Test func aSchedulerThatWasReadOutsideStaysOnTheSystemClock() async {
    let live = LiveScheduler.live
    await withVirtualTime { time in
      await time.advance(by: .seconds(1))
      #expect(LiveScheduler.live.now == .seconds(1))
      #expect(live === LiveScheduler.system)
      #expect(live.beginActivity() == nil)
    }
    #expect(LiveScheduler.live === LiveScheduler.system)
    #expect(TestScheduler.current == nil)
  }

  @Test func aSchedulerThatWasReadInsideStaysOnTheVirtualTime() async {
    let (live, time) = await withVirtualTime { time in (LiveScheduler.live, time) }
    let log = log
    _ = live.schedule(after: .seconds(1)) { log.append("due") }
    let cancelled = live.schedule(after: .seconds(1)) { log.append("cancelled") }
    cancelled.cancel()
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["due"])
    #expect(live.now == .seconds(1))
  }

  @Test func anInnerScopeTakesPrecedence() async {
    await withVirtualTime { outer in
      let given = TestScheduler()
      await withVirtualTime(given) { inner in
        #expect(inner === given)
        #expect(TestScheduler.current === inner)
      }
      #expect(TestScheduler.current === outer)
    }
  }

  @Test func concurrentScopesAreIndependent() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 1...100 {
        group.addTask {
          await withVirtualTime { time in
            let late = after(.seconds(number)).then(on: .background) { time.now }
            await time.run()
            #expect(late.currentValue == .seconds(number))
          }
        }
      }
    }
  }
}

/// A way to start work in a context.
enum PromiseInContext: CaseIterable, Sendable {
  case value, promise, resolver, closures, firstly

  func promise<Value: Sendable>(
    on context: ExecutionContext, _ work: @escaping @Sendable () -> Value
  ) -> Promise<Value> {
    switch self {
    case .value: Promise(on: context) { work() }
    case .promise: Promise(on: context) { Promise.fulfilled(work()) }
    case .resolver: Promise(on: context) { resolver in resolver.fulfill(work()) }
    case .closures: Promise(on: context) { fulfill, _ in fulfill(work()) }
    case .firstly: Promises.firstly(on: context) { .fulfilled(work()) }
    }
  }
}
