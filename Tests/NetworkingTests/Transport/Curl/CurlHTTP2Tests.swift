#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(
    .gated, .serialized,
    .enabled(
      if: Certificates.areAvailable && NginxServer.isAvailable,
      "nginx speaks HTTP/2, and the openssl tool makes its certificate: one of them is not here"))
  struct CurlHTTP2Tests {
    private let certificates: Certificates
    /// The upstream server of nginx, which responds when it is released.
    private let upstream: ScriptedServer

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good", host: "DNS:localhost")
      upstream = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data("late".utf8))] }
    }

    private func nginx(requestsPerConnection: Int = 1_000) async throws -> NginxServer {
      try await NginxServer(
        certificates, "good", upstream: upstream.port, requestsPerConnection: requestsPerConnection)
    }

    private func transport(
      _ server: NginxServer, allowsHTTP2: Bool = true
    ) throws -> CurlTransport {
      try CurlTransport(
        options: .init(
          tls: certificates.trusting,
          unixSocketPath: server.socketPath, allowsHTTP2: allowsHTTP2))
    }

    private func held(_ count: Int, by transport: CurlTransport) -> [ExchangeRecorder] {
      (0..<count).map { _ in
        ExchangeRecorder(transport, HTTPRequest(url: .of("https://localhost/upstream/x")))
      }
    }

    @Test func http2IsUsedWhenTLSNegotiatesIt() async throws {
      let server = try await nginx()
      let record = try await transport(server).get(.of("https://localhost/"))
      #expect(record.failure == nil)
      #expect(record.head?.version == "2")
      #expect(record.body == Data("done".utf8))
      let plain = try await transport(server, allowsHTTP2: false).get(.of("https://localhost/"))
      #expect(plain.head?.version == "1.1")
    }

    @Test func aHundredConcurrentExchangesShareAConnection() async throws {
      let server = try await nginx()
      let transport = try transport(server)
      let exchanges = held(100, by: transport)
      _ = await upstream.requests.entries(100)
      upstream.release()
      var connections = Set<String>()
      for exchange in exchanges {
        let record = await exchange.record
        #expect(record.head?.version == "2")
        #expect(record.body == Data("late".utf8))
        connections.insert(record.head?.headers["X-Connection"] ?? "none")
      }
      #expect(connections.count == 1)
    }

    /// Runs in separate processes, so that the threads can be counted.
    @Test func aKnownHTTP1ServerUsesTwoThreads() async {
      await #expect(processExitsWith: .success) {
        let threads = try await Self.threadsOfAHundred(speaksHTTP2: false)
        #expect(threads == min(2, ProcessInfo.processInfo.activeProcessorCount))
      }
    }

    @Test func anHTTP2ServerUsesOneThread() async {
      await #expect(processExitsWith: .success) {
        let threads = try await Self.threadsOfAHundred(speaksHTTP2: true)
        #expect(threads == 1)
      }
    }

    /// Returns the number of I/O threads for 100 concurrent exchanges after a first one.
    private static func threadsOfAHundred(speaksHTTP2: Bool) async throws -> Int {
      let certificates = try await Certificates()
      try await certificates.make("good", host: "DNS:localhost")
      let upstream = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data())] }
      let server = try await NginxServer(
        certificates, "good", upstream: upstream.port, speaksHTTP2: speaksHTTP2)
      let transport = try CurlTransport(
        options: .init(
          tls: certificates.trusting,
          unixSocketPath: server.socketPath))
      let first = await transport.get(.of("https://localhost/"))
      #expect(first.head?.version == (speaksHTTP2 ? "2" : "1.1"))
      let exchanges = (0..<100).map { _ in
        ExchangeRecorder(transport, HTTPRequest(url: .of("https://localhost/upstream/x")))
      }
      _ = await upstream.requests.entries(100)
      let count = ProcessResources.threads(named: "Catena.Curl")
      upstream.release()
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      return count
    }

    /// The server ends each connection after 50 requests, by GOAWAY or by `Connection: close`.
    ///
    /// The environment variable `REQUESTS` sets the number of requests of each kind.
    @Test(arguments: [false, true], [HTTPMethod.get, .post])
    func noRequestFailsWhenAServerEndsConnections(allowsHTTP2: Bool, method: HTTPMethod)
      async throws
    {
      let wanted = ProcessInfo.processInfo.environment["REQUESTS"].flatMap { Int($0) } ?? 2_000
      let number = max(wanted, 400)
      let server = try await nginx(requestsPerConnection: 50)
      let transport = try transport(server, allowsHTTP2: allowsHTTP2)
      let request = HTTPRequest(
        method: method, url: .of(method == .get ? "https://localhost/" : "https://localhost/read"),
        body: method == .get ? .none : .data(Data("body".utf8)))
      let (failures, connections) = (Log<String>(), Log<String>())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            for _ in 0..<(number / 16) {
              let record = await transport.perform(request)
              if let connection = record.head?.headers["X-Connection"] {
                connections.append(connection)
              }
              guard record.body != Data("done".utf8) || record.failure != nil else { continue }
              failures.append(record.failure.map { "\($0.code): \($0.detail)" } ?? "a wrong body")
            }
          }
        }
      }
      #expect(failures.entries == [])
      #expect(Set(connections.entries).count >= number / 50)
    }

    @Test func eachStreamReportsTheSharedConnection() async throws {
      let server = try await nginx()
      let monitor = RecordingMonitor()
      var configuration = NetworkingConfiguration.plain
      configuration.monitors = [monitor]
      let client = Networking<Request>(
        transport: try transport(server), configuration: configuration)
      client.callbackContext = .inline
      let calls = (0..<100).map { _ in client.request(.get("https://localhost/upstream/x")) }
      _ = await upstream.requests.entries(100)
      upstream.release()
      for call in calls { #expect(try await call.value.metrics.httpVersion == "2") }
      let events = await monitor.events(ofCalls: 100)
      let connections = events.compactMap { event -> NetworkEvent.Connection? in
        if case .connected(let connection) = event.kind { connection } else { nil }
      }
      #expect(connections.count { !$0.isReused } == 1 && connections.count == 100)
      #expect(events.count { $0.kind == .secured } == 1)
      for call in events.byCall { #expect(call.kinds.suffix(4).first == "request sent") }
    }

    @Test func cancellingOneStreamDoesNotAffectTheOthers() async throws {
      let server = try await nginx()
      let transport = try transport(server)
      let exchanges = held(20, by: transport)
      _ = await upstream.requests.entries(20)
      exchanges[7].cancel()
      #expect(await exchanges[7].record.failure?.code == .cancelled)
      // libcurl 7.88 delays the reset of the stream until it next sends on the connection. nginx
      // then closes the upstream request.
      #expect(await transport.get(.of("https://localhost/")).head?.status == 200)
      #expect(await upstream.closed.entries(1).count == 1)
      upstream.release()
      var connections = Set<String>()
      for (number, exchange) in exchanges.enumerated() where number != 7 {
        let record = await exchange.record
        #expect(record.body == Data("late".utf8))
        connections.insert(record.head?.headers["X-Connection"] ?? "none")
      }
      #expect(connections.count == 1)
    }

    @Test func aConnectionClosedByGOAWAYIsReplaced() async throws {
      let server = try await nginx(requestsPerConnection: 10)
      let transport = try transport(server)
      var connections = Set<String>()
      for _ in 0..<45 {
        let record = await transport.get(.of("https://localhost/"))
        #expect(record.body == Data("done".utf8))
        connections.insert(record.head?.headers["X-Connection"] ?? "none")
      }
      #expect((4...6).contains(connections.count))
    }

    @Test func aBrokenConnectionEndsAllItsStreams() async throws {
      let server = try await nginx()
      let transport = try transport(server)
      let exchanges = held(20, by: transport)
      _ = await upstream.requests.entries(20)
      await server.stop()
      for exchange in exchanges {
        let record = await exchange.record
        #expect(record.failure?.code == .connectionLost)
        #expect(record.failure?.detail.isEmpty == false)
      }
      let late = await transport.get(.of("https://localhost/"))
      #expect(late.failure?.code == .cannotConnect)
    }
  }
#endif
