import Promises
import TestGate
import TestSupport
import Testing

/// Properties that read a promise without waiting.
@Suite(.gated)
struct PromiseStateTests {
  @Test func aPendingPromiseHasNeitherAValueNorAnError() {
    let (promise, resolver) = Promise<Int>.pending()
    #expect(promise.isPending && !promise.isFulfilled && !promise.isRejected)
    #expect(promise.currentValue == nil && promise.currentError == nil)
    #expect("\(promise)" == "Promise<Int>(pending)")
    resolver.fulfill(1)
  }

  @Test func aFulfilledPromiseHasItsValue() {
    let promise = Promise.fulfilled(["a"])
    #expect(promise.isFulfilled && !promise.isPending && !promise.isRejected)
    #expect(promise.currentValue == ["a"] && promise.currentError == nil)
    #expect("\(promise)" == #"Promise<Array<String>>(fulfilled: ["a"])"#)
  }

  @Test(arguments: Outcome.rejections)
  func aRejectedPromiseHasItsError(_ outcome: Outcome) async {
    let promise = TestPromise(outcome.result, .settled).promise
    #expect(promise.isRejected && !promise.isPending && !promise.isFulfilled)
    #expect(promise.currentValue == nil)
    #expect(outcome.matches(.failure(promise.currentError ?? PromiseError.empty)))
    promise.fail(on: .inline, policy: .allErrors) { _ in }
  }

  @Test func theDescriptionHasAtMost200CharactersOfTheOutcome() {
    let text = String(repeating: "x", count: 1_000)
    #expect("\(Promise.fulfilled(text))" == "Promise<String>(fulfilled: \(text.prefix(200)))")
    let rejected = Promise<Int>.rejected(TestError(text))
    let error = "\(TestError(text))".prefix(200)
    #expect("\(rejected)" == "Promise<Int>(rejected: \(error))")
    rejected.fail(on: .inline) { _ in }
  }

  @Test func aFulfilledPromiseOfAnOptionalHasAValue() {
    let promise = Promise<Int?>.fulfilled(nil)
    #expect(promise.isFulfilled)
    #expect(promise.currentValue == .some(.none))
  }
}
