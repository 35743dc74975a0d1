import Dispatch
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import Promises

@Suite(.gated)
struct RequestQueueTests {
  /// A backend whose requests stay open until the test completes them.
  private final class Backend: Sendable {
    let started = Log<Int>()
    let promises: [NetworkPromise]
    let queue: RequestQueue
    private let open: [(promise: NetworkPromise, resolver: Resolver<Response>)]

    init(
      _ count: Int, _ mode: RequestMode, _ priorities: [Request.Priority] = [],
      isSuspended: Bool = false
    ) {
      let queue = RequestQueue(mode, scheduler: .live)
      if isSuspended { queue.suspend() }
      self.queue = queue
      let open = (0..<count).map { _ in NetworkPromise.pending() }
      let started = started
      promises = (0..<count).map { number in
        let pending = NetworkPromise.pending()
        let priority = priorities.isEmpty ? .normal : priorities[number % priorities.count]
        queue.add(pending, priority: priority) {
          started.append(number)
          return open[number].promise
        }
        return pending.promise
      }
      self.open = open
    }

    func respond(to number: Int) {
      open[number].resolver.fulfill(
        Response(
          head: HTTPResponseHead(status: 200), request: HTTPRequest(url: .of("http://a.example/"))))
    }
  }

  @Test func syncRunsRequestsSeriallyInOrder() async {
    let backend = Backend(5, .sync)
    for number in 0..<5 {
      #expect(await backend.started.entries(number + 1) == Array(0...number))
      backend.respond(to: number)
    }
  }

  @Test func limitedReachesAndNeverExceedsItsLimit() async {
    let backend = Backend(9, .limited(3))
    for number in 0..<9 {
      let started = await backend.started.entries(min(number + 3, 9))
      #expect(started.count == min(number + 3, 9))
      backend.respond(to: started[number])
    }
  }

  @Test func onlyARequestThatHasNotWaitedAndDelaysNoOtherHasTheFastPath() throws {
    func request() -> QueuedRequest {
      QueuedRequest(pending: NetworkPromise.pending()) { NetworkPromise.pending().promise }
    }
    var state = RequestQueueState(width: 1)
    var slot = state.add(request(), .normal)
    var isFinished = state.finishIfNoneWait(try #require(slot))
    #expect(isFinished)
    slot = state.add(request(), .normal)
    let waiting = state.add(request(), .low)
    #expect(waiting == nil)
    isFinished = state.finishIfNoneWait(try #require(slot))
    #expect(!isFinished)
    slot = state.finish(try #require(slot))
    // This request has waited, so the handlers of the one before it come first.
    isFinished = state.finishIfNoneWait(try #require(slot))
    #expect(!isFinished)
    slot = state.finish(try #require(slot))
    #expect(slot == nil && state.requests.0.isEmpty && state.requests.1.isEmpty)
  }

  @Test func requestsStartInOrderAfterResumeEvenIfOneEndsImmediately() async {
    let backend = Backend(5, .limited(3), isSuspended: true)
    backend.respond(to: 0)
    backend.queue.resume()
    #expect(await backend.started.entries(4) == [0, 1, 2, 3])
    for number in 1..<5 { backend.respond(to: number) }
  }

  @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (7, 7)])
  func limitedIsAtLeastOne(_ number: Int, _ width: Int) {
    #expect(RequestMode.limited(number).width == width)
  }

  @Test func asyncRunsAllRequestsConcurrently() async {
    let backend = Backend(500, .async)
    #expect(await backend.started.entries(500).count == 500)
    for number in 0..<500 { backend.respond(to: number) }
  }

  @Test func aRequestFromTheMainQueueStartsOnAnotherQueue() async {
    let queue = RequestQueue(.async, scheduler: .live)
    let isOnMain = Log<Bool>()
    await MainActor.run {
      queue.add(NetworkPromise.pending(), priority: .normal) {
        isOnMain.append(isOnMainQueue)
        return NetworkPromise.pending().promise
      }
    }
    #expect(await isOnMain.entries(1) == [false])
  }

  @Test func higherPriorityRunsFirstAndEqualPriorityInOrder() async {
    let priorities = [Request.Priority.veryLow, .low, .normal, .high, .veryHigh]
    let backend = Backend(10, .sync, priorities, isSuspended: true)
    backend.queue.resume()
    let order = [4, 9, 3, 8, 2, 7, 1, 6, 0, 5]
    for number in order { backend.respond(to: number) }
    #expect(await backend.started.entries(10) == order)
  }

  @Test func aSuspendedQueueStartsNothing() async {
    let backend = Backend(3, .limited(2), isSuspended: true)
    #expect(backend.started.entries.isEmpty)
    backend.queue.resume()
    #expect(await backend.started.entries(2) == [0, 1])
    backend.queue.suspend()
    backend.respond(to: 0)
    #expect(backend.started.entries == [0, 1])
    backend.queue.resume()
    #expect(await backend.started.entries(3) == [0, 1, 2])
    for number in 1..<3 { backend.respond(to: number) }
  }

  @Test func aCancelledQueuedRequestNeverStarts() async {
    let backend = Backend(3, .sync)
    _ = await backend.started.entries(1)
    backend.promises[1].cancel()
    backend.respond(to: 0)
    #expect(await backend.started.entries(2) == [0, 2])
    backend.respond(to: 2)
  }

  @Test func anOrderedQueueRunsTheHandlersOfARequestBeforeTheNextRequest() async {
    let backend = Backend(2, .sync)
    let begun = Log<Int>()
    backend.promises[0].map(\.status).map { $0 + 1 }
      .always(on: .inline) { _ in begun.append(backend.started.entries.count) }
    backend.respond(to: 0)
    #expect(await begun.entries(1) == [1])
    #expect(await backend.started.entries(2) == [0, 1])
    backend.respond(to: 1)
  }

  @Test func aHundredThousandCancelledRequestsDoNotGrowTheStack() async {
    let backend = Backend(100_000, .sync)
    for promise in backend.promises[1..<99_999] { promise.cancel() }
    backend.respond(to: 0)
    #expect(await backend.started.entries(2) == [0, 99_999])
    backend.respond(to: 99_999)
  }

  @Test func cancellingAllRejectsQueuedRequestsWithoutStartingThem() async {
    let backend = Backend(3, .sync)
    _ = await backend.started.entries(1)
    backend.queue.cancelAll()
    for promise in backend.promises { #expect(await promise.result.error is CancellationError) }
    backend.respond(to: 0)
    #expect(backend.started.entries == [0])
  }

  /// Returns the promise of a response that is already available, like that of a mock.
  private static func fulfilled(_ number: Int) -> NetworkPromise {
    .fulfilled(
      Response(
        head: HTTPResponseHead(status: number), request: HTTPRequest(url: .of("http://a.example/")))
    )
  }

  @Test(arguments: [RequestMode.async, .limited(2), .sync])
  func immediateResponsesOccupyNoSlot(_ mode: RequestMode) async throws {
    let queue = RequestQueue(mode, scheduler: .live)
    for number in 200..<300 {
      let pending = NetworkPromise.pending(on: .inline)
      queue.add(pending, priority: .normal) { Self.fulfilled(number) }
      #expect(try await pending.promise.value.status == number)
    }
  }

  @Test(arguments: [RequestMode.limited(2), .sync])
  func immediateResponsesDoNotStarveQueuedRequests(_ mode: RequestMode) async throws {
    let queue = RequestQueue(mode, scheduler: .live)
    queue.suspend()
    let started = Log<Int>()
    let promises = (200..<300).map { number in
      let pending = NetworkPromise.pending(on: .inline)
      queue.add(pending, priority: .normal) {
        started.append(number)
        return Self.fulfilled(number)
      }
      return pending.promise
    }
    queue.resume()
    for promise in promises { _ = try await promise.value }
    #expect(started.entries.sorted() == Array(200..<300))
  }

  @Test(arguments: [RequestMode.limited(4), .sync])
  func aHundredThousandImmediateResponsesDoNotGrowTheStack(_ mode: RequestMode) async {
    let queue = RequestQueue(mode, scheduler: .live)
    queue.suspend()
    let completed = Log<Int>()
    for number in 0..<100_000 {
      let pending = NetworkPromise.pending(on: .inline)
      pending.promise.done { _ in completed.append(number) }
      queue.add(pending, priority: .normal) { Self.fulfilled(200) }
    }
    await onThread(stackSize: 1 << 17) { queue.resume() }
    let entries = completed.entries
    #expect(entries.count == 100_000)
    // The first requests start immediately; each of them is followed by queued ones.
    let others = entries.filter { $0 >= mode.width }
    let areInOrder = others == others.sorted()
    #expect(areInOrder)
  }

  @Test func aHandlerOfAnImmediateResponseFindsAFreeSlot() async throws {
    let queue = RequestQueue(.limited(2), scheduler: .live)
    let inner = NetworkPromise.pending(on: .inline)
    let outer = (0..<2).map { number in
      let pending = NetworkPromise.pending(on: .inline)
      if number == 1 {
        pending.promise.done { _ in
          queue.add(inner, priority: .normal) { Self.fulfilled(204) }
        }
      }
      queue.add(pending, priority: .normal) {
        number == 0 ? NetworkPromise.pending(on: .inline).promise : Self.fulfilled(200)
      }
      return pending.promise
    }
    #expect(try await inner.promise.value.status == 204)
    withExtendedLifetime(outer) {}
  }

  /// The transport alone has the virtual time, so the client does not know it.
  @MainActor @Test func aRequestOnItsWayFromTheMainQueueHoldsTheTimeOfTheCaller() async throws {
    let time = TestScheduler()
    let isIdle = Log<Bool>()
    let transport = FakeTransport { _ in
      // Longer than the code on the main actor runs.
      let turns = DispatchSemaphore(value: 0)
      ExecutorTurns.pass(atLeast: .zero, atMost: .zero) { turns.signal() }
      turns.wait()
      isIdle.append(time.isIdle)
      return .response(200)
    }
    let client = Networking<Request>(transport: transport)
    let response = try await time.run { try await client.request(.get("http://a.test/")).value }
    #expect(response.status == 200 && isIdle.entries == [false])
  }
}
