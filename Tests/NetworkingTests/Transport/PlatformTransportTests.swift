#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Rules of the default transport, which are the same on all platforms.
  @Suite(.gated)
  struct PlatformTransportTests {
    private let transport = PlatformTransport.make()

    @Test func aHEADResponseHasALengthAndNoBody() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")]
      }
      let record = await transport.perform(HTTPRequest(method: .head, url: server.url()))
      #expect(record.order == ["head", "end"])
      #expect(record.head?.headers["content-length"] == "10")
      #expect(server.requests.entries.last?.line == "HEAD / HTTP/1.1")
    }

    @Test(arguments: [
      ("A", "b\r\nC: d"), ("A", "b\nc"), ("A", "b\0"), ("A B", "c"), ("", "c"), ("A:", "b"),
    ])
    func anInvalidFieldIsRejected(_ name: String, _ value: String) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let record = await transport.perform(
        HTTPRequest(url: server.url(), headers: [name: value]))
      #expect(record.failure?.code == .invalidHeader)
      #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
      "ftp://127.0.0.1/", "file:///etc/passwd", "/relative", "http://user:secret@127.0.0.1:1/",
    ])
    func otherSchemesAndCredentialsInTheURLAreRejected(_ text: String) async throws {
      let record = await transport.get(try #require(URL(string: text)))
      #expect(record.failure?.code == .invalidURL)
      #expect(record.failure?.detail.contains("secret") == false)
    }

    @Test(arguments: [0, 1, 64 << 10, 20 << 20])
    func aResponseBodyArrivesComplete(_ size: Int) async throws {
      let body = Data.pattern(size)
      func get(_ steps: [ScriptedServer.Step]) async throws -> ExchangeRecord {
        let server = try ScriptedServer { _ in steps }
        return await transport.get(server.url())
      }
      let sized = try await get([.respond("200 OK", [], body)])
      #expect(sized.body == body)
      #expect(sized.metrics?.bytesReceived == Int64(size))
      var chunked = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
      for start in stride(from: 0, to: size, by: 40_000) {
        let chunk = body[start..<min(start + 40_000, size)]
        chunked += Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
      }
      let pieces = try await get([.send(chunked), .text("0\r\n\r\n")])
      #expect(pieces.body == body)
      #expect(pieces.lastEvents == 1)
      let unending = try await get([.text("HTTP/1.1 200 OK\r\n\r\n"), .send(body), .close])
      #expect(unending.body == body)
      #expect(unending.failure == nil)
    }

    @Test(arguments: [0, 1, 64 << 10, (64 << 10) + 1, 20 << 20])
    func aRequestBodyArrivesComplete(_ size: Int) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      func send(
        _ method: HTTPMethod, _ body: HTTPBody
      ) async -> (record: ExchangeRecord, received: RawRequest?) {
        let record = await transport.perform(
          HTTPRequest(method: method, url: server.url(), body: body))
        return (record, server.requests.entries.last)
      }
      let body = Data.pattern(size)
      let (record, received) = await send(.put, .data(body))
      #expect(received?.body == body)
      #expect(received?.values(of: "Content-Length") == ["\(size)"])
      #expect(received?.values(of: "Expect") == [])
      #expect(record.metrics?.bytesSent == Int64(size))
      #expect(record.sent.last ?? 0 == Int64(size))
      let folder = TemporaryFolder()
      let file = try folder.file("body", body)
      let (fromFile, ofFile) = await send(.post, .file(file))
      #expect(ofFile?.line == "POST / HTTP/1.1")
      #expect(ofFile?.values(of: "Content-Length") == ["\(size)"])
      #expect(ofFile?.body == body)
      #expect(fromFile.sent.last ?? 0 == Int64(size))
      #expect(server.connectionCount == 1)
    }

    @Test func aConnectionIsReused() async throws {
      let server = try ScriptedServer { request in
        [.respond("200 OK", [], Data(request.target.utf8))]
      }
      for number in 0..<20 {
        let record = await transport.get(server.url("/\(number)"))
        #expect(record.body == Data("/\(number)".utf8))
        #expect(record.metrics?.reusedConnection == (number > 0))
        #expect((record.metrics?.connected == nil) == (number > 0))
      }
      #expect(server.connectionCount == 1)
    }

    @Test func anyNumberOfGETsMayMeetAConnectionThatTheServerCloses() async throws {
      let used = Mutex(Set<Int>())
      let server = try ScriptedServer { request in
        let isFirst = used.withLock { $0.insert(request.connection).inserted }
        return [isFirst ? .respond() : .close]
      }
      for number in 0..<30 {
        let record = await transport.get(server.url())
        #expect(record.failure == nil, "request \(number)")
      }
      #expect(server.connectionCount == 30)
    }

    @Test func anActiveConnectionDoesNotTimeOut() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: \(30 << 20)\r\n\r\n"), .flood(30 << 20)]
      }
      let record = await transport.perform(
        HTTPRequest(url: server.url(), idleTimeout: .seconds(5)))
      #expect(record.failure == nil)
      #expect(record.body.count == 30 << 20)
    }

    @Test func cancellationDuringTheUploadSuppressesTheHead() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let handles = Log<ExchangeRecorder>()
      let gate = DispatchSemaphore(value: 0)
      let request = HTTPRequest(method: .post, url: server.url(), body: .data(Data("body".utf8)))
      let exchange = ExchangeRecorder(transport, request) { event in
        guard case .sent = event else { return }
        gate.wait()
        for handle in handles.entries { handle.cancel() }
      }
      handles.append(exchange)
      gate.signal()
      let record = await exchange.record
      #expect(record.failure?.code == .cancelled)
      #expect(record.head == nil)
    }

    @Test func concurrentlyCancelledExchangesEndOnce() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data(count: 1_000))] }
      let ended = Log<Int>()
      await onThreads(4) { [transport] thread in
        for number in 0..<100 {
          let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url())) { event in
            if event.isLast { ended.append(thread) }
          }
          if number % 2 == 0 { exchange.suspend() }
          if number % 3 == 0 { exchange.cancel() }
          exchange.resume()
        }
      }
      #expect(await ended.entries(400).count == 400)
      #expect(await transport.get(server.url()).failure == nil)
      #expect(ended.entries.count == 400)
    }
  }
#endif
