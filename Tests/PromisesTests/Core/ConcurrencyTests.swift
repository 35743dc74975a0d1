import CatenaSystem
import Promises
import TestGate
import TestSupport
import Testing

/// Operations of many threads on shared promises, for the thread sanitizer.
@Suite(.gated)
struct ConcurrencyTests {
  private static let threads = 8

  /// Eight threads run 1,000,000 operations on shared promises: attach, settle, and cancel.
  @Test func everyHandlerRunsExactlyOnceInOrderAndNothingLeaks() async {
    let live = InstanceCounter()
    let operations = Counter()
    await hammer(rounds: 2_500, promises: 10, live: live, operations: operations)
    #expect(operations.value >= 1_000_000)
    #expect(live.liveCount == 0)
  }

  /// Each thread visits the same promises and attaches handlers before and after it settles or
  /// cancels one.
  ///
  /// The handlers that ran must be those attached, in that order.
  private func hammer(rounds: Int, promises: Int, live: InstanceCounter, operations: Counter) async
  {
    for _ in 0..<rounds {
      let shared = (0..<promises).map { _ in Shared(live) }
      await onTasks(Self.threads) { thread in
        for (index, promise) in shared.enumerated() {
          promise.use(by: thread, seed: index &+ thread)
        }
      }
      for promise in shared {
        #expect(promise.handled == promise.attached)
        operations.add(promise.operations)
      }
    }
  }

  private func onTasks(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<count { group.addTask { body(index) } }
    }
  }

  /// A promise shared by several threads, with a record of their operations.
  private final class Shared: Sendable {
    private let promise: Promise<InstanceCounter.Token>
    private let resolver: Resolver<InstanceCounter.Token>
    private let live: InstanceCounter
    /// The numbers of the attached handlers and of those that ran, in order, for each thread.
    private let attachedLists = Mutex([[Int]](repeating: [], count: ConcurrencyTests.threads))
    private let handledLists = Mutex([[Int]](repeating: [], count: ConcurrencyTests.threads))
    private let count = Counter()

    init(_ live: InstanceCounter) {
      let (promise, resolver) = Promise<InstanceCounter.Token>.pending()
      self.promise = promise.on(.custom(holding: live.token()))
      self.resolver = resolver
      self.live = live
      promise.fail(on: .inline) { _ in }
    }

    var attached: [[Int]] { attachedLists.withLock { $0 } }
    var handled: [[Int]] { handledLists.withLock { $0 } }
    var operations: Int { count.value }

    func use(by thread: Int, seed: Int) {
      attach(0, by: thread)
      attach(1, by: thread)
      switch seed % 3 {
      case 0: resolver.fulfill(live.token())
      case 1: promise.then(on: .inline) { _ in }.cancel()
      default: resolver.reject(TestError())
      }
      attach(2, by: thread)
      if seed % 7 == 0 { promise.cancel() }
      attach(3, by: thread)
      count.add(6)
    }

    private func attach(_ number: Int, by thread: Int) {
      let token = live.token()
      attachedLists.withLock { $0[thread].append(number) }
      promise.always(on: .inline) { _ in
        withExtendedLifetime(token) {
          self.handledLists.withLock { $0[thread].append(number) }
        }
      }
    }
  }

  @Test func whenCombinesPromisesSettledByManyThreads() async throws {
    for _ in 0..<200 {
      let pairs = (0..<64).map { _ in Promise<Int>.pending() }
      let combined = when(pairs.map(\.promise))
      await onTasks(Self.threads) { thread in
        for index in stride(from: thread, to: 64, by: Self.threads) {
          pairs[index].resolver.fulfill(index)
        }
      }
      #expect(try await combined.value == Array(0..<64))
    }
  }

  @Test func handlersAttachedWhileAnotherThreadDeliversKeepTheirOrder() async {
    for _ in 0..<500 {
      let (promise, resolver) = Promise<Int>.pending()
      let log = Log<Int>()
      for number in 0..<20 { promise.done(on: .inline) { _ in log.append(number) } }
      async let settling: Void = Task { resolver.fulfill(1) }.value
      for number in 20..<40 { promise.done(on: .inline) { _ in log.append(number) } }
      await settling
      #expect(await log.entries(40) == Array(0..<40))
    }
  }

  @Test func aRaceBetweenCancellingAndSettlingLosesNoHandler() async {
    for _ in 0..<500 {
      let (promise, resolver) = Promise<Int>.pending()
      let log = Log<Bool>()
      let tail = promise.then(on: .inline) { Promise.fulfilled($0) }.map { $0 }
      tail.always(on: .inline) { log.append($0.error == nil) }
      await onTasks(2) { $0 == 0 ? tail.cancel() : resolver.fulfill(1) }
      #expect(log.entries.count == 1)
    }
  }
}
