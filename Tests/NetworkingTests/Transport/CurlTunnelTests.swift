#if os(Linux)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  @Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
  struct CurlTunnelTests {
    @Test func tlsGoesThroughATunnelAndIsVerifiedAtItsEnd() async throws {
      let certificates = try await Certificates()
      try await certificates.make("good")
      let server = try await TLSServer(certificates, "good")
      let port = UInt16(server.port)
      let proxy = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n"), .tunnel(to: port)]
      }
      func get(_ tls: TLSOptions) async -> ExchangeRecord {
        await CurlTransport(options: .init(tls: tls, proxy: .url(proxy.url("/")))).get(server.url)
      }
      let trusting = await get(.init(certificateAuthorities: certificates.authority))
      #expect(trusting.head?.status == 200)
      #expect(trusting.head?.headers["X-Proxy"] == nil)
      #expect(trusting.metrics?.secured != nil)
      let request = await proxy.requests.entries(1)[0]
      #expect(request.line == "CONNECT 127.0.0.1:\(server.port) HTTP/1.1")
      #expect(await get(.init()).failure?.code == .tlsUntrusted)
    }
  }
#endif
