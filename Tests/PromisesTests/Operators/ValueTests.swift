import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct ValueTests {
  @Test(arguments: Timing.allCases, Outcome.allCases)
  func resultReturnsTheOutcome(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    async let result = subject.promise.result
    subject.settle()
    #expect(outcome.matches(await result))
  }

  @Test(arguments: Timing.allCases, Outcome.allCases)
  func valueReturnsOrThrows(_ timing: Timing, _ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, timing)
    async let value = subject.promise.value
    subject.settle()
    do {
      let value = try await value
      #expect(outcome.matches(.success(value)))
    } catch {
      #expect(outcome.matches(.failure(error)))
    }
  }

  @Test func manyTasksCanAwaitOnePromise() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let tasks = (0..<20).map { _ in Task { try await promise.value } }
    resolver.fulfill(3)
    for task in tasks { #expect(try await task.value == 3) }
  }

  @Test func cancellingTheOnlyAwaitingTaskCancelsThePromise() async {
    let (promise, resolver) = Promise<Int>.pending()
    let cancelled = Log<String>()
    resolver.onCancel { cancelled.append("work") }
    let task = Task { await promise.result }
    task.cancel()
    #expect(await task.value.error is CancellationError)
    #expect(await cancelled.entries(1) == ["work"])
    #expect(promise.isCancelled)
  }

  @Test func aRaceBetweenCancellingTheTaskAndSettlingResumesItOnce() async {
    for number in 0..<1_000 {
      let (promise, resolver) = Promise<Int>.pending(on: .inline)
      let task = Task { await promise.result }
      let settling = Task { resolver.fulfill(number) }
      task.cancel()
      switch await task.value {
      case .success(let value): #expect(value == number)
      case .failure(let error): #expect(error is CancellationError)
      }
      await settling.value
      #expect(!promise.isPending)
    }
  }

  @Test func cancellingATaskKeepsAPromiseThatOthersAwait() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let other = promise.map { $0 + 1 }
    let task = Task { try await promise.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(promise.isPending)
    resolver.fulfill(1)
    #expect(try await other.value == 2)
  }

  @Test func theTaskThatIsNotCancelledReceivesTheValue() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    let keeper = promise.done { _ in }
    let leaving = Task { try await promise.value }
    let staying = Task { try await keeper.value }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    resolver.fulfill(5)
    #expect(try await staying.value == 5)
  }

  @Test func aTaskThatIsAlreadyCancelledThrowsImmediately() async {
    let (promise, resolver) = Promise<Int>.pending()
    let (gate, open) = Promise<Void>.pending()
    let task = Task {
      await withTaskCancellationHandler {
        _ = await gate.result
        #expect(Task.isCancelled)
        return await promise.result
      } onCancel: {
        open.fulfill(())
      }
    }
    task.cancel()
    #expect(await task.value.error is CancellationError)
    #expect(promise.isCancelled)
    resolver.fulfill(1)
  }

  @Test(arguments: Outcome.allCases)
  func aCancelledTaskReceivesTheOutcomeOfASettledPromise(_ outcome: Outcome) async {
    let subject = TestPromise(outcome.result, .settled)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await subject.promise.result
    }
    #expect(outcome.matches(await task.value))
  }

  @Test func aCancelledAwaitReleasesThePromise() async {
    let live = InstanceCounter()
    do {
      let token = live.token()
      let (promise, resolver) = Promise<InstanceCounter.Token>.pending()
      let task = Task { try await promise.value }
      resolver.fulfill(token)
      _ = await task.result
    }
    #expect(live.liveCount == 0)
  }
}
