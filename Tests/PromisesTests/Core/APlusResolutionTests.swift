import Promises
import TestGate
import TestSupport
import Testing

/// Promises/A+ 2.3: the resolution procedure.
@Suite(.gated)
struct APlusResolutionTests {
  @Test func aResolverGivenItsOwnPromiseRejectsWithCycle() async {  // 2.3.1
    let (promise, resolver) = Promise<Int>.pending()
    resolver.resolve(promise)
    #expect(await promise.result.failure() == PromiseError.cycle)
  }

  @Test(arguments: Timing.allCases)
  func aThenThatReturnsItsOwnPromiseRejectsWithCycle(_ timing: Timing) async {  // 2.3.1
    let subject = TestPromise(.success(1), timing == .settled ? .immediate : timing)
    let (own, box) = Promise<Promise<Int>>.pending()
    let next: Promise<Int> = subject.promise.then(on: .inline) { _ in own.then(on: .inline) { $0 } }
    box.fulfill(next)
    subject.settle()
    #expect(await next.result.failure() == PromiseError.cycle)
  }

  @Test func aCycleOfPromisesRejectsWithCycle() async {
    let pairs = (0..<5).map { _ in Promise<Int>.pending() }
    for (index, pair) in pairs.enumerated() {
      pair.resolver.resolve(pairs[(index + 1) % pairs.count].promise)
    }
    for pair in pairs {
      #expect(await pair.promise.result.failure() == PromiseError.cycle)
    }
  }

  @Test(arguments: 0..<50)
  func aPromiseThatAdoptsADerivedPromiseRejectsWithCycle(_ round: Int) async {
    let (promise, resolver) = Promise<Int>.pending()
    let derived = promise.map { $0 + 1 }.then { Promise.fulfilled($0) }.recover { throw $0 }
    resolver.resolve(derived)
    #expect(await promise.result.failure() == PromiseError.cycle)
    // The promise was its only consumer, so it is cancelled, unless the rejection arrives before.
    let result = await derived.result
    #expect(
      result.failure(as: CancellationError.self) != nil
        || result.failure(as: PromiseError.self) == .cycle)
  }

  @Test func aCycleThroughACombinatorRejectsWithCycle() async {
    let (promise, resolver) = Promise<Int>.pending()
    let (other, otherResolver) = Promise<Int>.pending()
    resolver.resolve(when([other, promise, other]).map { $0.reduce(0, +) })
    #expect(await promise.result.failure() == PromiseError.cycle)
    otherResolver.fulfill(1)
  }

  @Test func cyclesClosedConcurrentlyFromBothEndsAreDetected() async {
    for _ in 0..<300 {
      let (a, b) = (Promise<Int>.pending(), Promise<Int>.pending())
      async let first: Void = Task { a.resolver.resolve(b.promise) }.value
      async let second: Void = Task { b.resolver.resolve(a.promise) }.value
      _ = await (first, second)
      #expect(await a.promise.result.failure() == PromiseError.cycle)
      #expect(await b.promise.result.failure() == PromiseError.cycle)
    }
  }

  @Test(arguments: Timing.allCases, Timing.allCases)
  func aReturnedPromiseIsAdopted(_ outer: Timing, _ inner: Timing) async throws {  // 2.3.2
    let fulfilled = TestPromise(.success("value"), inner)
    let value = await apply(to: .success(1), outer) { promise in
      let next = promise.then { _ in fulfilled.promise }
      fulfilled.settle()
      return next
    }
    #expect(try value.get() == "value")

    let rejected = TestPromise(Result<String, any Error>.failure(TestError("inner")), inner)
    let error = await apply(to: Result<Int, any Error>.failure(TestError()), outer) { promise in
      let next = promise.map { "\($0)" }.recover { _ in rejected.promise }
      rejected.settle()
      return next
    }
    #expect(error.failure() == TestError("inner"))
  }

  @Test func anAdoptingPromiseStaysPendingUntilTheAdoptedPromiseSettles() {  // 2.3.2.1
    let (inner, innerResolver) = Promise<Int>.pending()
    let (outer, resolver) = Promise<Int>.pending()
    resolver.resolve(inner)
    guard case .pending = outer.state else { return #expect(Bool(false), "settled early") }
    innerResolver.fulfill(3)
    guard case .fulfilled(3) = outer.state else { return #expect(Bool(false), "did not follow") }
  }

  @Test func aPromiseThatAdoptedAnotherIgnoresItsResolver() async throws {  // 2.3.3.3.3
    let (inner, innerResolver) = Promise<Int>.pending()
    let (outer, resolver) = Promise<Int>.pending()
    resolver.resolve(inner)
    resolver.fulfill(1)
    resolver.reject(TestError())
    resolver.resolve(Promise.fulfilled(2))
    guard case .pending = outer.state else { return #expect(Bool(false), "a later call counted") }
    innerResolver.fulfill(3)
    #expect(try await outer.value == 3)
  }

  @Test(arguments: Timing.allCases)
  func aLongChainOfAdoptionsHasTheInnermostOutcome(_ timing: Timing) async throws {
    let subject = TestPromise(.success(9), timing)
    var promise = subject.promise
    for _ in 0..<100 {
      let inner = promise
      promise = Promise.fulfilled(()).then(on: .inline) { inner }
    }
    subject.settle()
    #expect(try await promise.value == 9)
  }

  @Test func aPromiseRejectedWithCycleNoLongerKeepsItsUpstreamRunning() {
    let log = Log<String>()
    let (work, workResolver) = Promise<Int>.pending()
    workResolver.onCancel { log.append("work cancelled") }
    let (promise, resolver) = Promise<Int>.pending()
    resolver.onCancel { log.append("the onCancel action ran") }
    promise.always(on: .inline) { log.append("\($0.failure(as: PromiseError.self) == .cycle)") }
    resolver.resolve(any([promise.map { $0 }, work]))
    #expect(log.entries == ["true", "work cancelled"])
  }

  @Test func aStepRejectedWithCycleLeavesOtherConsumersOfItsUpstream() async throws {
    let (work, workResolver) = Promise<Int>.pending()
    let (box, filled) = Promise<Promise<Int>>.pending()
    let (start, startResolver) = Promise<Int>.pending()
    let step = start.then(on: .inline) { _ -> Promise<Int> in
      guard case .fulfilled(let either) = box.state else { return work }
      return either
    }
    let either = any([step.map { $0 }, work])
    let other = either.map { $0 + 1 }
    filled.fulfill(either)
    startResolver.fulfill(1)
    #expect(step.rejectionError as? PromiseError == .cycle)
    #expect(work.isPending)
    workResolver.fulfill(1)
    #expect(try await other.value == 2)
  }
}
