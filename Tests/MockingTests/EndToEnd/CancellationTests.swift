import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The effects of cancellation on a server.
@Suite(.gated)
struct EndToEndCancellationTests {
  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/ready") { _ in .json(["next": "silent"]) }
      // Neither response is ever complete.
      Route(.get, "/silent") { _ in .text("never").interrupted(by: .stall, at: .request) }
      Route(.get, "/stalled") { _ in
        .json([1, 2, 3]).interrupted(by: .stall, at: .body(afterBytes: 2))
      }
    }
  }

  /// Returns a client with separate connections.
  private func client(_ mode: RequestMode = .async) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    // No timeouts, because other tests can delay this one by any duration.
    configuration.connectTimeout = nil
    configuration.idleTimeout = nil
    let client = Networking<Request>(
      mode: mode, transport: PlatformTransport.make(), configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = server.url
    return client
  }

  @Test(arguments: ["silent", "stalled"])
  func cancellingAnyPromiseOfAChainClosesTheConnection(_ path: String) async throws {
    for link in 0..<4 {
      let response = client().request(.get("\(path)"))
      let validated = response.validate()
      let decoded = validated.decode([Int].self)
      let tail = decoded.then { $0.count }.map { "\($0)" }
      let request = try await server.takeRequest().value
      switch link {
      case 0: response.cancel()
      case 1: validated.cancel()
      case 2: decoded.cancel()
      default: tail.cancel()
      }
      #expect(try await server.closing(of: request).value.wasAborted)
      #expect(await tail.result.error is CancellationError)
    }
  }

  @Test func cancellingAChainClosesTheConnectionOfADependentRequest() async throws {
    let networking = client()
    let tail = networking.request(.get("ready"))
      .validate()
      .toJson()
      .then { json in networking.request(.get("\(json["next"].string ?? "")")) }
      .validate()
      .toData()
    _ = try await server.takeRequest().value
    let second = try await server.takeRequest().value
    #expect(second.target == "/silent")
    tail.cancel()
    #expect(try await server.closing(of: second).value.wasAborted)
  }

  @Test func cancellingATaskThatAwaitsTheValueClosesTheConnection() async throws {
    let networking = client()
    let task = Task { try await networking.request(.get("silent")).validate().value }
    let request = try await server.takeRequest().value
    task.cancel()
    #expect(try await server.closing(of: request).value.wasAborted)
    #expect(await task.result.error is CancellationError)
  }

  @Test(arguments: ["cancel", "bag", "timeout", "task", "when"])
  func aDoneInAChainDoesNotKeepTheConnection(_ departure: String) async throws {
    let log = Log<Int>()
    let chain = client().request(.get("silent")).done { log.append($0.status) }.validate()
      .toString().done { log.append($0.count) }.fail { _ in }
    let request = try await server.takeRequest().value
    switch departure {
    case "cancel": chain.cancel()
    case "bag": chain.cancelled(by: CancellationBag())
    case "timeout":
      let time = TestScheduler()
      chain.timeout(.seconds(1), scheduler: time).fail { _ in }
      await time.advance(by: .seconds(1))
    case "task":
      let task = Task { try await chain.value }
      task.cancel()
      #expect(await task.result.error is CancellationError)
    default: when([chain, .rejected(TestError())]).fail { _ in }
    }
    #expect(try await server.closing(of: request).value.wasAborted)
    #expect(chain.isCancelled && log.entries.isEmpty)
  }

  @Test func aDoneBesideACancelledChainKeepsTheConnection() async throws {
    let log = Log<Int>()
    let response = client().request(.get("ready"))
    response.done { log.append($0.status) }
    response.done { _ in }.validate().cancel()
    #expect(await log.entries(1) == [200])
  }

  @Test func theLastOfTwoCancelledConsumersClosesTheConnection() async throws {
    let response = client().request(.get("silent"))
    let (one, other) = (response.toData(), response.toString())
    let request = try await server.takeRequest().value
    one.cancel()
    #expect(await one.result.error is CancellationError)
    #expect(response.isPending && other.isPending && server.openConnections == 1)
    other.cancel()
    #expect(try await server.closing(of: request).value.wasAborted)
  }

  @Test func aCancelledQueuedRequestNeverConnects() async throws {
    let networking = client(.sync)
    let first = networking.request(.get("silent"))
    let queued = (0..<3).map { _ in networking.request(.get("ready")) }
    let request = try await server.takeRequest().value
    queued[0].cancel()
    let tail = queued[1].validate().toJson().then { $0.description }
    tail.cancel()
    #expect(await queued[0].result.error is CancellationError)
    #expect(await tail.result.error is CancellationError)
    #expect(server.connectionCount == 1)
    first.cancel()
    #expect(try await server.closing(of: request).value.wasAborted)
    #expect(try await queued[2].value.status == 200)
    #expect(server.requestCount == 2)
    #expect(server.connectionCount == 2)
  }

  @Test func cancellingAllClosesEveryConnectionAndEmptiesTheQueue() async throws {
    let networking = client(.limited(20))
    let promises = (0..<50).map { _ in networking.request(.get("silent")) }
    var connections: [Int] = []
    for _ in 0..<20 { connections.append(try await server.takeRequest().value.connection) }
    networking.cancelAllRequests()
    for promise in promises { #expect(await promise.result.error is CancellationError) }
    for connection in connections {
      #expect(try await server.closing(ofConnection: connection).value.wasAborted)
    }
    #expect(server.requestCount == 20)
    #expect(server.openConnections == 0)
  }
}
