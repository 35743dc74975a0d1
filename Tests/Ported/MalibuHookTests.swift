import Foundation
import Mocking
import Networking
import NetworkingValues
import Promises
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Malibu: pre-processing, middleware and authentication.
@Suite(.gated)
struct MalibuHookTests {
  private struct CustomError: Error {}

  /// A service with a completion handler, which knows the token.
  private enum AuthContainer {
    static func accessToken(_ completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
      DispatchQueue.global().async { completion("eyJhbGci", nil) }
    }
  }

  private let server: MockServer
  private let networking: Networking<SharkywatersEndpoint>

  init() throws {
    server = try sampleServer()
    networking = Networking(to: server, mode: .sync)
  }

  @Test("M14: beforeEach adds parameters and header fields") func beforeEach() async throws {
    // sample M14
    networking.beforeEach = { request in
      request.with(
        .parameters(["userId": "12345"]),
        .headers(["token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"])
      )
    }
    // end
    _ = try await networking.request(.fetchBoards).validate().value
    let received = try #require(server.receivedRequests.first)
    #expect(received.target == "/api/boards?userId=12345")
    #expect(received.headers["token"] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
  }

  @Test("M14b: beforeEach adds to a body") func beforeEachOfABody() async throws {
    // sample M14b
    networking.beforeEach = { request in
      request.with(
        .parameters(["userId": "12345"])
      )
    }
    // end
    _ = try await networking.request(.createBoard(type: 2, title: "Fish")).validate().value
    #expect(
      server.receivedRequests.map(\.json) == [["type": 2, "title": "Fish", "userId": "12345"]])
  }

  @Test("M15: preProcessRequest changes the built request") func preProcess() async throws {
    // sample M15
    networking.preProcessRequest = { request in
      var request = request
      request.headers.add("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", for: "token")
      return request
    }
    // end
    _ = try await networking.request(.fetchBoards).validate().value
    #expect(
      server.receivedRequests.map { $0.headers["token"] }
        == ["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"])
  }

  @Test("M15b: preProcessRequest with the code of a URLRequest") func preProcessURLRequest()
    async throws
  {
    // sample M15b
    networking.preProcessRequest = { request in
      request.modifyingURLRequest { request in
        request.addValue("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", forHTTPHeaderField: "token")
      }
    }
    // end
    _ = try await networking.request(.createBoard(type: 2, title: "Fish")).validate().value
    let received = try #require(server.receivedRequests.first)
    #expect(received.headers["token"] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
    #expect(received.json == ["type": 2, "title": "Fish"])
  }

  @Test("M16: middleware that fetches a token for the request that waits")
  func middleware() async throws {
    // sample M16
    networking.middleware = { _, networking in
      wrap { completion in AuthContainer.accessToken(completion) }
        .tap { accessToken in networking.authenticate(bearerToken: accessToken) }
        .asVoid()
    }

    let boards = networking.request(.fetchBoards)
      .validate()
      .toJsonDictionary()
    // end
    #expect(try await boards.value.isEmpty)
    #expect(server.receivedRequests.map { $0.headers["Authorization"] } == ["Bearer eyJhbGci"])
  }

  @Test("M16b: middleware that rejects the request") func rejectingMiddleware() async {
    // sample M16b
    networking.middleware = { _, _ in
      .rejected(CustomError())
    }
    // end
    #expect(await networking.request(.fetchBoards).result.error is CustomError)
    #expect(server.receivedRequests.isEmpty)
  }

  @Test("M17: authentication") func authentication() async throws {
    // sample M17
    networking.authenticate(username: "malibu", password: "surfingparadise")
    // end
    _ = try await networking.request(.fetchBoards).validate().value
    // sample M17
    networking.authenticate(bearerToken: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
    // end
    _ = try await networking.request(.fetchBoards).validate().value
    // sample M17
    networking.authenticate(authorizationHeader: "Malibu-Header")
    // end
    _ = try await networking.request(.fetchBoards).validate().value
    #expect(
      server.receivedRequests.map { $0.headers["Authorization"] } == [
        "Basic bWFsaWJ1OnN1cmZpbmdwYXJhZGlzZQ==",
        "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "Malibu-Header",
      ])
  }

  @Test("M28: middleware that cancels the request") func cancellingMiddleware() async {
    // sample M28
    networking.middleware = { request, _ in
      request.method == .delete ? .rejected(CancellationError()) : .fulfilled(())
    }
    // end
    let deletion = networking.request(.deleteBoard(id: 7))
    #expect(await deletion.result.error is CancellationError)
    #expect(await networking.request(.fetchBoards).result.error == nil)
    #expect(server.receivedRequests.map(\.description) == ["GET /api/boards"])
  }
}
