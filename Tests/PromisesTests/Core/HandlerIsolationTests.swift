import Promises
import TestGate
import TestSupport
import Testing

/// Closures without `on:` run on the actor in whose code they are written.
@Suite(.gated)
struct HandlerIsolationTests {
  @Test(arguments: HandlerOperator.allCases, Timing.allCases) @MainActor
  func aClosureOfAMainActorClassRunsOnTheMainActor(
    _ handler: HandlerOperator, _ timing: Timing
  ) async {
    let display = Display()
    let subject = TestPromise(handler.outcome, timing)
    display.attach(handler, to: subject.promise.on(.background))
    if !handler.startsImmediately { #expect(display.visits == 0) }
    subject.settle()
    _ = await display.log.entries(1)
    #expect(display.visits == 1)
  }

  @Test(arguments: HandlerOperator.allCases, Timing.allCases)
  func aClosureOfAnActorRunsOnTheActor(_ handler: HandlerOperator, _ timing: Timing) async {
    let worker = Worker()
    let subject = TestPromise(handler.outcome, timing)
    await worker.attach(handler, to: subject.promise.on(.background))
    subject.settle()
    _ = await worker.log.entries(1)
    #expect(await worker.visits == 1)
  }

  @Test(arguments: [Timing.settled, .eventual])
  func handlersOfAnActorRunInTheOrderOfAttachment(_ timing: Timing) async {
    let worker = Worker()
    let subject = TestPromise(.success(1), timing)
    for number in 0..<1_000 { await worker.append(number, after: subject.promise) }
    subject.settle()
    _ = await worker.log.entries(1_000)
    #expect(await worker.numbers == Array(0..<1_000))
  }

  /// The closures of this function have no isolation, because the function has none.
  @Test(
    arguments: HandlerOperator.allCases.filter { $0.placeWithoutIsolation != .task },
    Timing.allCases)
  func aClosureWithoutIsolationRunsInItsDefaultContext(
    _ handler: HandlerOperator, _ timing: Timing
  ) async {
    let (log, queue) = (Log<Bool>(), LabelledQueue())
    @Sendable func visit() {
      switch handler.placeWithoutIsolation {
      case .context: log.append(queue.isCurrent)
      case .inline: log.append(!queue.isCurrent && !isOnMainQueue)
      case .main: log.append(isOnMainQueue)
      case .task: break
      }
    }
    @Sendable func number() -> Int {
      visit()
      return 1
    }
    @Sendable func step() -> Promise<Int> { .fulfilled(number()) }
    let subject = TestPromise(handler.outcome, timing)
    let promise = subject.promise.on(queue.context)
    switch handler {
    case .done: promise.done { _ in visit() }
    case .fail: promise.fail { _ in visit() }
    case .failOfType: promise.fail(TestError.self) { _ in visit() }
    case .onCancel: promise.onCancel { visit() }
    case .always: promise.always { visit() }
    case .alwaysWithResult: promise.always { _ in visit() }
    case .tap: _ = promise.tap { _ in visit() }
    case .tapPromise: _ = promise.tap { _ in step() }
    case .then: _ = promise.then { _ in number() }
    case .thenPromise: _ = promise.then { _ in step() }
    case .map: _ = promise.map { _ in number() }
    case .compactMap: _ = promise.compactMap { _ in Optional(number()) }
    case .validate: _ = promise.validate { _ in number() == 1 }
    case .ensure: _ = promise.ensure { visit() }
    case .ensurePromise: _ = promise.ensure { step() }
    case .recover: _ = promise.recover { _ in number() }
    case .recoverPromise: _ = promise.recover { _ in step() }
    case .recoverType: _ = promise.recover(TestError.self) { _ in number() }
    case .recoverTypePromise: _ = promise.recover(TestError.self) { _ in step() }
    case .recoverCase: _ = promise.recover(TestError()) { number() }
    case .recoverCasePromise: _ = promise.recover(TestError()) { step() }
    case .retry: _ = retry(.immediate(limit: 1)) { $0 == 1 ? promise : step() }
    case .reduce: _ = reduce([1], 0) { _, _ in step() }
    case .when: _ = when([1, 2], concurrency: 1) { $0 == 1 ? promise : step() }
    case .settled: _ = settled([1, 2], concurrency: 1) { $0 == 1 ? promise : step() }
    case .firstly: _ = Promises.firstly { step() }
    case .thenAsync, .promiseAsync: break
    }
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test(arguments: HandlerOperator.allCases.filter(\.hasContext), Timing.allCases) @MainActor
  func aClosureWithAContextRunsThere(_ handler: HandlerOperator, _ timing: Timing) async {
    let display = Display()
    let queue = LabelledQueue()
    let subject = TestPromise(handler.outcome, timing)
    display.attach(handler, to: subject.promise, on: queue)
    subject.settle()
    #expect(await display.log.entries(1) == [true])
  }

  @Test(arguments: Timing.allCases)
  func aFunctionOfTheMainActorRunsThere(_ timing: Timing) async {
    let log = Log<Bool>()
    let subject = TestPromise(.success(log), timing)
    subject.promise.on(.background).done(appendOnMainActor)
    subject.settle()
    #expect(await log.entries(1) == [true])
  }

  @Test func aHandlerOfAnActorDoesNotInheritTheTaskLocalValuesOfTheSettlingThread() async {
    let worker = TaskLocalReader()
    let (promise, resolver) = Promise<Int>.pending()
    await worker.attach(to: promise)
    TaskLocalReader.$value.withValue(5) { resolver.fulfill(1) }
    #expect(await worker.log.entries(1) == [0])
  }

  // MARK: Operations

  /// Operations that settle on other threads while the first ones are still being started.
  @Test @MainActor
  func operationsOfTheMainActorNeverStartElsewhere() async throws {
    let display = Display()
    let numbers = try await when(0..<1_000, concurrency: 4) { number in
      display.visit()
      return Promise(on: .background) { number }
    }.value
    #expect(numbers == Array(0..<1_000))
    #expect(display.visits == 1_000)
  }

  @Test(arguments: [1, 3]) @MainActor
  func theFirstOperationsOfTheMainActorStartBeforeTheCallReturns(_ concurrency: Int) {
    let display = Display()
    let gates = (0..<3).map { _ in Promise<Int>.pending() }
    let combined = when(0..<3, concurrency: concurrency) { number in
      display.visit()
      return gates[number].promise
    }
    #expect(display.visits == concurrency)
    combined.cancel()
    for gate in gates { gate.resolver.fulfill(1) }
  }

  @Test @MainActor
  func theFirstAttemptOfTheMainActorStartsBeforeTheCallReturns() {
    let display = Display()
    let (gate, resolver) = Promise<Int>.pending()
    let promise = retry(.immediate(limit: 1)) { _ in
      display.visit()
      return gate
    }
    #expect(display.visits == 1)
    promise.cancel()
    #expect(resolver.isSettled)
  }

  // MARK: Virtual time

  @Test(arguments: HandlerOperator.allCases.filter(\.usesPromise)) @MainActor
  func virtualTimeWaitsForClosuresOfTheMainActor(_ handler: HandlerOperator) async {
    let (display, time) = (Display(), TestScheduler())
    let promise = after(.seconds(1), scheduler: time).map(on: .inline) { try handler.outcome.get() }
    display.attach(handler, to: promise, scheduler: time)
    await time.advance(by: .seconds(1))
    #expect(display.visits == 1)
  }

  @Test(arguments: HandlerOperator.allCases.filter(\.usesPromise))
  func virtualTimeWaitsForClosuresOfAnActor(_ handler: HandlerOperator) async {
    let (worker, time) = (Worker(), TestScheduler())
    let promise = after(.seconds(1), scheduler: time).map(on: .inline) { try handler.outcome.get() }
    await worker.attach(handler, to: promise, scheduler: time)
    await time.advance(by: .seconds(1))
    #expect(worker.log.entries == [true])
  }

  @Test @MainActor
  func virtualTimeWaitsForEachOperationOfTheMainActor() async {
    let (display, time) = (Display(), TestScheduler())
    let combined = when(1...3, concurrency: 1) { number in
      display.visit()
      return after(.seconds(number), scheduler: time)
    }
    await time.advance(by: .seconds(6))
    #expect(display.visits == 3)
    #expect(combined.isFulfilled)
  }

  @Test(arguments: 0..<20) @MainActor
  func virtualTimeWaitsForAnAsyncStepThatReturnsToTheMainActor(_ round: Int) async {
    let (display, time) = (Display(), TestScheduler())
    after(.seconds(1), scheduler: time)
      .then { () async in
        await yieldRepeatedly()
        display.visit()
        await yieldRepeatedly()
        display.visit()
      }
      .done { display.visit() }
    await time.advance(by: .seconds(1))
    #expect(display.visits == 3)
  }
}

private actor TaskLocalReader {
  @TaskLocal static var value = 0
  let log = Log<Int>()

  func attach(to promise: Promise<Int>) {
    promise.done { _ in self.read() }
  }

  private func read() {
    log.append(Self.value)
  }
}

@MainActor
private func appendOnMainActor(_ log: Log<Bool>) {
  MainActor.preconditionIsolated()
  log.append(isOnMainQueue)
}

/// Runs for a while outside of all actors, without waiting.
private func yieldRepeatedly() async {
  for _ in 0..<200 { await Task.yield() }
}
