#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns the idle timeout: short for libcurl, which uses the real clock, and virtual
    /// otherwise.
    private static func idleTimeout(_ kind: TransportKind) -> Duration {
      kind == .curl ? .seconds(2) : .seconds(60)
    }

    /// Returns the record of an exchange with a server that stalls after `signal`.
    private static func stalledExchange(
      _ kind: TransportKind, _ mock: Mock,
      after signal: @escaping @Sendable (TransportEvent) -> Bool
    ) async throws -> ExchangeRecord {
      let time = TestScheduler()
      let backend = try Backend(kind, scheduler: time) { _ in mock }
      let signalReceived = Log<Void>()
      let exchange = ExchangeRecorder(
        backend, HTTPRequest(url: try backend.url(), idleTimeout: idleTimeout(kind))
      ) { if signal($0) { signalReceived.append(()) } }
      _ = await backend.received.entries(1)
      if mock.sendsBytesBeforeStall { _ = await signalReceived.entries(1) }
      if kind != .curl {
        await time.advance(by: idleTimeout(kind) - .milliseconds(1))
        #expect(exchange.current.lastEvents == 0)
        await time.advance(by: .milliseconds(1))
      }
      return await exchange.record
    }

    /// Performs a call with two hops, each of which takes six seconds.
    private static func twoHops(
      _ kind: TransportKind, _ configure: (inout NetworkingConfiguration) -> Void
    ) async throws -> Result<Response, any Error> {
      let (time, gate, received) = (TestScheduler(), Gate(), Log<ReceivedRequest>())
      let backend = try Backend(
        kind,
        origins: [
          [
            Route(.get, "/1") { request async in
              received.append(request)
              await gate.pass(1)
              return .redirect(to: "/2")
            },
            Route(.get, "/2") { request async in
              received.append(request)
              await gate.pass(2)
              return .status(200)
            },
          ]
        ], scheduler: time)
      let client = backend.client {
        $0.scheduler = time
        configure(&$0)
      }
      let promise = client.request(.get("/1"))
      for hop in 1...2 {
        _ = await received.entries(hop)
        await time.advance(by: .seconds(6))
        gate.open()
      }
      return await promise.result
    }

    /// Checks that a call to a server that does not respond ends exactly at its limit, and returns
    /// the error code.
    private static func call(
      _ kind: TransportKind, limit: Duration, _ request: Request,
      _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
    ) async throws -> NetworkError.Code? {
      let time = TestScheduler()
      let backend = try Backend(kind, scheduler: time) { _ in .fault(.stall, at: .request) }
      let client = backend.client {
        $0.scheduler = time
        configure(&$0)
      }
      let promise = client.request(request)
      _ = await backend.received.entries(1)
      await time.advance(by: limit - .milliseconds(1))
      #expect(promise.isPending)
      await time.advance(by: .milliseconds(1))
      return await promise.result.failure(as: NetworkError.self)?.code
    }

    /// Connects to a port that neither accepts nor refuses connections, and returns the failure.
    private static func connect(
      _ kind: TransportKind, _ method: HTTPMethod, _ body: HTTPBody
    ) async throws -> NetworkError.Code? {
      let time = TestScheduler()
      let full = try FullListener()
      let transport: any Transport =
        switch kind {
        case .curl: PlatformTransport.make()
        case .urlSession: URLSessionTransport(scheduler: time)
        case .mock:
          MockTransport { Route(nil, "/") { _ in .failure(.timedOut(.connect)) } }
        }
      let request = HTTPRequest(
        method: method, url: full.url, body: body,
        connectTimeout: kind == .curl ? .milliseconds(50) : .seconds(30),
        idleTimeout: .seconds(60))
      let exchange = ExchangeRecorder(AnyTransport(transport), request)
      await time.advance(by: .seconds(30))
      if case .none = body { await time.advance(by: .seconds(60)) }
      return await exchange.record.failure?.code
    }

    static let deadlines: [Behaviour] = [
      Behaviour("a connection that is not established times out before a body") {
        kind async throws in
        let code = try await connect(kind, .post, .data(Data("x".utf8)))
        #expect(code == .timedOut(.connect))
      },
      Behaviour("a connection that is not established times out without a body") {
        kind async throws in
        #expect(try await connect(kind, .get, .none) == .timedOut(.connect))
      },
      Behaviour("a server that is silent from the start times out") { kind async throws in
        let record = try await stalledExchange(kind, .fault(.stall, at: .request)) { _ in true }
        #expect(record.order == ["failure"])
        #expect(record.failure?.code == .timedOut(.idle))
      },
      Behaviour("a server that becomes silent during the body times out") { kind async throws in
        let mock = Mock.text("abcdef").interrupted(by: .stall, at: .body(afterBytes: 3))
        let record = try await stalledExchange(kind, mock) {
          if case .body = $0 { true } else { false }
        }
        #expect(record.order == ["head", "body", "failure"])
        #expect(record.failure?.code == .timedOut(.idle))
        #expect(record.body == Data("abc".utf8))
      },
      Behaviour("an idle timeout has the partial body") { kind async throws in
        let backend = try Backend(kind) { _ in
          Mock.text("abcdef", status: 503).interrupted(by: .stall, at: .body(afterBytes: 3))
        }
        let client = backend.client { $0.idleTimeout = .seconds(2) }
        let error = await client.request(.get("/")).result.failure(as: NetworkError.self)
        #expect(error?.code == .timedOut(.idle))
        #expect(error?.response?.status == 503)
        #expect(error?.body == Data("abc".utf8))
      },
      Behaviour("an attempt that takes too long times out") { kind async throws in
        let code = try await call(kind, limit: .seconds(10), .get("/")) {
          $0.attemptTimeout = .seconds(10)
          $0.idleTimeout = nil
        }
        #expect(code == .timedOut(.attempt))
      },
      Behaviour("a call that takes too long times out") { kind async throws in
        let code = try await call(kind, limit: .seconds(10), .get("/")) {
          $0.callTimeout = .seconds(10)
          $0.idleTimeout = nil
        }
        #expect(code == .timedOut(.call))
      },
      Behaviour("the timeout of the request overrides the client's") { kind async throws in
        let code = try await call(kind, limit: .seconds(5), .get("/", .timeout(.seconds(5)))) {
          $0.callTimeout = .seconds(50)
          $0.idleTimeout = nil
        }
        #expect(code == .timedOut(.call))
      },
      Behaviour("the attempt timeout restarts with each hop") { kind async throws in
        let result = try await twoHops(kind) {
          $0.attemptTimeout = .seconds(10)
          $0.idleTimeout = nil
        }
        #expect(try result.get().status == 200)
      },
      Behaviour("the call timeout spans all hops") { kind async throws in
        let result = try await twoHops(kind) {
          $0.callTimeout = .seconds(10)
          $0.idleTimeout = nil
        }
        #expect(result.failure(as: NetworkError.self)?.code == .timedOut(.call))
      },
      Behaviour("the timeout of a stream includes its body") { kind async throws in
        let time = TestScheduler()
        let backend = try Backend(kind, scheduler: time) { _ in
          Mock.text("abcdef").interrupted(by: .stall, at: .body(afterBytes: 3))
        }
        let client = backend.client {
          $0.scheduler = time
          $0.callTimeout = .seconds(10)
          $0.idleTimeout = nil
        }
        var body = Data()
        let response = try await client.stream(.get("/")).value
        await #expect(throws: NetworkError.self) {
          for try await piece in response.bytes {
            body += piece
            if body.count == 3 { await time.advance(by: .seconds(10)) }
          }
        }
        #expect(body == Data("abc".utf8))
      },
      Behaviour("a suspended response does not time out") { kind async throws in
        let backend = try Backend(kind) { request in
          request.path.text == "/held" ? .text("abc") : .fault(.stall, at: .request)
        }
        let held = ExchangeRecorder(
          backend, HTTPRequest(url: try backend.url("/held"), idleTimeout: .milliseconds(100)))
        held.suspend()
        // When another exchange with a longer idle timeout has timed out, the idle timeout of the
        // suspended one has also passed.
        let other = await backend.perform(
          HTTPRequest(url: try backend.url("/"), idleTimeout: .milliseconds(300)))
        #expect(other.failure?.code == .timedOut(.idle))
        held.resume()
        #expect(await held.record.order == ["head", "body", "end"])
      },
    ]
  }

  /// A type-erased transport.
  private struct AnyTransport: Transport {
    let transport: any Transport

    init(_ transport: any Transport) {
      self.transport = transport
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      transport.start(request, receive)
    }
  }

  extension Mock {
    /// Whether the client receives anything before the stall.
    fileprivate var sendsBytesBeforeStall: Bool {
      status == 200 && headers["Content-Type"]?.hasPrefix("text") == true
    }
  }
#endif
