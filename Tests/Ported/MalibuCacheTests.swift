import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Malibu: the cache policy of a request.
@Suite(.gated)
struct MalibuCacheTests {
  private let server: MockServer
  private let networking: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.get, "/api/boards") { request in
        request.headers["If-None-Match"] == "\"v1\""
          ? .status(304, headers: ["ETag": "\"v1\""])
          : .json(["boards": []]).header("ETag", "\"v1\"").header("Cache-Control", "no-cache")
      }
    }
    var configuration = NetworkingConfiguration.isolated
    configuration.caching.storage = .cache(HTTPCache())
    networking = Networking(to: server, configuration: configuration)
    networking.baseURL = .of("http://sharkywaters.com/api/")
  }

  @Test("M8: a stored response is revalidated, and a 304 arrives as a 200 with its body")
  func protocolPolicy() async throws {
    // sample M8
    let getRequest = Request.get("boards", .cache(.default))
    // end
    for _ in 0..<2 {
      let response = try await networking.request(getRequest).validate().value
      #expect(
        response.status == 200
          && String(decoding: response.data, as: UTF8.self) == #"{"boards":[]}"#)
    }
    #expect(server.receivedRequests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\""])
  }

  @Test("M8b: a reload sends no If-None-Match, and gets a complete response")
  func reload() async throws {
    _ = try await networking.request(.get("boards")).validate().value
    // sample M8b
    let getRequest = Request.get("boards", .cache(.reload))
    // end
    let response = try await networking.request(getRequest).validate().value
    #expect(response.status == 200 && response.source == .network && !response.data.isEmpty)
    #expect(server.receivedRequests.map { $0.headers["If-None-Match"] } == [nil, nil])
  }
}
