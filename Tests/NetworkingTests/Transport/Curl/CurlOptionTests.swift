#if os(Linux)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  @Suite(.gated)
  struct CurlOptionTests {
    /// A string longer than libcurl accepts for any option.
    private static let long = String(repeating: "A", count: 8_000_001)
    private static let file = URL(filePath: "/" + long)

    private static let refused: [(String, CurlTransport.Options)] = [
      ("a proxy", .init(proxy: .url(URL(string: "http://" + long + ".invalid") ?? file)))
    ]

    @Test(arguments: [
      (Duration.seconds(-1), 0), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
      (.nanoseconds(1_000_001), 2), (.nanoseconds(1_999_999), 2), (.seconds(3), 3_000),
      (.seconds(Int64.max), 9_223_372_036_855),
    ])
    func aTimeoutIsRoundedUpToMilliseconds(_ timeout: Duration, _ milliseconds: Int) {
      #expect(timeout.wholeMilliseconds == milliseconds)
    }

    @Test(arguments: [(-1, 3...4), (0, 3...4), (1, 3...4), (2, 2...2)])
    func atMostTheGivenNumberOfConnectionsIsKeptAndAtLeastOne(
      _ size: Int, _ counts: ClosedRange<Int>
    ) async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data())] }
      let other = try ScriptedServer { _ in [.respond("200 OK", [], Data())] }
      // A limit for a host makes the transport use a single thread, which has the whole cache.
      let transport = CurlTransport(
        options: .init(connectionCacheSize: size, maximumConnectionsPerHost: 10))
      for url in [server.url(), other.url(), server.url(), other.url()] {
        #expect(await transport.get(url).failure == nil)
      }
      // Of two connections used within the same millisecond, libcurl closes either one.
      #expect(counts.contains(server.connectionCount + other.connectionCount))
    }

    @Test func theLastConnectionIsKeptWhateverTheSizeIs() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data())] }
      let transport = CurlTransport(
        options: .init(connectionCacheSize: -1, maximumConnectionsPerHost: 10))
      for _ in 0..<3 { #expect(await transport.get(server.url()).failure == nil) }
      #expect(server.connectionCount == 1)
    }

    @Test func theConnectionLimitIsNotExceeded() async throws {
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data())] }
      let transport = CurlTransport(options: .init(maximumConnectionsPerHost: 2))
      let exchanges = (0..<20).map { _ in
        ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      }
      _ = await server.requests.entries(2)
      server.release()
      for exchange in exchanges { #expect(await exchange.record.failure == nil) }
      #expect(server.connectionCount == 2)
    }

    @Test(arguments: refused.indices)
    func anOptionRejectedByLibcurlPreventsTheRequest(_ index: Int) async throws {
      let (name, options) = Self.refused[index]
      let server = try ScriptedServer { _ in [.respond()] }
      let record = await CurlTransport(options: options).get(server.url())
      #expect(record.failure?.code == .unsupported, "\(name)")
      #expect(server.connectionCount == 0, "\(name)")
    }
  }
#endif
