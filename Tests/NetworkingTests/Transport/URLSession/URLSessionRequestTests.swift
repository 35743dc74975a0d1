#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  @testable import CatenaSystem
  @testable import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct URLSessionRequestTests {
    private let transport = URLSessionTransport()

    private func received(_ request: (URL) -> HTTPRequest) async throws -> RawRequest {
      let server = try ScriptedServer { _ in [.respond()] }
      let record = await transport.perform(request(server.url("/a%2Fb/%C3%A4?q=1%202&r=%26")))
      #expect(record.head?.status == 200)
      return try #require(server.requests.entries.first)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND", "x-mixedCase"])
    func methodsAndURLsArriveUnchanged(_ method: String) async throws {
      let request = try await received {
        HTTPRequest(method: HTTPMethod(rawValue: method), url: $0)
      }
      #expect(request.line == "\(method) /a%2Fb/%C3%A4?q=1%202&r=%26 HTTP/1.1")
    }

    @Test func fieldsArriveJoinedByName() async throws {
      let request = try await received {
        HTTPRequest(
          url: $0,
          headers: [
            "X-One": "1", "X-Empty": "", "x-one": "2", "Cookie": "a=1", "Cookie": "b=2",
            "X-Word": "Grüße",
          ])
      }
      #expect(request.values(of: "X-One") == ["1, 2"])
      #expect(request.values(of: "X-Empty") == [""])
      #expect(request.values(of: "Cookie") == ["a=1; b=2"])
      #expect(request.values(of: "X-Word") == ["Grüße"])
    }

    @Test(arguments: [0, 1, 65_536, 3 << 20])
    func aBodyInMemoryArrives(_ count: Int) async throws {
      let body = Data.pattern(count)
      let request = try await received { HTTPRequest(method: .post, url: $0, body: .data(body)) }
      #expect(request.body == body)
      #expect(request.values(of: "Content-Length") == ["\(count)"])
      #expect(request.values(of: "Content-Type").isEmpty && request.values(of: "Expect").isEmpty)
    }

    @Test(arguments: [0, 1, 65_536, 3 << 20])
    func aFileArrives(_ count: Int) async throws {
      let folder = TemporaryFolder()
      let file = try folder.file("body", Data.pattern(count))
      let request = try await received {
        HTTPRequest(method: .put, url: $0, body: .file(file))
      }
      #expect(request.body == Data.pattern(count))
      #expect(request.values(of: "Content-Length") == ["\(count)"])
    }

    @Test func piecesArriveInOrder() async throws {
      let folder = TemporaryFolder()
      let file = try folder.file("body", Data.pattern(100_000))
      let request = try await received {
        HTTPRequest(
          method: .post, url: $0,
          body: .pieces([.data(Data("<".utf8)), .file(file), .data(Data(">".utf8))]))
      }
      #expect(request.body == Data("<".utf8) + Data.pattern(100_000) + Data(">".utf8))
      let small = try await received {
        HTTPRequest(
          method: .post, url: $0, body: .pieces([.data(Data("a".utf8)), .data(Data("b".utf8))]))
      }
      #expect(small.body == Data("ab".utf8))
    }

    @Test func aStreamArrives() async throws {
      let stream = BodyStream {
        AsyncStream { continuation in
          for _ in 0..<3 { continuation.yield(Data.pattern(100_000)) }
          continuation.finish()
        }
      }
      let request = try await received {
        HTTPRequest(method: .post, url: $0, body: .stream(stream))
      }
      #expect(request.body == Data.pattern(100_000) + Data.pattern(100_000) + Data.pattern(100_000))
    }

    @Test func cancellationEndsTheReadingOfAStream() async throws {
      let isReading = Log<Void>()
      let ended = Log<Void>()
      let stream = BodyStream {
        AsyncStream<Data> { continuation in
          continuation.onTermination = { _ in ended.append(()) }
          isReading.append(())
        }
      }
      let handle = transport.start(
        HTTPRequest(method: .post, url: .of("http://127.0.0.1:9/"), body: .stream(stream))
      ) { _ in }
      _ = await isReading.entries(1)
      handle.cancel()
      _ = await ended.entries(1)
    }

    @Test func sentBytesAreReported() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let record = await transport.perform(
        HTTPRequest(method: .post, url: server.url(), body: .data(Data.pattern(1 << 20))))
      #expect(record.order == ["sent", "head", "end"])
      #expect(
        record.sent == record.sent.sorted()
          && Set(record.sent).count == record.sent.count)
      #expect(record.sent.last == 1 << 20)
      #expect(record.metrics?.bytesSent == 1 << 20)
    }

    @Test func anUnreadableBodyIsAnError() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let missing = FileManager.default.temporaryDirectory.appending(path: "catena-not-there")
      let folder = FileManager.default.temporaryDirectory
      let bodies: [HTTPBody] = [
        .file(missing), .file(folder), .file(.of("http://example.com/")),
        .pieces([.data(Data("a".utf8)), .file(missing)]),
      ]
      for body in bodies {
        let record = await transport.perform(
          HTTPRequest(method: .post, url: server.url(), body: body))
        #expect(record.order == ["failure"])
        #expect(record.failure?.code == .encodingFailed)
      }
      #expect(server.connectionCount == 0)
    }

    @Test func requestsThatURLSessionCannotSendAreRejected() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let body = HTTPBody.data(Data("x".utf8))
      let url = server.url()
      #expect(
        await transport.perform(HTTPRequest(url: url, body: body)).failure?.code == .unsupported)
      #expect(
        await transport.perform(HTTPRequest(method: .head, url: url, body: body)).failure?.code
          == .unsupported)
      let method = HTTPMethod(rawValue: "GET IT")
      #expect(
        await transport.perform(HTTPRequest(method: method, url: url)).failure?.code
          == .unsupported)
      #expect(
        await transport.perform(HTTPRequest(url: url, body: .data(Data()))).head?.status == 200)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "http:///x", "http://user:pw@127.0.0.1/", "/relative"])
    func anUnusableURLIsInvalid(_ text: String) async throws {
      let url = try #require(URL(string: text))
      #expect(await transport.get(url).failure?.code == .invalidURL)
    }

    @Test func aSchemeInCapitalLettersIsAccepted() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let url = try #require(URL(string: "HTTP://127.0.0.1:\(server.port)/"))
      #expect(await transport.get(url).head?.status == 200)
    }

    @Test func aBodyCopyHasAllPiecesAndIsReadableOnlyByItsOwner() async throws {
      let folder = TemporaryFolder()
      let file = try folder.file("body", Data.pattern(1_000))
      let body = try await URLSessionBody(
        copying: .pieces([.data(Data("<".utf8)), .file(file)]))
      guard case .copy(let copy) = body else { throw TestError() }
      let path = copy.url.path
      #expect(FileManager.default.contents(atPath: path) == Data("<".utf8) + Data.pattern(1_000))
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aReleasedBodyCopyIsRemoved() async throws {
      let path: String
      do {
        let copy = try await TemporaryFile { try $0.write(Data("x".utf8)) }
        path = copy.url.path
        #expect(FileManager.default.fileExists(atPath: path))
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
#endif
