#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// End-to-end calls: client, queue, pipeline, libcurl, and a real socket.
  @Suite(.gated)
  struct EndToEndTests {
    private struct Board: Codable, Sendable, Equatable {
      var id: Int
      var title: String
    }

    private func server() throws -> MockServer {
      try MockServer {
        Route(.get, "/v1/boards") { _ in .json([Board(id: 7, title: "Balsa Fish")]) }
        Route(.get, "/v1/boards/{id}") { request in
          guard let id = Int(request.path["id"]), id < 100 else {
            return .status(404)
          }
          return .json(Board(id: id, title: "Board \(id)"))
        }
        Route(.post, "/v1/login") { request in .json(["body": request.text]) }
        Route(.get, "/v1/moved") { _ in .redirect(to: "/v1/boards") }
        Route(.get, "/v1/stalled") { _ in
          .text("never").interrupted(by: .stall, at: .body(afterBytes: 2))
        }
        Route(.get, "/v1/broken") { _ in
          .text("broken").interrupted(by: .close, at: .body(afterBytes: 2))
        }
      }
    }

    private func client(_ server: MockServer, _ mode: RequestMode = .async) -> Networking<Request> {
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      // No idle timeout, because other tests can delay this one by any duration.
      configuration.idleTimeout = nil
      let client = Networking<Request>(mode: mode, configuration: configuration)
      client.baseURL = server.url.appendingPathComponent("v1")
      client.callbackContext = .inline
      return client
    }

    @Test func dependentRequestsAreChained() async throws {
      let server = try server()
      defer { server.stop() }
      let networking = client(server)
      let board = try await networking.request(.get("boards"))
        .validate()
        .decode([Board].self)
        .then { boards in networking.request(.get("boards/\(boards[0].id)")) }
        .validate()
        .decode(Board.self)
        .value
      #expect(board == Board(id: 7, title: "Board 7"))
    }

    @Test func aBodyArrivesUnchanged() async throws {
      let server = try server()
      defer { server.stop() }
      let json = try await client(server)
        .request(.post("login", parameters: ["user": "ann", "n": 1])).toJson().value
      #expect(json["body"].string == #"{"user":"ann","n":1}"#)
    }

    @Test func redirectsAreFollowedAndFailuresHaveTheirCodes() async throws {
      let server = try server()
      defer { server.stop() }
      let networking = client(server)
      #expect(try await networking.request(.get("moved")).value.url.path == "/v1/boards")
      let broken = await networking.request(.get("broken")).result
      #expect(broken.failure(as: NetworkError.self)?.code == .connectionLost)
      let missing = await networking.request(.get("boards/200")).validate().result
      #expect(missing.failure(as: NetworkError.self)?.code == .unacceptableStatus(404))
    }

    @Test func cancellingTheLastPromiseOfAChainClosesTheSocket() async throws {
      let server = try server()
      defer { server.stop() }
      let promise = client(server).request(.get("stalled")).validate().toData().then { _ in }
      let request = try await server.takeRequest().value
      promise.cancel()
      let closed = try await server.closing(of: request).value
      #expect(closed.wasAborted)
      #expect(await promise.result.error is CancellationError)
    }

    @Test(arguments: [1, 3])
    func theServerSeesTheConcurrencyOfTheMode(_ width: Int) async throws {
      let gates = Log<Resolver<Mock>>()
      let server = try MockServer {
        Route(.get, "/v1/x") { _ in
          let (promise, resolver) = Promise<Mock>.pending()
          gates.append(resolver)
          return promise
        }
      }
      defer { server.stop() }
      let networking = client(server, width == 1 ? .sync : .limited(width))
      let promises = (0..<9).map { _ in networking.request(.get("x")) }
      for number in 0..<9 {
        let open = await gates.entries(min(number + width, 9))
        #expect(open.count == min(number + width, 9))
        open[number].fulfill(.text("x"))
      }
      for promise in promises { #expect(try await promise.value.status == 200) }
      #expect(server.peakConcurrentRequests == width)
    }
  }
#endif
