import Foundation
import Mocking
import Networking
import NetworkingTransfers
import Promises
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private final class SessionObserver: NSObject, URLSessionTaskDelegate, Sendable {
  let completed = Log<Int?>()

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    completed.append((task.response as? HTTPURLResponse)?.statusCode)
  }
}

/// Malibu: clients, their modes and their sessions.
@Suite(.gated)
struct MalibuSessionTests {
  @Test("M9c: a client with a session delegate") func sessionDelegate() async throws {
    let server = try sampleServer()
    defer { server.stop() }
    let (observer, customMockProvider) = (
      SessionObserver(), MockProvider<SharkywatersEndpoint> { _ in nil }
    )
    // sample M9c
    let networking = Networking<SharkywatersEndpoint>(
      mode: .async,
      mockProvider: customMockProvider,
      sessionConfiguration: .custom(.ephemeral, delegate: observer))
    // end
    networking.baseURL = server.url
    _ = try await networking.request(.fetchBoards).validate().value
    #expect(await observer.completed.entries(1) == [200])
  }

  // sample M10
  @Test("M10: modes", arguments: zip([RequestMode.sync, .async, .limited(2)], [1, 6, 2]))
  // end
  func modes(_ mode: RequestMode, _ width: Int) async throws {
    let open = Log<Resolver<Mock>>()
    let server = try MockServer {
      Route(.get, "/api/boards/{id}") { _ in
        let (promise, resolver) = Promise<Mock>.pending()
        open.append(resolver)
        return promise
      }
    }
    let networking = Networking<SharkywatersEndpoint>(to: server, mode: mode)
    let promises = (0..<6).map { networking.request(.showBoard(id: $0)) }
    for number in 0..<6 {
      let reached = await open.entries(min(number + width, 6))
      #expect(server.concurrentRequests <= width)
      reached[number].fulfill(.json([:]))
    }
    for promise in promises { #expect(try await promise.value.status == 200) }
    #expect(server.peakConcurrentRequests == width)
  }

  @Test("M13: session configurations") func sessionConfigurations() async throws {
    let server = try sampleServer()
    // sample M13
    let configurations: [SessionConfiguration] = [.default, .ephemeral, .custom(.default)]
    let background = SessionConfiguration.background(identifier: "boards")
    // end
    for configuration in configurations {
      let networking = Networking<SharkywatersEndpoint>(
        baseURL: server.url, sessionConfiguration: configuration)
      #expect(try await networking.request(.fetchBoards).validate().value.status == 200)
    }
    #expect(server.requestCount == 3)
    #if os(Linux)
      let refused = Networking<Request>(baseURL: server.url, sessionConfiguration: background)
      let error = await refused.request(.get("boards")).result.failure(as: NetworkError.self)
      #expect(error?.code == .unsupported && error?.reason?.isEmpty == false)
    #else
      #expect(throws: Never.self) { try background.checked() }
    #endif
  }

  @Test("M27: several network stacks") func stacks() async throws {
    // sample M27
    enum GitHub: RequestConvertible {
      case user(String)
      static let baseURL = "http://api.github.com/v3/"
      var request: Request {
        switch self {
        case .user(let name): .get("users/\(name)")
        }
      }
    }
    // end
    let (waters, hub) = (try sampleServer(), try sampleServer())
    let boards = Networking<SharkywatersEndpoint>(to: waters)
    let users = Networking<GitHub>(to: hub)
    boards.authenticate(bearerToken: "surf")
    let responses = when([boards.request(.fetchBoards), users.request(.user("ada"))])
    #expect(try await responses.value.map(\.status) == [200, 200])
    #expect(waters.receivedRequests.map(\.description) == ["GET /api/boards"])
    #expect(hub.receivedRequests.map(\.description) == ["GET /v3/users/ada"])
    #expect(hub.receivedRequests.map { $0.headers["Authorization"] } == [nil])
  }
}
