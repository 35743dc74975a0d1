import TestGate
import TestSupport
import Testing

@testable import Promises

/// ``TestScheduler/run(file:line:_:)``: asynchronous operations in virtual time.
@Suite(.gated)
struct TestSchedulerRunTests {
  private let time = TestScheduler()

  @Test func theTimeAdvancesWheneverTheOperationWaits() async throws {
    let time = time
    let text = try await time.run {
      let first = try await after(.seconds(30), scheduler: time).map { "a" }.value
      return try await after(.seconds(10), scheduler: time).map { first + "b" }.value
    }
    #expect(text == "ab")
    #expect(time.elapsed == .seconds(40))
  }

  @Test func theTimeDoesNotAdvanceBeyondTheEnd() async throws {
    let time = time
    let late = after(.seconds(60), scheduler: time)
    try await time.run { try await after(.seconds(30), scheduler: time).value }
    #expect(time.elapsed == .seconds(30))
    #expect(late.isPending)
    await time.run()
    #expect(!late.isPending)
  }

  @Test func anActionThatATaskSchedulesLaterIsRun() async throws {
    let time = time
    let (opened, gate) = Promise<Void>.pending(on: .inline)
    let task = Task {
      try await opened.value
      try await after(.seconds(5), scheduler: time).value
    }
    try await time.run {
      // The operation waits for a task that the scheduler does not detect.
      gate.fulfill(())
      try await task.value
    }
    #expect(time.elapsed == .seconds(5))
  }

  @Test func theErrorOfTheOperationIsThrown() async {
    await #expect(throws: TestError.self) {
      try await time.run { throw TestError() }
    }
    #expect(time.elapsed == .zero)
  }

  @MainActor @Test func anOperationOnAnActorIsAwaited() async throws {
    let time = time
    var steps: [Int] = []
    try await time.run {
      steps.append(1)
      try await after(.seconds(1), scheduler: time).value
      steps.append(2)
    }
    #expect(steps == [1, 2])
    #expect(time.elapsed == .seconds(1))
  }

  /// Tasks that the scheduler cannot count, each repeated, because a race would not occur each time.
  @Suite struct UncountedTaskTests {
    /// Waits for three seconds twice, and returns the time at the end.
    @MainActor private static func waitTwice(_ time: TestScheduler) async throws -> Duration {
      for _ in 1...2 { try await after(.seconds(3)).value }
      return time.elapsed
    }

    private static let repetitions = 0..<20

    /// Waits until tasks have made a number of timers.
    private static func timers(_ count: Int, of time: TestScheduler) async {
      while time.scheduledCount < count { await Task.yield() }
    }

    @Test(arguments: repetitions)
    func anotherTimerDoesNotOvertakeAnOperationOnTheMainActor(_: Int) async throws {
      try await withVirtualTime { time in
        let clock = after(.seconds(60))
        let end = try await time.run { try await Self.waitTwice(time) }
        #expect(end == .seconds(6))
        #expect(clock.isPending)
      }
    }

    @Test(arguments: repetitions)
    func anotherTimerDoesNotOvertakeATaskThatIsAwaited(_: Int) async throws {
      try await withVirtualTime { time in
        let clock = after(.seconds(60))
        let task = Task { try await Self.waitTwice(time) }
        await Self.timers(2, of: time)
        let end = try await time.run { try await task.value }
        #expect(end == .seconds(6))
        #expect(clock.isPending)
      }
    }

    @Test(arguments: repetitions)
    func childTasksWaitAtTheSameTime(_: Int) async throws {
      try await withVirtualTime { time in
        let task = Task {
          async let first = Self.waitTwice(time)
          async let second = Self.waitTwice(time)
          return try await max(first, second)
        }
        await Self.timers(2, of: time)
        let end = try await time.run { try await task.value }
        #expect(end == .seconds(6))
      }
    }

    @MainActor @Test(arguments: repetitions)
    func aTaskThatHasJustBeenStartedMakesItsTimerBeforeTheTimeAdvances(_: Int) async throws {
      try await withVirtualTime { time in
        let task = Task { @MainActor in
          try await after(.milliseconds(300)).value
          return time.elapsed
        }
        await time.advance(by: .milliseconds(300))
        let end = try await task.value
        #expect(end == .milliseconds(300))
      }
    }

    @Test(arguments: repetitions)
    func theTimeStandsStillWhenTheOperationHasWhatItWaitsFor(_: Int) async throws {
      try await withVirtualTime { time in
        let (reached, resolver) = Promise<Void>.pending(on: .inline)
        let task = Task {
          try await after(.milliseconds(300)).value
          resolver.fulfill(())
          try await after(.seconds(5)).value
        }
        await Self.timers(1, of: time)
        try await time.run { try await reached.value }
        #expect(time.elapsed == .milliseconds(300))
        try await time.run { try await task.value }
      }
    }
  }

  @Test func cancellingTheCallerCancelsTheOperation() async {
    let time = time
    let (started, gate) = Promise<Void>.pending(on: .inline)
    let (never, resolver) = Promise<Void>.pending(on: .inline)
    let task = Task {
      try await time.run {
        gate.fulfill(())
        try await never.value
      }
    }
    _ = await started.result
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(never.rejectionError is CancellationError)
    withExtendedLifetime(resolver) {}
  }
}
