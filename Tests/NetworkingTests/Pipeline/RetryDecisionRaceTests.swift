import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// Responses that end while the retry stage decides by their heads.
@Suite(.gated)
struct RetryDecisionRaceTests {
  /// A server that sends the head of the first response, and 503 to all later requests.
  private final class Server: Transport {
    private let receivers = Mutex<[@Sendable (TransportEvent) -> Void]>([])
    var needsNetwork: Bool { false }
    var requestCount: Int { receivers.withLock { $0.count } }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      let number = receivers.withLock { receivers in
        receivers.append(receive)
        return receivers.count
      }
      receive(.head(HTTPResponseHead(status: 503)))
      if number > 1 { receive(.end(TransportMetrics())) }
      return Handle()
    }

    func sendToFirst(_ event: TransportEvent) { receivers.withLock { $0[0] }(event) }

    private struct Handle: TransportHandle {
      func cancel() {}
      func suspend() {}
      func resume() {}
    }
  }

  /// Runs two calls with one retry each, and returns the number of requests of each.
  ///
  /// The budget has a number of retries. The first response has an event during the decision about it.
  private func requestCounts(capacity: Int, _ event: TransportEvent) async -> [Int] {
    let (server, time, decisions) = (Server(), TestScheduler(), Counter())
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    configuration.maximumBodySize = 3
    configuration.retryBudget = RetryBudget(capacity: capacity, refund: 0)
    configuration.retry = RetryPolicy(
      RetrySchedule.delayed(.seconds(10), limit: 1).when { _ in
        if decisions.add() == 1 { server.sendToFirst(event) }
        return true
      })
    let client = Networking<Request>(transport: server, configuration: configuration)
    client.baseURL = URL.of("https://a.example")
    var counts: [Int] = []
    for _ in 0..<2 {
      let call = client.request(.get("/")).fail(on: .inline) { _ in }
      await time.run()
      #expect(!call.isPending)
      counts.append(server.requestCount - counts.reduce(0, +))
    }
    return counts
  }

  @Test func aResponseThatEndsDuringTheDecisionIsRetriedOnceWithOneToken() async {
    #expect(await requestCounts(capacity: 2, .end(TransportMetrics())) == [2, 2])
  }

  @Test func aFailureDuringTheDecisionIsRetriedOnceWithOneToken() async {
    let failure = TransportFailure(code: .connectionLost)
    #expect(await requestCounts(capacity: 2, .failure(failure)) == [2, 2])
  }

  @Test func aBodyThatIsRejectedDuringTheDecisionUsesNoToken() async {
    #expect(await requestCounts(capacity: 1, .body(Data("long".utf8))) == [1, 2])
  }
}
