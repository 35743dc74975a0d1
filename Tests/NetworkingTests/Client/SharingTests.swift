#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  @Suite(.gated)
  struct SharingTests {
    /// Records requests that pass it, before they reach the sharing stage.
    private struct PassRecorder: Interceptor {
      let passed = Log<Void>()

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        let promise = next(exchange)
        passed.append(())
        return promise
      }
    }

    private let passRecorder = PassRecorder()
    /// The start of a response.
    ///
    /// URLSession may keep a head without a type until it has 512 bytes of the body.
    private static let hello = ScriptedServer.Step.text(
      "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 10\r\n\r\nhello")

    private func client(
      _ mode: RequestMode = .async, over transport: any Transport = PlatformTransport.make(),
      at url: URL? = nil, shares: Bool = true
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration.plain
      configuration.sharesRequests = shares
      let client = Networking<Request>(
        mode: mode, transport: transport, configuration: configuration)
      client.baseURL = url
      client.callbackContext = .inline
      client.interceptors = [passRecorder]
      return client
    }

    @Test func aThousandCallersShareOneRequest() async throws {
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data("one".utf8))] }
      let client = client(at: server.url())
      let calls = (1...1_000).map { _ in client.request(.get("a")).toString() }
      _ = await passRecorder.passed.entries(1_000)
      server.release()
      for call in calls { #expect(try await call.value == "one") }
      #expect(server.requests.entries.count == 1 && server.connectionCount == 1)
      await server.stop()
    }

    @Test func sharingIsOffByDefaultAndCanBeEnabledForARequest() async throws {
      let server = try ScriptedServer { _ in [.stall, .respond()] }
      let client = client(at: server.url(), shares: false)
      let requests: [Request] = [.get("a"), .get("a"), .get("b", .shared()), .get("b", .shared())]
      let calls = requests.map { client.request($0) }
      let endpoint = client.request(.get("b"), .shared())
      _ = await passRecorder.passed.entries(5)
      _ = await server.requests.entries(3)
      server.release()
      for call in calls + [endpoint] { #expect(try await call.value.status == 200) }
      #expect(server.requests.entries.map(\.target).sorted() == ["/a", "/a", "/b"])
      await server.stop()
    }

    @Test func cancellingTheLastCallerClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let client = client(at: server.url())
      let calls = (1...3).map { _ in client.request(.get("a")) }
      _ = await passRecorder.passed.entries(3)
      _ = await server.requests.entries(1)
      for call in calls {
        #expect(server.closed.entries.isEmpty)
        call.cancel()
      }
      #expect(await server.closed.entries(1) == [0])
      #expect(server.requests.entries.count == 1)
      await server.stop()
    }

    @Test func cancellingAllRequestsClosesTheConnection() async throws {
      let server = try ScriptedServer { _ in [.stall] }
      let client = client(at: server.url())
      let calls = (1...3).map { _ in client.request(.get("a")) }
      _ = await passRecorder.passed.entries(3)
      client.cancelAllRequests()
      for call in calls { #expect(await call.result.error is CancellationError) }
      if server.connectionCount > 0 { #expect(await server.closed.entries(1).count == 1) }
      await server.stop()
    }

    @Test func aCallerThatJoinsDuringTheBodyReceivesTheWholeBodyAndItsProgress() async throws {
      let server = try ScriptedServer { _ in [Self.hello, .stall, .text("world")] }
      let client = client(at: server.url())
      let (firstProgress, secondProgress) = (Log<TransferProgress>(), Log<TransferProgress>())
      let first = client.request(.get("a"), .onProgress { firstProgress.append($0) })
      var seen = 1
      while await firstProgress.entries(seen).last?.received.bytes != 5 { seen += 1 }
      let second = client.request(.get("a"), .onProgress { secondProgress.append($0) })
      // The progress so far is reported immediately.
      #expect(
        await secondProgress.entries(1) == [TransferProgress(received: .init(bytes: 5, total: 10))])
      let cancelled = client.request(.get("a"))
      _ = await passRecorder.passed.entries(3)
      cancelled.cancel()
      server.release()
      for call in [first, second] { #expect(try await call.toString().value == "helloworld") }
      for log in [firstProgress, secondProgress] {
        #expect(log.entries.last?.received == .init(bytes: 10, total: 10))
      }
      #expect(server.requests.entries.count == 1)
      await server.stop()
    }

    @Test func theFirstCallerCanCancelAndReceivesNoMoreProgress() async throws {
      let server = try ScriptedServer { _ in [Self.hello, .stall, .text("world")] }
      let client = client(at: server.url())
      let reported = Log<TransferProgress>()
      let first = client.request(.get("a"), .onProgress { reported.append($0) })
      var seen = 1
      while await reported.entries(seen).last?.received.bytes != 5 { seen += 1 }
      let second = client.request(.get("a"))
      _ = await passRecorder.passed.entries(2)
      first.cancel()
      server.release()
      #expect(try await second.toString().value == "helloworld")
      #expect(reported.entries.last?.received.bytes == 5)
      await server.stop()
    }

    @Test func downloadsStreamsAndBodiesAreNotShared() async throws {
      let folder = TemporaryFolder()
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data("x".utf8))] }
      let client = client(at: server.url())
      var calls = (1...2).map { client.download(.get("a"), to: folder.url("\($0)")) }
      calls += (1...2).map { _ in client.stream(.get("a")) }
      calls += (1...2).map { _ in client.request(.post("a")) }
      _ = await server.requests.entries(6)
      server.release()
      for call in calls { #expect(try await call.value.status == 200) }
      #expect(server.requests.entries.count == 6)
      await server.stop()
    }

    @Test func callersWithDifferentCredentialsDoNotShare() async throws {
      let server = try ScriptedServer { request in
        [.stall, .respond("200 OK", [], Data(request.values(of: "Authorization").joined().utf8))]
      }
      let client = client(at: server.url())
      let calls = ["a", "b"].flatMap { token in
        client.authenticate(bearerToken: token)
        return (1...3).map { _ in client.request(.get("me")).toString() }
      }
      _ = await passRecorder.passed.entries(6)
      _ = await server.requests.entries(2)
      server.release()
      var texts: [String] = []
      for call in calls {
        do { texts.append(try await call.value) } catch let error as NetworkError {
          texts.append("\(error.code)")
        }
      }
      #expect(
        texts == Array(repeating: "sessionEnded", count: 3) + Array(repeating: "Bearer b", count: 3)
      )
      #expect(server.requests.entries.count == 2)
      await server.stop()
    }

    @Test func eachCallerOccupiesAQueueSlotSoASerialQueueSharesNothing() async throws {
      for (mode, expected) in [(RequestMode.sync, 6), (.limited(2), 3), (.async, 1)] {
        let time = TestScheduler()
        let transport = MockTransport(scheduler: time) {
          Route(.get, "/a") { _ in .text("one").delayed(by: .seconds(1)) }
        }
        var configuration = NetworkingConfiguration.plain
        configuration.sharesRequests = true
        configuration.scheduler = time
        let client = Networking<Request>(
          mode: mode, transport: transport, configuration: configuration)
        client.callbackContext = .inline
        let calls = (1...6).map { _ in client.request(.get("https://a.example/a")) }
        await time.run()
        for call in calls { #expect(try await call.value.status == 200) }
        #expect(transport.journal.count == expected, "\(mode)")
      }
    }

    @Test func mocksAreSharedOnlyWithinTheirScope() async throws {
      var configuration = NetworkingConfiguration.plain
      configuration.sharesRequests = true
      let time = TestScheduler()
      configuration.scheduler = time
      let client = Networking<Request>(configuration: configuration)
      client.callbackContext = .inline
      let calls = Log<Promise<String>>()
      let counts = Counter()
      func sendTwice(_ name: String, _ body: () async throws -> Void) async throws {
        let provider = MockProvider<Request>(delay: .seconds(1), scheduler: time) { _ in
          counts.add()
          return .text(name)
        }
        try await withMocks(provider) {
          for _ in 1...2 { calls.append(client.request(.get("https://a.example/")).toString()) }
          try await body()
        }
      }
      try await sendTwice("outer") { try await sendTwice("inner") { await time.run() } }
      let texts = try await when(calls.entries).value
      #expect(texts == ["outer", "outer", "inner", "inner"])
    }

    @Test func aRefreshWithinAHopDoesNotJoinTheRequestThatWaitsForIt() async throws {
      let transport = FakeTransport { request in
        .response(request.headers["X-Fresh"] == nil ? 401 : 200)
      }
      let client = client(over: transport, at: .of("https://a.example"))
      let refreshes = Counter()
      client.interceptors[.hop] = [
        RefreshInterceptor(on: [401]) { [unowned client] _ in
          refreshes.add()
          return client.request(.get("me", .notIntercepted))
        }
      ]
      #expect(try await client.request(.get("me")).value.status == 401)
      #expect(refreshes.value == 1 && transport.requests.count == 3)
    }
  }
#endif
