#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct UploadTests {
    private let folder = TemporaryFolder()
    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)

    private func pieces(_ pieces: [Data]) -> AsyncStream<Data> {
      AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
      }
    }

    @Test(arguments: [nil, 4_500_000] as [Int64?])
    func aStreamIsSentChunkedOrWithItsLength(length: Int64?) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let piece = Data.pattern(45_000)
      let stream = BodyStream(length: length) { pieces(Array(repeating: piece, count: 100)) }
      let response = try await client.request(
        .upload(stream: stream, to: server.path, contentType: "text/csv")
      ).validate().value
      let request = try #require(server.requests.entries.first)
      #expect(request.body.count == 4_500_000 && request.body.prefix(45_000) == piece)
      // URLSessionTransport sends a copy of the stream, whose length is known.
      #if os(Linux)
        #expect(request.values(of: "Content-Length") == (length.map { ["\($0)"] } ?? []))
        #expect(request.values(of: "Transfer-Encoding") == (length == nil ? ["chunked"] : []))
      #endif
      #expect(request.values(of: "Content-Type") == ["text/csv"])
      #expect(response.metrics.bytesSent == 4_500_000)
    }

    @Test func anEmptyStreamIsAnEmptyBody() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      _ = try await client.request(.upload(stream: BodyStream { pieces([]) }, to: server.path))
        .value
      #expect(server.requests.entries.first?.body.isEmpty == true)
    }

    #if os(Linux)
      @Test func aStreamWithoutDataWaitsWithoutTimingOut() async throws {
        let server = try ScriptedServer { _ in [.respond()] }
        let (bytes, continuation) = AsyncStream<Data>.makeStream()
        var configuration = NetworkingConfiguration.plain
        configuration.idleTimeout = .seconds(1)
        let client = Networking<Request>(
          transport: PlatformTransport.make(), configuration: configuration)
        let sent = Log<Int64>()
        let promise = client.request(
          .upload(stream: BodyStream(once: bytes), to: server.path),
          .onProgress {
            sent.append($0.sent.bytes)
          })
        continuation.yield(Data("one".utf8))
        _ = await sent.entries(1)
        // The stream stays silent for longer than the timeout, because another connection times out
        // first.
        let silent = try ScriptedServer { _ in [.stall] }
        let late = await client.request(.get(silent.path)).result.failure(as: NetworkError.self)
        #expect(late?.code == .timedOut(.idle))
        continuation.yield(Data("two".utf8))
        continuation.finish()
        #expect(try await promise.value.status == 200)
        #expect(server.requests.entries.first?.body == Data("onetwo".utf8))
      }
    #endif

    #if os(Linux)
      @Test func aStreamIsReadNoFasterThanItIsSent() async throws {
        let server = try ScriptedServer(greeting: [.hold]) { _ in [.respond()] }
        let made = Counter()
        let piece = Data(count: 64 << 10)
        let stream = BodyStream {
          AsyncStream {
            made.add() <= 512 ? piece : nil
          }
        }
        let promise = client.request(.upload(stream: stream, to: server.path), .onProgress { _ in })
        // The server does not read, so only the socket buffers and the queue are filled.
        let other = try ScriptedServer { _ in [.respond()] }
        for _ in 0..<50 { _ = try await client.request(.get(other.path)).value }
        #expect(made.value < 512)
        server.release()
        #expect(try await promise.value.status == 200)
        #expect(server.requests.entries.first?.body.count == 512 * piece.count)
      }
    #endif

    @Test func anErrorThrownByAStreamRejectsTheRequest() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let stream = BodyStream {
        AsyncThrowingStream<Data, any Error> { continuation in
          continuation.yield(Data("some".utf8))
          continuation.finish(throwing: TestError("broken"))
        }
      }
      let result = await client.request(.upload(stream: stream, to: server.path)).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(
        error.code == .encodingFailed && error.underlying as? TestError == TestError("broken"))
    }

    @Test(arguments: [(10, "it ended after 4 of 10 bytes"), (3, "it has more than 3 bytes")])
    func aStreamOfAWrongLengthIsAnError(length: Int64, reason: String) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let stream = BodyStream(length: length) { pieces([Data("abcd".utf8)]) }
      let result = await client.request(.upload(stream: stream, to: server.path)).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .encodingFailed && error.reason?.contains(reason) == true)
    }

    @Test func aRedirectThatKeepsTheBodyReopensTheStream() async throws {
      let server = try ScriptedServer { request in
        request.target == "/end" ? [.respond()] : [.respond("307 Go", ["Location: /end"])]
      }
      let stream = BodyStream { pieces([Data("again".utf8)]) }
      _ = try await client.request(.upload(stream: stream, to: server.path)).validate().value
      #expect(server.requests.entries.map(\.body) == [Data("again".utf8), Data("again".utf8)])
      let once = BodyStream(once: pieces([Data("again".utf8)]))
      let result = await client.request(.upload(stream: once, to: server.path)).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .encodingFailed)
      #expect(
        error.reason?.hasSuffix("the stream can be sent only once and has already been sent")
          == true)
    }

    @Test func cancellationEndsTheTaskOfTheStream() async throws {
      let server = try ScriptedServer(greeting: [.hold]) { _ in [.respond()] }
      let ended = Log<Void>()
      let begun = Log<Void>()
      let stream = BodyStream {
        AsyncStream<Data> { continuation in
          begun.append(())
          continuation.onTermination = { _ in ended.append(()) }
        }
      }
      let promise = client.request(.upload(stream: stream, to: server.path))
      _ = await begun.entries(1)
      promise.cancel()
      _ = await ended.entries(1)
      #expect(await promise.result.error is CancellationError)
    }

    @Test func aRequestWithAStreamCannotBeEncodedAndOtherRequestsCan() throws {
      let stream = BodyStream { pieces([]) }
      #expect(throws: EncodingError.self) {
        try JSONEncoder().encode(Request.upload(stream: stream, to: "x"))
      }
      let request = Request.upload(data: Data("ab".utf8), to: "x")
      let json = try JSONEncoder().encode(request)
      #expect(String(decoding: json, as: UTF8.self).contains(#""payload":{"data":"YWI="}"#))
      #expect(try JSONDecoder().decode(Request.self, from: json) == request)
      #expect(HTTPBody.stream(stream) == .stream(stream))
      #expect(HTTPBody.stream(stream) != .stream(BodyStream { pieces([]) }))
    }

    @Test func progressReportsBothBodiesAndEndsComplete() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], .pattern(300_000))] }
      let seen = Log<TransferProgress>()
      client.callbackContext = .queue(DispatchQueue(label: "progress"))
      let text = String(repeating: "a", count: 500_000)
      let done = client.request(
        .post(server.path, parameters: ["text": .string(text)]),
        .onProgress {
          seen.append($0)
        }
      ).then { _ in seen.entries.last }
      let last = try await done.value
      let progress = try #require(last ?? nil)
      #expect(progress.sent == .init(bytes: 500_011, total: 500_011))
      #expect(progress.received == .init(bytes: 300_000, total: 300_000))
      #expect(progress.received.fraction == 1)
      let amounts = seen.entries.map { $0.sent.bytes + $0.received.bytes }
      #expect(amounts == amounts.sorted())
    }

    @Test func theEndOfAnUploadIsReportedOnce() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], .pattern(300_000))] }
      let seen = Log<TransferProgress>()
      client.callbackContext = .inline
      _ = try await client.request(
        .upload(data: .pattern(500_000), to: server.path),
        .onProgress { progress in
          seen.append(progress)
        }
      ).value
      #expect(seen.entries.count(where: { $0.sent.fraction == 1 }) == 1)
      #expect(seen.entries.last?.sent == .init(bytes: 500_000, total: 500_000))
    }

    @Test func theResponseOfAnUploadIsReportedIfItIsDownloaded() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], .pattern(300_000))] }
      let seen = Log<TransferProgress>()
      client.callbackContext = .inline
      let target = folder.url("response.bin")
      _ = try await client.download(
        .upload(data: .pattern(5), to: server.path), to: target,
        .onProgress {
          seen.append($0)
        }
      ).value
      #expect(seen.entries.last?.sent == .init(bytes: 5, total: 5))
      #expect(seen.entries.last?.received == .init(bytes: 300_000, total: 300_000))
    }

    @Test func aSlowContextReceivesOnlyTheLatestProgress() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], .pattern(3_000_000))] }
      let handlers = Log<@Sendable () -> Void>()
      client.callbackContext = .custom { handlers.append($0) }
      let seen = Log<Int64>()
      let settled = Log<Void>()
      client.request(.get(server.path), .onProgress { seen.append($0.received.bytes) })
        .always(on: .inline) { _ in settled.append(()) }
      _ = await settled.entries(1)
      #expect(handlers.entries.count == 1)
      for handler in handlers.entries { handler() }
      #expect(seen.entries == [3_000_000])
    }

    @Test func aBodyAboveTheLimitIsRejected() async throws {
      var configuration = NetworkingConfiguration.plain
      configuration.maximumBodySize = 1_000
      let client = Networking<Request>(
        transport: PlatformTransport.make(), configuration: configuration)
      let server = try ScriptedServer { request in
        request.target == "/small"
          ? [.respond("200 OK", [], .pattern(1_000))]
          : [.text("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"), .flood(64 << 20)]
      }
      let small = RequestPath(raw: server.url("/small").absoluteString)
      #expect(try await client.request(.get(small)).value.data.count == 1_000)
      let result = await client.request(.get(server.path)).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .bodyTooLarge && error.reason == "more than 1000 bytes")
      #expect(error.body?.count == 1_000)
      _ = await server.closed.entries(1)
    }
  }
#endif
