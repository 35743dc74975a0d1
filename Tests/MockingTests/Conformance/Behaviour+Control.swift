#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns a backend whose handlers record the request and then wait at a gate.
    private static func gated(_ kind: TransportKind, _ gate: Gate, _ mock: Mock) throws -> Backend {
      let received = Log<ReceivedRequest>()
      return try Backend(
        kind,
        origins: [
          [
            Route(nil, "/gate/{rest*}") { request async in
              received.append(request)
              await gate.pass()
              return mock
            },
            Route(nil, "/{rest*}") { request in
              received.append(request)
              return mock
            },
          ]
        ], received: received)
    }

    static let cancellation: [Behaviour] = [
      Behaviour("cancellation before the head reaches the server") { kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .status(200))
        let promise = backend.client().request(.get("/gate"))
        let request = await backend.received.entries(1)[0]
        promise.cancel()
        #expect(await promise.result.error is CancellationError)
        _ = await gate.cancelled.entries(1)
        if let server = backend.servers.first {
          #expect(try await server.closing(of: request).value.wasAborted)
        }
      },
      Behaviour("cancellation of the end of a chain reaches the server") { kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .status(200))
        let last = backend.client().request(.get("/gate")).validate().toData().map(\.count)
        _ = await backend.received.entries(1)
        last.cancel()
        #expect(await last.result.error is CancellationError)
        _ = await gate.cancelled.entries(1)
      },
      Behaviour("cancellation of all requests of a client reaches the server") {
        kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .status(200))
        let client = backend.client()
        let promises = (0..<3).map { _ in client.request(.get("/gate")) }
        _ = await backend.received.entries(3)
        client.cancelAllRequests()
        for promise in promises { #expect(await promise.result.error is CancellationError) }
        _ = await gate.cancelled.entries(3)
      },
      Behaviour("cancellation during the body closes the connection") { kind async throws in
        let backend = try Backend(kind) { _ in
          Mock.bytes(100_000).interrupted(by: .stall, at: .body(afterBytes: 10))
        }
        let response = try await backend.client().stream(.get("/")).value
        var count = 0
        await #expect(throws: CancellationError.self) {
          for try await piece in response.bytes {
            count += piece.count
            if count == 10 { response.bytes.cancel() }
          }
        }
        #expect(count == 10)
        if let server = backend.servers.first {
          #expect(try await server.closing(of: backend.requests[0]).value.wasAborted)
        }
      },
      Behaviour("a transport reports a cancellation once") { kind async throws in
        let backend = try Backend(kind) { _ in .fault(.stall, at: .request) }
        let exchange = ExchangeRecorder(backend, HTTPRequest(url: try backend.url()))
        _ = await backend.received.entries(1)
        exchange.cancel()
        exchange.cancel()
        let record = await exchange.record
        #expect(record.order == ["failure"])
        #expect(record.failure?.code == .cancelled)
        exchange.cancel()
        exchange.resume()
        #expect(exchange.current.lastEvents == 1)
      },
      Behaviour("cancellation after the end is a no-op") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc") }
        let exchange = ExchangeRecorder(backend, HTTPRequest(url: try backend.url()))
        #expect(await exchange.record.order == ["head", "body", "end"])
        exchange.cancel()
        #expect(await backend.get(try backend.url()).head?.status == 200)
        #expect(exchange.current.lastEvents == 1)
      },
      Behaviour("a cancelled queued request is not sent") {
        kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .status(200))
        let client = Networking<Request>(mode: .sync, transport: backend)
        client.baseURL = backend.urls[0]
        let first = client.request(.get("/gate"))
        let second = client.request(.get("/second"))
        let third = client.request(.get("/third"))
        _ = await backend.received.entries(1)
        second.cancel()
        gate.open()
        #expect(try await first.value.status == 200)
        #expect(try await third.value.status == 200)
        #expect(await second.result.error is CancellationError)
        #expect(backend.requests.map(\.path.text) == ["/gate", "/third"])
      },
      Behaviour("cancellation during the upload of a stream ends its reading") {
        kind async throws in
        let backend = try Backend(kind)
        let (isReading, ended) = (Log<Void>(), Log<Void>())
        let stream = BodyStream {
          AsyncStream<Data> { continuation in
            continuation.onTermination = { _ in ended.append(()) }
            continuation.yield(Data("abc".utf8))
            isReading.append(())
          }
        }
        let promise = backend.client().request(.upload(stream: stream, to: "/"))
        _ = await isReading.entries(1)
        promise.cancel()
        #expect(await promise.result.error is CancellationError)
        _ = await ended.entries(1)
      },
    ]

    private static let flood = 32 << 20

    static let flowControl: [Behaviour] = [
      Behaviour("a suspended exchange delivers no body until it is resumed") {
        kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .text("abc"))
        let exchange = ExchangeRecorder(backend, HTTPRequest(url: try backend.url("/gate")))
        _ = await backend.received.entries(1)
        exchange.suspend()
        gate.open()
        #expect(await backend.get(try backend.url("/other")).head?.status == 200)
        #expect(!exchange.current.order.contains("body") && exchange.current.lastEvents == 0)
        exchange.resume()
        #expect(await exchange.record.order == ["head", "body", "end"])
        #expect(exchange.current.body == Data("abc".utf8))
      },
      Behaviour("a suspended exchange can be cancelled") { kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .text("abc"))
        let exchange = ExchangeRecorder(backend, HTTPRequest(url: try backend.url("/gate")))
        exchange.suspend()
        exchange.cancel()
        #expect(await exchange.record.failure?.code == .cancelled)
      },
      Behaviour("repeated suspension and resumption loses nothing") { kind async throws in
        let backend = try Backend(kind) { _ in .data(.pattern(1 << 20)) }
        let handles = Log<ExchangeRecorder>()
        let exchange = ExchangeRecorder(backend, HTTPRequest(url: try backend.url())) { event in
          guard case .body = event else { return }
          for handle in handles.entries {
            handle.suspend()
            handle.resume()
          }
        }
        handles.append(exchange)
        #expect(await exchange.record.body == .pattern(1 << 20))
        #expect(exchange.current.lastEvents == 1)
      },
      Behaviour("a server waits for a reader that does not read") { kind async throws in
        let generatedCount = Mutex(0)
        let backend = try Backend(
          kind,
          origins: [
            [
              Route(.get, "/flood") { _ in
                Mock(
                  body: .generated(byteCount: flood) { range in
                    generatedCount.withLock { $0 = range.upperBound }
                    return Data(count: range.count)
                  })
              },
              Route(.get, "/") { _ in .status(200) },
            ]
          ])
        let client = backend.client()
        let response = try await client.stream(.get("/flood")).value
        // Each further request lets the server continue to send if the buffer has space.
        for _ in 0..<1_500 where generatedCount.withLock({ $0 }) < flood {
          _ = try await client.request(.get("/")).value
        }
        #expect(generatedCount.withLock { $0 } < flood)
        var count = 0
        for try await piece in response.bytes { count += piece.count }
        #expect(count == flood)
      },
    ]

    static let connections: [Behaviour] = [
      Behaviour("a connection serves requests sequentially") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc") }
        let client = backend.client()
        for _ in 0..<5 { _ = try await client.request(.get("/")).value }
        #expect(Set(backend.requests.map(\.connection)) == [0])
        #expect(backend.requests.map(\.exchange) == [0, 1, 2, 3, 4])
      },
      Behaviour("the reuse of a connection is reported") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc") }
        let client = backend.client()
        let first = try await client.request(.get("/")).value
        let second = try await client.request(.get("/")).value
        #expect(!first.metrics.reusedConnection)
        #expect(second.metrics.reusedConnection)
      },
      Behaviour("a connection that the server will close is not reused") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc").header("Connection", "close") }
        let client = backend.client()
        for _ in 0..<3 {
          #expect(try await client.request(.get("/")).value.data == Data("abc".utf8))
        }
        #expect(backend.requests.map(\.connection) == [0, 1, 2])
      },
      Behaviour("a connection closed in the meantime is replaced") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc").interrupted(by: .close, at: .end) }
        let client = backend.client()
        for _ in 0..<3 {
          #expect(try await client.request(.get("/")).value.data == Data("abc".utf8))
        }
      },
      Behaviour("the request after a lost connection succeeds") { kind async throws in
        let backend = try Backend(kind) { request in
          request.path.text == "/" ? .text("abc") : .fault(.reset, at: .body(afterBytes: 5))
        }
        #expect(await backend.failure(of: "/lost")?.code == .connectionLost)
        #expect(try await backend.get().data == Data("abc".utf8))
      },
      Behaviour("eight requests run concurrently") { kind async throws in
        let gate = Gate()
        let backend = try gated(kind, gate, .text("abc"))
        let client = backend.client()
        let promises = (0..<8).map { client.request(.get("/gate/\($0)")) }
        _ = await backend.received.entries(8)
        gate.open()
        for promise in promises { #expect(try await promise.value.data == Data("abc".utf8)) }
      },
      Behaviour("times are reported in order") { kind async throws in
        let backend = try Backend(kind) { _ in .data(.pattern(100_000)) }
        let metrics = try await backend.get().metrics
        #expect(metrics.total >= metrics.firstByte ?? .zero)
        #expect(metrics.firstByte ?? .zero >= metrics.requestSent ?? .zero)
      },
      Behaviour("the time of the first byte is reported") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc") }
        #expect(try await backend.get().metrics.firstByte != nil)
      },
    ]
  }
#endif
