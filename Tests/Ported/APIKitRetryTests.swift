import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

// sample K5e
protocol RetryableRequest: RequestConvertible {
  var retryBehavior: RetryPolicy { get }
}

extension RetryableRequest {
  var retryBehavior: RetryPolicy { .delayed(.seconds(2), limit: 3) }
}

private struct GetProfile: GitHubRequestType, RetryableRequest {
  var request: Request { .get("/users/7", .retry(retryBehavior)) }
}
// end

/// APIKit: retries.
@Suite(.gated)
struct APIKitRetryTests {
  private let scheduler = ImpatientScheduler()

  private var delays: [Duration] { scheduler.delays.entries.filter { $0 > .zero } }

  /// Sends a request, whose first three responses are a 503.
  private func send(_ endpoint: some RequestConvertible) async throws {
    let server = try MockServer {
      Route(.get, "/users/7", .sequence(.status(503), .status(503), .status(503), .json([:])))
    }
    var configuration = NetworkingConfiguration.isolated
    configuration.scheduler = scheduler
    let client = Networking<Request>(to: server, configuration: configuration)
    #expect(try await client.request(any: endpoint).validate().value.status == 200)
    #expect(server.requestCount == 4)
  }

  @Test("K5e: the requests of a type are retried") func retryableRequests() async throws {
    try await send(GetProfile())
    #expect(delays == [.seconds(2), .seconds(2), .seconds(2)])
  }

  // sample K7
  private static let behaviors: [RetryPolicy] = [
    .immediate(limit: 3),
    .delayed(.seconds(3), limit: 3),
    .exponential(initial: .seconds(1), multiplier: 3, jitter: .none, limit: 3),
    .custom(limit: 3) { attempt in .after(.seconds(5 * attempt.number)) },
  ]
  // end

  @Test(
    "K7: retries are immediate, delayed, exponential or custom",
    arguments: [(0, []), (1, [3, 3, 3]), (2, [1, 3, 9]), (3, [5, 10, 15])])
  func behaviors(_ index: Int, _ delays: [Int]) async throws {
    let behavior = Self.behaviors[index]
    try await send(Request.get("http://api.github.com/users/7", .retry(behavior)))
    #expect(self.delays == delays.map { .seconds($0) })
  }
}
