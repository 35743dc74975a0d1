import CatenaSystem
import Dispatch
import TestGate
import TestSupport
import Testing

@testable import Promises

/// ``Promise/explanation`` names the work that each pending promise waits for.
@Suite(.gated)
struct ExplanationTests {
  /// A way to leave a promise pending, with the lines of its explanation after the first one.
  struct Hang: Sendable, CustomTestStringConvertible {
    typealias Make =
      @Sendable (_ work: Promise<Int>, _ place: Place) async -> (Promise<Int>, [String])

    let testDescription: String
    let make: Make

    init(_ name: String, _ make: @escaping Make) {
      testDescription = name
      self.make = make
    }
  }

  /// The locations in this file.
  struct Place: Sendable {
    /// The line about a promise whose resolver is kept and not used.
    let work: String

    func callAsFunction(_ line: UInt = #line) -> String {
      "PromisesTests/ExplanationTests.swift:\(line)"
    }
  }

  private static let hangs: [Hang] = [
    Hang("a resolver that is not called") { work, place in (work, [place.work]) },
    Hang("a chain of steps") { work, place in
      let first = work.then(on: .inline) { $0 + 1 }
      let last = first.map { $0 }.tap { _ in }
      return (
        last,
        [
          "waits for the step at \(place(#line - 4))", "waits for the step at \(place(#line - 5))",
          place.work,
        ]
      )
    },
    Hang("a step whose promise is pending") { work, place in
      let step = Promise.fulfilled(1).then(on: .inline) { _ in work }
      return (step, ["waits for the step at \(place(#line - 1))", place.work])
    },
    Hang("a handler of a pending promise") { work, place in
      (work.done(on: .inline) { _ in }.fail { _ in }, [place.work])
    },
    Hang("a recovery whose promise is pending") { work, place in
      let step = Promise<Int>.rejected(TestError()).recover(on: .inline) { _ in work }
      return (step, ["waits for the step at \(place(#line - 1))", place.work])
    },
    Hang("an action of `ensure`") { work, place in
      let step = Promise.fulfilled(1).ensure(on: .inline) { work }
      return (step, ["waits for the step at \(place(#line - 1))", place.work])
    },
    Hang("a resolver that follows a pending promise") { work, place in
      let (promise, resolver) = Promise<Int>.pending()
      resolver.resolve(work)
      return (promise, ["waits for the promise at \(place(#line - 2))", place.work])
    },
    Hang("a timer, while virtual time stands") { _, place in
      let late = after(.seconds(30)).map { 1 }
      let line = place(#line - 1)
      return (
        late,
        [
          "waits for the timer started at \(line)",
          "virtual time stands at 0.0 seconds; the next timer is in 30.0 seconds",
        ]
      )
    },
    Hang("a delay between two attempts") { _, place in
      let attempts = retry(.exponential(initial: .seconds(8), jitter: .none, limit: 1)) { _ in
        Promise<Int>.rejected(TestError())
      }
      return (
        attempts,
        [
          "waits for the timer started at \(place(#line - 6))",
          "virtual time stands at 0.0 seconds; the next timer is in 8.0 seconds",
        ]
      )
    },
    Hang("an attempt") { work, place in
      let attempts = retry(.exponential(initial: .seconds(1), limit: 3)) { _ in work }
      return (attempts, ["waits for the step at \(place(#line - 1))", place.work])
    },
    Hang("a promise with a timeout") { work, place in
      let limited = work.timeout(.seconds(5))
      return (
        limited,
        [
          "waits for the step at \(place(#line - 4))", place.work,
          "virtual time stands at 0.0 seconds; the next timer is in 5.0 seconds",
        ]
      )
    },
    Hang("a task that awaits a promise") { work, place in
      let task = Promise { try await work.value }
      return (task, ["waits for the task started at \(place(#line - 1))"])
    },
    Hang("the last pending member of `when`") { work, place in
      let all = when([.fulfilled(1), work, .fulfilled(2)]).map { $0[0] }
      return (all, ["waits for the step at \(place(#line - 1))", place.work])
    },
    Hang("two members of `when`") { work, place in
      let all = when([work, .fulfilled(1), work.map { $0 }], on: .inline)
      let sum = all.map { $0.count }
      return (
        sum,
        [
          "waits for the step at \(place(#line - 4))",
          "waits for 2 promises at \(place(#line - 6))",
          "  \(place.work)", "  waits for the step at \(place(#line - 7))",
          "  \(place.work), as above",
        ]
      )
    },
    Hang("many members of `race`") { work, place in
      let first = race((0..<10_000).map { _ in work.map { $0 } })
      let (line, member) = (place(#line - 1), "  waits for the step at \(place(#line - 1))")
      return (
        first,
        [
          "waits for 10000 promises at \(line), 3 of which follow", member, "  \(place.work)",
          member,
          "  \(place.work), as above", member, "  \(place.work), as above",
        ]
      )
    },
    Hang("members of a bounded `when`") { work, place in
      let all = when(1...100, concurrency: 2) { _ in work }.map(\.count)
      return (
        all,
        [
          "waits for 2 promises at \(place(#line - 4))", "  \(place.work)",
          "  \(place.work), as above",
        ]
      )
    },
  ]

  /// Leaves promises pending, and returns the explanation without its first line.
  @Test(arguments: hangs)
  func aHangIsExplained(_ hang: Hang) async {
    await withVirtualTime { _ in
      let (work, resolver) = Promise<Int>.pending()
      let place = Place(work: "the resolver made at \(Place(work: "")(#line - 1)) was never used")
      let (promise, expected) = await hang.make(work, place)
      let hasTime = expected.last?.hasPrefix("virtual time") == true
      let time = hasTime ? [] : ["virtual time stands at 0.0 seconds; no timer waits"]
      #expect(
        promise.explanation.split(separator: "\n").map(String.init)
          == ["Promise<Int> is pending"] + expected + time)
      promise.cancel()
      resolver.fulfill(1)
    }
  }

  // MARK: Closures that are due

  @MainActor @Test func aClosureForTheMainQueueWaitsUntilTheQueueIsRun() {
    let text = Promise(on: .main) { 1 }
    let line = #line - 1
    let lines = [
      "Promise<Int> is pending",
      "waits for the closure at PromisesTests/ExplanationTests.swift:\(line), which is due; "
        + "the main queue is not run",
    ]
    #expect(text.explanation == lines.joined(separator: "\n"))
    #expect(text.debugDescription == text.explanation)
  }

  @Test func aClosureThatDoesNotReturnIsNamed() async throws {
    let (isRunning, mayReturn) = (Log<Void>(), DispatchSemaphore(value: 0))
    let step = Promise.fulfilled(1).then(on: LabelledQueue().context) { value in
      isRunning.append(())
      mayReturn.wait()
      return value
    }
    let line = #line - 5
    _ = await isRunning.entries(1)
    await mainQueueHasRun()
    let (text, resolver) = Promise<String>.pending(on: .inline)
    DispatchQueue.global().async { resolver.fulfill(step.explanation) }
    let place = "PromisesTests/ExplanationTests.swift:\(line)"
    #expect(
      try await text.value.hasPrefix(
        "Promise<Int> is pending\nwaits for the closure at \(place), which is due"))
    mayReturn.signal()
    #expect(try await step.value == 1)
    #expect(step.explanation == "Promise<Int> is fulfilled")
  }

  // MARK: Limits

  private static let length = 100_000

  @Test func aLongChainIsShownByItsEnds() async {
    let (work, resolver) = Promise<Int>.pending()
    await onThread(stackSize: 512 * 1024) {
      var last = work
      for line in 1...Self.length {
        last = last.then(on: .inline, file: "App/File.swift", line: UInt(line)) { $0 }
      }
      let lines = last.explanation.split(separator: "\n")
      #expect(lines.count == 51 && lines[1] == "waits for the step at App/File.swift:100000")
      #expect(lines[40] == "… \(Self.length - 48) more")
      #expect(lines[49] == "waits for the step at App/File.swift:1")
      last.cancel()
    }
    withExtendedLifetime(resolver) {}
  }

  @Test func stepsOfOneLineAreCounted() async {
    let (work, resolver) = Promise<Int>.pending()
    await onThread(stackSize: 512 * 1024) {
      var last = work
      for _ in 1...Self.length {
        last = last.then(on: .inline, file: "App/File.swift", line: 7) { $0 }
      }
      #expect(
        last.explanation.split(separator: "\n").dropFirst().first
          == "waits for the step at App/File.swift:7, \(Self.length) times")
      last.cancel()
    }
    withExtendedLifetime(resolver) {}
  }

  @Test func nestedGroupsAreBounded() {
    let (work, resolver) = Promise<Int>.pending()
    var group = work
    for _ in 0..<2_000 { group = when([group, work.map { $0 }]).map { $0[0] } }
    let lines = group.explanation.split(separator: "\n")
    #expect(lines.count == 51 && lines.allSatisfy { $0.count < 200 })
    group.cancel()
    withExtendedLifetime(resolver) {}
  }

  // MARK: Threads

  @Test func anExplanationMayBeReadWhileThePromiseSettles() async {
    for _ in 0..<10 {
      let (work, resolver) = Promise<Int>.pending()
      let steps = (0..<3).map { _ in work.then(on: .inline) { $0 }.map { $0 } }
      let all = when(steps).map { $0.count }
      await onThreads(4) { index in
        if index == 0 { resolver.fulfill(1) }
        for _ in 0..<3 { #expect(all.explanation.hasPrefix("Promise<Int> is ")) }
      }
      #expect(all.explanation == "Promise<Int> is fulfilled")
    }
  }

  @Test func aHandlerMayReadTheExplanationOfItsOwnChain() async throws {
    let (work, resolver) = Promise<Int>.pending()
    let (texts, chain) = (Log<String>(), Log<Promise<Int>>())
    let last = work.map { value in
      texts.append(chain.entries[0].explanation)
      return value
    }
    .map { $0 }
    chain.append(last)
    let (step, next) = (#line - 6, #line - 2)
    resolver.fulfill(1)
    #expect(last.isFulfilled)
    let lines = try #require(texts.entries.first).split(separator: "\n")
    let file = "PromisesTests/ExplanationTests.swift"
    #expect(lines[1] == "waits for the step at \(file):\(next)")
    #expect(lines[2].hasPrefix("waits for the closure at \(file):\(step), which is due"))
  }

  // MARK: Texts

  @Test func anExplanationHasNoValueAndNoError() {
    #expect(Promise.fulfilled("secret").explanation == "Promise<String> is fulfilled")
    let rejected = Promise<Int>.rejected(TestError("secret")).fail { _ in }
    #expect(rejected.explanation == "Promise<Int> is rejected")
    #expect(rejected.debugDescription == rejected.description)
    #expect("\([Promise.fulfilled(1)])" == "[Promise<Int>(fulfilled: 1)]")
  }

  @Test func aPromiseAndItsLocationDoNotGrow() {
    #expect(MemoryLayout<CallSite>.size == 24)
  }
}
