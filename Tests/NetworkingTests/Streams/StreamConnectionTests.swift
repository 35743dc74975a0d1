import NetworkingStreams

#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Streams of lines and events over sockets.
  @Suite(.gated)
  struct StreamConnectionTests {
    private static let flood = 64 << 20
    private static let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(flood)\r\n\r\n"
    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)

    @Test func linesAndEventsArriveInPieces() async throws {
      let server = try ScriptedServer { _ in
        let body = Data("data: a\r\ndata: é\r\n\r\n".utf8)
        return [
          .text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"),
          .text("Content-Length: \(body.count)\r\n\r\n"), .sendBytewise(body),
        ]
      }
      var lines: [String] = []
      for try await line in client.lines(of: .get(server.path)) { lines.append(line) }
      #expect(lines == ["data: a", "data: é", ""])
      var events: [ServerSentEvent] = []
      for try await event in client.events(of: .get(server.path), .retry(.never)) {
        events.append(event)
      }
      #expect(events == [ServerSentEvent("a\né")])
    }

    @Test func anEventIsDeliveredBeforeTheNextOneIsSent() async throws {
      let server = try ScriptedServer { _ in
        [.text(Self.head), .text("data: a\n\n"), .stall, .text("data: b\n\n"), .close]
      }
      var events = client.events(of: .get(server.path), .retry(.never)).makeAsyncIterator()
      #expect(try await events.next()?.data == "a")
      server.release()
      #expect(try await events.next()?.data == "b")
    }

    /// Lines of 64 bytes, of which a slow reader takes one.
    @Test func aSlowReaderHoldsTheServerBack() async throws {
      let line = Data((String(repeating: "x", count: 63) + "\n").utf8)
      let block = Data((0..<1_024).flatMap { _ in line })
      let sent = Log<Int>()
      let server = try ScriptedServer { _ in
        var steps: [ScriptedServer.Step] = [.text(Self.head)]
        for number in 0..<(Self.flood / block.count) {
          steps += [.send(block), .run { sent.append(number) }]
        }
        return steps
      }
      var lines = client.lines(of: .get(server.path)).makeAsyncIterator()
      #expect(try await lines.next()?.count == 63)
      // The same amount of another body is transferred in the meantime on the same I/O thread.
      let other = try ScriptedServer { _ in [.text(Self.head), .flood(Self.flood)] }
      for try await _ in try await client.stream(.get(other.path)).value.bytes {}
      let taken = sent.entries.count * block.count
      #expect(taken < Self.flood / 2, "\(taken) bytes were taken")
      var count = 1
      while try await lines.next() != nil { count += 1 }
      #expect(count == Self.flood / 64)
    }

    @Test func aLineWithoutEndIsRefusedAndTheConnectionClosed() async throws {
      let size = 100 << 20
      let server = try ScriptedServer { _ in
        [
          .text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"),
          .text("Content-Length: \(size)\r\n\r\ndata: "), .flood(size - 6),
        ]
      }
      let streams: [@Sendable () async throws -> Void] = [
        { for try await _ in client.events(of: .get(server.path)) {} },
        { for try await _ in client.lines(of: .get(server.path)) {} },
        { for try await _ in client.jsonLines(of: .get(server.path), as: JSON.self) {} },
      ]
      for (number, read) in streams.enumerated() {
        let error = await Task { try await read() }.result.failure(as: NetworkError.self)
        #expect(error?.code == .bodyTooLarge && error?.response?.status == 200)
        #expect(await server.closed.entries(number + 1).last == number)
      }
      // Not sent again.
      #expect(server.requests.entries.count == 3)
    }

    @Test func cancellingTheTaskClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.text(Self.head), .text("data: 1\n\n"), .stall] }
      let read = Log<Int>()
      let streams: [@Sendable () async throws -> Void] = [
        { for try await _ in client.events(of: .get(server.path)) { read.append(1) } },
        { for try await _ in client.lines(of: .get(server.path)) { read.append(1) } },
      ]
      for (number, stream) in streams.enumerated() {
        let before = read.entries.count
        let task = Task { try await stream() }
        _ = await read.entries(before + 1)
        task.cancel()
        #expect(await task.result.failure(as: CancellationError.self) != nil)
        #expect(await server.closed.entries(number + 1).last == number)
      }
      #expect(server.requests.entries.count == 2)
    }

    @Test func cancellingTheTaskBeforeTheHeadClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let task = Task { for try await _ in client.events(of: .get(server.path)) {} }
      _ = await server.requests.entries(1)
      task.cancel()
      #expect(await task.result.failure(as: CancellationError.self) != nil)
      #expect(await server.closed.entries(1) == [0])
    }

    @Test func leavingTheLoopClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.text(Self.head), .text("data: a\n\n"), .stall] }
      for try await _ in client.events(of: .get(server.path)) { break }
      #expect(await server.closed.entries(1) == [0])
      for try await _ in client.lines(of: .get(server.path)) { break }
      #expect(await server.closed.entries(2) == [0, 1])
    }

    @Test func aLostConnectionIsAnErrorOfLinesAfterTheCompleteOnes() async throws {
      let server = try ScriptedServer { _ in [.text(Self.head), .text("a\nb"), .close] }
      var lines = client.lines(of: .get(server.path)).makeAsyncIterator()
      #expect(try await lines.next() == "a")
      let error = await #expect(throws: NetworkError.self) { try await lines.next() }
      #expect(error?.code == .connectionLost)
      #expect(try await lines.next() == nil)
    }

    @Test func aStatusOtherThan2xxIsAnErrorOfLines() async throws {
      let server = try ScriptedServer { _ in [.respond("404 No", [], Data("why\nnot".utf8))] }
      var lines = client.lines(of: .get(server.path)).makeAsyncIterator()
      let error = await #expect(throws: NetworkError.self) { try await lines.next() }
      #expect(error?.code == .unacceptableStatus(404) && error?.body == Data("why\nnot".utf8))
    }

    @Test func aStreamLeavesTheQueueWhenTheHeadHasArrived() async throws {
      let server = try ScriptedServer { request in
        request.target == "/" ? [.text(Self.head), .text("data: a\n\n"), .stall] : [.respond()]
      }
      let client = Networking<Request>(
        mode: .sync, transport: PlatformTransport.make(), configuration: .plain)
      for try await _ in client.events(of: .get(server.path)) {
        let other = RequestPath(raw: server.url("/other").absoluteString)
        #expect(try await client.request(.get(other)).value.status == 200)
        break
      }
    }
  }
#endif
