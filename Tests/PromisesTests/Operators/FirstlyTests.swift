import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FirstlyTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func firstlyIsThePromiseItStarts(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    let promise = firstly { subject.promise }
    #expect(promise === subject.promise)
    subject.settle()
    #expect(outcome.matches(await promise.result))
  }

  @Test func whatFirstlyThrowsRejects() async {
    let promise = firstly { () -> Promise<Int> in throw TestError("early") }
    #expect(await promise.result.failure() == TestError("early"))
  }

  @Test func firstlyRunsHereAndNow() {
    var hasRun = false
    _ = firstly {
      hasRun = true
      return Promise.fulfilled(1)
    }
    #expect(hasRun)
  }
}
