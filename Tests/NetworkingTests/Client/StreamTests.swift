#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct StreamTests {
    private static let flood = 64 << 20
    /// URLSession may keep a head without a type until it has 512 bytes of the body.
    private static let floodHead = ScriptedServer.Step.text(
      "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: \(flood)\r\n\r\n")

    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)

    @Test func theHeadArrivesFirstAndTheBodyInPieces() async throws {
      let server = try ScriptedServer { _ in
        [
          .text("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 6\r\n\r\n"), .stall,
          .text("abcdef"),
        ]
      }
      let response = try await client.stream(.get(server.path)).validate().value
      #expect(response.status == 200 && response.data.isEmpty && response.file == nil)
      server.release()
      #expect(try await response.bytes.collected() == Data("abcdef".utf8))
    }

    @Test func aLargeBodyArrivesComplete() async throws {
      let body = Data.pattern(5_000_003)
      let server = try ScriptedServer { _ in [.respond("200 OK", [], body)] }
      let response = try await client.stream(.get(server.path)).value
      #expect(try await response.bytes.collected() == body)
    }

    @Test func aSlowReaderAppliesBackpressure() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      let response = try await client.stream(.get(server.path)).value
      // The same amount of another body is transferred in the meantime on the same I/O thread.
      let other = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      for try await _ in try await client.stream(.get(other.path)).value.bytes {}
      let taken = await server.blocked.entries(1).last
      #expect(taken.map { $0 < Self.flood / 2 } == true)
      var count = 0
      for try await piece in response.bytes { count += piece.count }
      #expect(count == Self.flood)
    }

    @Test func leavingTheLoopClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      let response = try await client.stream(.get(server.path)).value
      for try await _ in response.bytes { break }
      #expect(await server.closed.entries(1) == [0])
      await #expect(throws: NetworkError.self) { try await response.bytes.collected() }
    }

    @Test func releasingTheResponseClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      _ = try await client.stream(.get(server.path)).value
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func cancellingTheReadersTaskClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .text("some"), .stall] }
      let response = try await client.stream(.get(server.path)).value
      let read = Log<Int>()
      let task = Task {
        for try await piece in response.bytes { read.append(piece.count) }
      }
      _ = await read.entries(1)
      task.cancel()
      #expect(await task.result.failure(as: CancellationError.self) != nil)
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func cancelClosesTheConnectionAndReadingThrows() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      let response = try await client.stream(.get(server.path)).value
      response.bytes.cancel()
      response.bytes.cancel()
      await #expect(throws: CancellationError.self) { try await response.bytes.collected() }
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func cancellingThePromiseBeforeTheHeadClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let promise = client.stream(.get(server.path))
      _ = await server.requests.entries(1)
      promise.cancel()
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func aTruncatedBodyDeliversItsBytesAndThenThrows() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]
      }
      let response = try await client.stream(.get(server.path)).value
      var data = Data()
      do {
        for try await piece in response.bytes { data += piece }
        Issue.record("no error")
      } catch let error as NetworkError {
        #expect(error.code == .connectionLost && error.response?.status == 200)
      }
      #expect(data == Data("abc".utf8))
    }

    @Test func theBodyOfAFailureIsInMemory() async throws {
      let server = try ScriptedServer { _ in [.respond("404 No", [], Data("why".utf8))] }
      let result = await client.stream(.get(server.path)).validate().result
      #expect(result.failure(as: NetworkError.self)?.body == Data("why".utf8))
      let response = try await client.stream(.get(server.path)).value
      #expect(try await response.bytes.collected() == Data("why".utf8))
      #expect(try await response.bytes.collected() == Data("why".utf8))
    }

    @Test func theBodyOfARedirectIsNotStreamed() async throws {
      let server = try ScriptedServer { request in
        request.target == "/end"
          ? [.respond("200 OK", [], Data("the end".utf8))]
          : [.respond("307 Go", ["Location: /end"], Data("go on".utf8))]
      }
      let response = try await client.stream(.get(server.path)).value
      #expect(try await response.bytes.collected() == Data("the end".utf8))
    }

    @Test func theReaderCanMakeRequestsInASerialClient() async throws {
      let client = Networking<Request>(
        mode: .sync, transport: PlatformTransport.make(), configuration: .plain)
      let server = try ScriptedServer { request in
        request.target == "/other"
          ? [.respond("200 OK", [], Data("other".utf8))] : [Self.floodHead, .flood(Self.flood)]
      }
      let response = try await client.stream(.get(server.path)).value
      for try await _ in response.bytes {
        let other = RequestPath(raw: server.url("/other").absoluteString)
        #expect(try await client.request(.get(other)).toString().value == "other")
        break
      }
    }

    @Test func theCallTimeoutIncludesTheBody() async throws {
      let time = TestScheduler()
      var configuration = NetworkingConfiguration.plain
      configuration.scheduler = time
      configuration.callTimeout = .seconds(10)
      let client = Networking<Request>(
        transport: PlatformTransport.make(), configuration: configuration)
      client.callbackContext = .inline
      let server = try ScriptedServer { _ in [Self.floodHead, .text("abc"), .stall] }
      let response = try await client.stream(.get(server.path)).value
      var reader = response.bytes.makeAsyncIterator()
      #expect(try await reader.next() == Data("abc".utf8))
      await time.advance(by: .seconds(10))
      do {
        _ = try await reader.next()
        Issue.record("no error")
      } catch let error as NetworkError {
        #expect(error.code == .timedOut(.call))
      }
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func eachOfManyAbandonedStreamsClosesItsConnection() async throws {
      let server = try ScriptedServer { _ in [Self.floodHead, .flood(Self.flood)] }
      for number in 0..<20 {
        let response = try await client.stream(.get(server.path)).value
        if number % 2 == 0 { for try await _ in response.bytes { break } }
      }
      #expect(await server.closed.entries(20).sorted() == Array(0..<20))
    }
  }

  extension ResponseBytes {
    func collected() async throws -> Data {
      var data = Data()
      for try await piece in self { data += piece }
      return data
    }
  }
#endif
