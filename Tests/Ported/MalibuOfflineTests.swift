import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Malibu: requests that are stored without a network, and sent later.
@Suite(.gated)
struct MalibuOfflineTests {
  private let server: MockServer
  private let networking: Networking<Request>

  init() throws {
    server = try sampleServer()
    networking = Networking(to: server)
    networking.baseURL = .of("http://sharkywaters.com/api/")
  }

  /// Sends requests to the server, which refuses connections, and checks that they are stored.
  private func store(_ requests: Request...) async throws {
    server.refuseConnections()
    for request in requests {
      let error = await networking.request(request).result.failure(as: NetworkError.self)
      #expect(error?.code == .cannotConnect && error?.isStoredOffline == true)
    }
    #expect(try networking.offlineStore.count == requests.count)
    try server.acceptConnections()
  }

  @Test("M20: a request is stored without a network, and replayed") func replay() async throws {
    let results = Log<OfflineStore.Report>()
    // sample M20
    let request = Request.delete(
      "boards/1",
      .storedOffline
    )
    // end
    try await store(request)
    // sample M20
    networking.replay().done { result in
      results.append(result)
    }
    // end
    #expect(await results.entries(1).map(\.delivered.count) == [1])
    #expect(server.receivedRequests.map(\.description) == ["DELETE /api/boards/1"])
    #expect(try networking.offlineStore.count == 0)
  }

  @Test("M20b: the replay runs middleware and pre-processing, one request at a time")
  func replayWithHooks() async throws {
    try await store(
      .delete("boards/1", .storedOffline), .delete("boards/2", .storedOffline),
      .delete("boards/3", .storedOffline))
    let prepared = Log<HTTPMethod>()
    networking.middleware = { request, _ in
      prepared.append(request.method)
      return .fulfilled(())
    }
    networking.preProcessRequest = { request in
      var request = request
      request.headers["token"] = "eyJhbGci"
      return request
    }
    // sample M20b
    let report = try await networking.replay().value
    // end
    #expect(report.delivered.count == 3 && prepared.entries == [.delete, .delete, .delete])
    let received = server.receivedRequests
    #expect(received.map(\.target) == ["/api/boards/1", "/api/boards/2", "/api/boards/3"])
    #expect(received.allSatisfy { $0.headers["token"] == "eyJhbGci" })
    #expect(server.peakConcurrentRequests == 1)
  }
}
