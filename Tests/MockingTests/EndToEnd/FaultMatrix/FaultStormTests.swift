import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// The requests that a failing server receives from 100 callers.
@Suite(.gated)
struct FaultStormTests {
  private static let callers = 100
  private let clock = RecordingScheduler()
  private let recovery = Counter()

  private func server() throws -> MockServer {
    try MockServer(scheduler: clock.time) {
      Route(.get, "/") { [recovery] _ in .status(recovery.value == 0 ? 503 : 200) }
    }
  }

  private func client(
    _ mode: RequestMode, _ server: MockServer,
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.scheduler = clock
    configure(&configuration)
    let client = Networking<Request>(
      mode: mode, transport: PlatformTransport.make(), configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = server.url
    return client
  }

  /// Runs 100 calls and returns the number of each result.
  private func resultCounts(of client: Networking<Request>) async -> [String: Int] {
    var counts: [String: Int] = [:]
    for promise in (0..<Self.callers).map({ _ in client.request(.get("/")) }) {
      switch await promise.result {
      case .success(let response): counts["\(response.status)", default: 0] += 1
      case .failure(let error as NetworkError): counts["\(error.code)", default: 0] += 1
      case .failure(let error): counts["\(error)", default: 0] += 1
      }
    }
    return counts
  }

  @Test(arguments: [0, 1, 10, 50])
  func theRetriesOfAllCallersStayWithinTheBudget(_ capacity: Int) async throws {
    let server = try server()
    defer { server.stop() }
    let client = client(.async, server) {
      $0.retry = .delayed(.seconds(10), limit: 6)
      $0.retryBudget = RetryBudget(capacity: capacity)
    }
    let settled = Log<Int>()
    let calls = (0..<Self.callers).map { _ in client.request(.get("/")) }
    for call in calls {
      call.done(on: .inline) { settled.append($0.attempts.count) }.fail(on: .inline) { _ in }
    }
    // Calls without a retry token have ended; the others wait.
    _ = await settled.entries(Self.callers - capacity)
    #expect(await clock.scheduled(capacity) == .init(repeating: .seconds(10), count: capacity))
    #expect(server.requestCount == Self.callers)
    await clock.time.advance(by: .seconds(10))
    let attempts = await settled.entries(Self.callers)
    #expect(attempts.filter { $0 == 2 }.count == capacity)
    #expect(server.requestCount == Self.callers + capacity)
    #expect(clock.time.scheduledCount == 0)
  }

  @Test func withoutABudgetRequestsAreMultiplied() async throws {
    let server = try server()
    defer { server.stop() }
    let client = client(.async, server) {
      $0.retry = .delayed(.seconds(10), limit: 2)
      $0.retryBudget = nil
    }
    let calls = (0..<Self.callers).map { _ in client.request(.get("/")) }
    for round in 1...2 {
      _ = await clock.scheduled(round * Self.callers)
      #expect(server.requestCount == round * Self.callers)
      await clock.time.advance(by: .seconds(10))
    }
    for call in calls { #expect(try await call.value.attempts.count == 3) }
    #expect(server.requestCount == 3 * Self.callers)
  }

  @Test func aCircuitBreakerProtectsAFailingServerAndAdmitsOneTrial() async throws {
    let server = try server()
    defer { server.stop() }
    let client = client(.sync, server)
    client.interceptors.append(CircuitBreaker(threshold: 5, cooldown: .seconds(30)), at: .origin)
    #expect(await resultCounts(of: client) == ["503": 5, "circuitOpen": 95])
    await clock.time.advance(by: .seconds(30) - .nanoseconds(1))
    #expect(await resultCounts(of: client) == ["circuitOpen": 100])
    #expect(server.requestCount == 5)
    await clock.time.advance(by: .nanoseconds(1))
    #expect(await resultCounts(of: client) == ["503": 1, "circuitOpen": 99])
    #expect(server.requestCount == 6)
    recovery.add()
    await clock.time.advance(by: .seconds(30))
    #expect(await resultCounts(of: client) == ["200": 100])
    #expect(server.requestCount == 106)
  }

  #if os(Linux) || os(macOS)
    @Test func aCircuitBreakerAdmitsOneOfManyConcurrentTrials() async throws {
      let gate = Gate()
      let server = try MockServer(scheduler: clock.time) {
        Route(.get, "/") { _ in .status(503) }
        Route(.get, "/held") { _ async in
          await gate.pass()
          return .status(200)
        }
      }
      defer { server.stop() }
      let client = client(.async, server)
      client.interceptors.append(CircuitBreaker(threshold: 1), at: .origin)
      #expect(try await client.request(.get("/")).value.status == 503)
      await clock.time.advance(by: .seconds(30))
      let trial = client.request(.get("held"))
      #expect(await resultCounts(of: client) == ["circuitOpen": 100])
      gate.open()
      #expect(try await trial.value.status == 200)
      #expect(server.requestCount == 2)
    }
  #endif
}
