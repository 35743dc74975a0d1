import Foundation
import Promises
import TestSupport
import Testing

@testable import Networking

@Suite(.timeLimit(.minutes(10)))
struct OperationTests {
  private func queue(_ mode: RequestMode) -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = mode.width
    return queue
  }

  /// Requests that stay open until the test answers them.
  private final class Backend: Sendable {
    let started = Log<Int>()
    let open: [(promise: NetworkPromise, resolver: Resolver<Response>)]

    init(_ count: Int) {
      open = (0..<count).map { _ in NetworkPromise.pending() }
    }

    func operation(_ number: Int) -> (operation: NetworkOperation, promise: NetworkPromise) {
      let pending = NetworkPromise.pending()
      let operation = NetworkOperation(pending) {
        self.started.append(number)
        return self.open[number].promise
      }
      return (operation, pending.promise)
    }

    func answer(_ number: Int) {
      open[number].resolver.fulfill(
        Response(
          head: HTTPResponseHead(status: 200), request: HTTPRequest(url: .of("http://a.example/"))))
    }
  }

  @Test func syncRunsOneAtATimeInOrder() async {
    let backend = Backend(5)
    let queue = queue(.sync)
    for number in 0..<5 { queue.addOperation(backend.operation(number).operation) }
    for number in 0..<5 {
      #expect(await backend.started.entries(number + 1) == Array(0...number))
      backend.answer(number)
    }
  }

  @Test func limitedReachesItsNumberAndNoMore() async {
    let backend = Backend(9)
    let queue = queue(.limited(3))
    for number in 0..<9 { queue.addOperation(backend.operation(number).operation) }
    for number in 0..<9 {
      let started = await backend.started.entries(min(number + 3, 9))
      #expect(started.count == min(number + 3, 9))
      backend.answer(started[number])
    }
  }

  @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (7, 7)])
  func limitedIsAtLeastOne(_ number: Int, _ width: Int) {
    #expect(RequestMode.limited(number).width == width)
  }

  @Test func asyncReachesAllOfThem() async {
    let backend = Backend(500)
    let queue = queue(.async)
    for number in 0..<500 { queue.addOperation(backend.operation(number).operation) }
    #expect(await backend.started.entries(500).count == 500)
    for number in 0..<500 { backend.answer(number) }
  }

  @Test func aQueuedRequestThatIsCancelledIsNeverStarted() async {
    let backend = Backend(3)
    let queue = queue(.sync)
    let all = (0..<3).map { backend.operation($0) }
    for (operation, _) in all { queue.addOperation(operation) }
    _ = await backend.started.entries(1)
    all[1].promise.cancel()
    backend.answer(0)
    #expect(await backend.started.entries(2) == [0, 2])
    backend.answer(2)
  }

  @Test func cancellingTheOperationRejectsItsPromise() async {
    let backend = Backend(1)
    let queue = queue(.async)
    let (operation, promise) = backend.operation(0)
    queue.addOperation(operation)
    _ = await backend.started.entries(1)
    queue.cancelAllOperations()
    #expect(await promise.result.error is CancellationError)
    backend.answer(0)
  }
}
