import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReduceTests {
  @Test func noElementsGiveTheInitialValue() async throws {
    let total = reduce([Int](), 5) { partial, element in .fulfilled(partial + element) }
    #expect(try await total.value == 5)
  }

  @Test(arguments: Timing.allCases)
  func stepsRunOneAfterTheOther(_ timing: Timing) async throws {
    let log = Log<String>()
    let text = reduce(1...3, "") { partial, element in
      log.append("start \(element)")
      let subject = TestPromise(.success(partial + "\(element)"), timing)
      let end = subject.promise.always(on: .inline) { _ in log.append("end \(element)") }
      subject.settle()
      return end
    }
    #expect(try await text.value == "123")
    #expect(log.entries == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
  }

  @Test(arguments: Outcome.rejections)
  func afterAFailureNoStepIsStarted(_ outcome: Outcome) async {
    let log = Log<Int>()
    let total = reduce(1...5, 0) { partial, element in
      log.append(element)
      return element == 3 ? TestPromise(outcome.result, .settled).promise : .fulfilled(partial)
    }
    #expect(outcome.matches(await total.result))
    #expect(log.entries == [1, 2, 3])
  }

  @Test func aStepThatThrowsRejects() async {
    let total = reduce(1...3, 0) { _, element -> Promise<Int> in throw TestError("\(element)") }
    #expect(await total.result.failure() == TestError("1"))
  }

  @Test func cancellingCancelsTheStepUnderWay() {
    let (step, resolver) = Promise<Int>.pending()
    let log = Log<Int>()
    let total = reduce(1...3, 0, on: .inline) { _, element in
      log.append(element)
      return step
    }
    total.cancel()
    #expect(step.isCancelled)
    #expect(log.entries == [1])
    resolver.fulfill(1)
  }

  @Test func stepsRunInTheContextItNames() async throws {
    let queue = LabelledQueue()
    let all = reduce(1...3, true, on: queue.context) { partial, _ in
      .fulfilled(partial && queue.isCurrent)
    }
    #expect(try await all.value)
  }

  @Test func tenThousandImmediateStepsTakeLittleStack() async {
    let log = Log<Int>()
    await onThread(stackSize: 512 << 10) {
      reduce(0..<10_000, 0, on: .inline) { .fulfilled($0 + $1) }
        .done(on: .inline) { log.append($0) }
    }
    #expect(await log.entries(1) == [49_995_000])
  }
}
