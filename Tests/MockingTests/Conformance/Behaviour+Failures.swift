#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns a server that refuses connections until it is released.
    private static func refusing() throws -> MockServer {
      let server = try MockServer {}
      server.refuseConnections()
      return server
    }

    static let connecting: [Behaviour] = [
      Behaviour("a refused connection fails") { kind async throws in
        let backend = try Backend(kind)
        let server = try refusing()
        defer { server.stop() }
        let url = server.url.appendingPathComponent("")
        let error = await backend.failure(of: .url(url))
        #expect(error?.code == .cannotConnect)
        #expect(error?.response == nil)
        #expect(await backend.perform(HTTPRequest(url: url)).order == ["failure"])
      },
      Behaviour("a refused connection with a body fails in the same way") {
        kind async throws in
        let backend = try Backend(kind)
        let server = try refusing()
        defer { server.stop() }
        let result = await backend.client().request(
          .upload(data: .pattern(1 << 20), to: .url(server.url.appendingPathComponent("")))
        ).result
        #expect(result.failure(as: NetworkError.self)?.code == .cannotConnect)
      },
      Behaviour("an unknown host name is not resolved") { kind async throws in
        let backend = try Backend(kind)
        let error = await backend.failure(of: .url(.of("http://catena.invalid/x?token=secret")))
        #expect(error?.code == .dnsFailed)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
      },
    ]

    private static let text = Mock.data(Data("abcdefgh".utf8), contentType: nil)
    private static let chunks = Mock.chunks(
      [Data("abcd".utf8), Data("efgh".utf8)], contentType: nil)

    /// Returns a behaviour that checks the events and the body of a failed exchange.
    private static func check(
      _ name: String, _ mock: Mock, _ order: [String], body: String = ""
    ) -> Behaviour {
      Behaviour(name) { kind async throws in
        let backend = try Backend(kind) { _ in mock }
        let record = await backend.get(try backend.url())
        #expect(record.order == order)
        #expect(record.failure?.code == .connectionLost)
        #expect(String(decoding: record.body, as: UTF8.self) == body)
        #expect(record.lastEvents == 1)
      }
    }

    static let truncations: [Behaviour] =
      [("closed", MockFault.close), ("reset", .reset)].flatMap { name, fault in
        [
          check(
            "a connection \(name) before the response is lost",
            text.interrupted(by: fault, at: .request), ["failure"]),
          check(
            "a connection \(name) in the status line is lost",
            text.interrupted(by: fault, at: .head(afterBytes: 12)), ["failure"]),
          check(
            "a connection \(name) in the header is lost",
            text.interrupted(by: fault, at: .head(afterBytes: 25)), ["failure"]),
          check(
            "a connection \(name) after the head is lost",
            text.interrupted(by: fault, at: .body(afterBytes: 0)), ["head", "failure"]),
          check(
            "a connection \(name) in a sized body is lost",
            text.interrupted(by: fault, at: .body(afterBytes: 3)), ["head", "body", "failure"],
            body: "abc"),
          check(
            "a connection \(name) in a chunk is lost",
            chunks.interrupted(by: fault, at: .body(afterBytes: 5)), ["head", "body", "failure"],
            body: "ab"),
          check(
            "a connection \(name) between chunks is lost",
            chunks.interrupted(by: fault, at: .body(afterBytes: 9)), ["head", "body", "failure"],
            body: "abcd"),
          check(
            "a connection \(name) before the last chunk's end is lost",
            chunks.interrupted(by: fault, at: .body(afterBytes: 21)), ["head", "body", "failure"],
            body: "abcdefgh"),
          Behaviour("a connection \(name) after the response is not a failure") {
            kind async throws in
            let backend = try Backend(kind) { _ in text.interrupted(by: fault, at: .end) }
            #expect(try await backend.get().data == Data("abcdefgh".utf8))
          },
        ]
      } + [
        Behaviour("the error of a client has the partial response") { kind async throws in
          let backend = try Backend(kind) { _ in
            Mock.text("abcdefgh", status: 500).interrupted(by: .close, at: .body(afterBytes: 3))
          }
          let error = await backend.failure()
          #expect(error?.code == .connectionLost)
          #expect(error?.response?.status == 500)
          #expect(error?.body == Data("abc".utf8))
        },
        Behaviour("a truncated stream throws after its partial body") { kind async throws in
          let backend = try Backend(kind) { _ in
            text.interrupted(by: .close, at: .body(afterBytes: 3))
          }
          let response = try await backend.client().stream(.get("/")).value
          var body = Data()
          let error = await #expect(throws: NetworkError.self) {
            for try await piece in response.bytes { body += piece }
          }
          #expect(error?.code == .connectionLost)
          #expect(body == Data("abc".utf8))
        },
        Behaviour("a truncated download leaves no file") { kind async throws in
          let folder = TemporaryFolder()
          let backend = try Backend(kind) { _ in
            text.interrupted(by: .close, at: .body(afterBytes: 3))
          }
          let result = await backend.client().download(.get("/"), to: folder.url("file")).result
          #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
          #expect(folder.names.isEmpty)
        },
      ]
  }
#endif
