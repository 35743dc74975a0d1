#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlProxyTests {
    private func transport(
      _ proxy: URL, _ credentials: CurlTransport.ProxyCredentials? = nil,
      tls: TLSOptions = .init()
    ) -> CurlTransport {
      CurlTransport(options: .init(tls: tls, proxy: .url(proxy), proxyCredentials: credentials))
    }

    @Test func anHTTPRequestIsSentToTheProxyInAbsoluteForm() async throws {
      let proxy = try ScriptedServer { _ in [.respond("200 OK", [], Data("proxied".utf8))] }
      let transport = transport(proxy.url("/"), .init(username: "ann", password: "sesame"))
      let record = await transport.get(.of("http://catena.invalid/a%2Fb?c=d"))
      #expect(record.body == Data("proxied".utf8))
      let request = await proxy.requests.entries(1)[0]
      #expect(request.line == "GET http://catena.invalid/a%2Fb?c=d HTTP/1.1")
      #expect(request.values(of: "Host") == ["catena.invalid"])
      #expect(request.values(of: "Proxy-Authorization") == ["Basic YW5uOnNlc2FtZQ=="])
    }

    @Test func withoutCredentialsTheProxysRejectionIsAResponse() async throws {
      let proxy = try ScriptedServer { _ in [.respond("407 Proxy Authentication Required")] }
      let record = await transport(proxy.url("/")).get(.of("http://catena.invalid/"))
      #expect(record.head?.status == 407)
      #expect(await proxy.requests.entries(1)[0].values(of: "Proxy-Authorization").isEmpty)
    }

    @Test(arguments: ["407 Proxy Authentication Required", "502 Bad Gateway"])
    func aRejectedTunnelIsAConnectionFailure(_ status: String) async throws {
      let proxy = try ScriptedServer { _ in
        [.respond(status, ["Proxy-Authenticate: Basic realm=\"r\""])]
      }
      let transport = transport(proxy.url("/"), .init(username: "ann", password: "sesame"))
      let record = await transport.perform(
        HTTPRequest(
          url: .of("https://catena.invalid/secret?token=secret"),
          headers: ["Authorization": "Bearer secret"]))
      #expect(record.order == ["failure"])
      let failure = try #require(record.failure)
      #expect(failure.code == .cannotConnect)
      #expect(failure.detail == "The proxy rejected the tunnel with the status \(status.prefix(3))")
      // Fields for the server are not sent to the proxy.
      let request = await proxy.requests.entries(1)[0]
      #expect(request.line == "CONNECT catena.invalid:443 HTTP/1.1")
      #expect(request.values(of: "Authorization").isEmpty)
      #expect(request.values(of: "Proxy-Authorization") == ["Basic YW5uOnNlc2FtZQ=="])
    }

    @Test func anUnreachableProxyIsAConnectionFailure() async throws {
      let closed = try ClosedPort()
      let record = await transport(closed.url).get(.of("http://catena.invalid/"))
      #expect(record.failure?.code == .cannotConnect)
      let unknown = await transport(.of("http://proxy.invalid:3128")).get(.of("http://a.invalid/"))
      #expect(unknown.failure?.code == .dnsFailed)
    }

    @Test func aNameThatIsUnknownToASOCKSClientIsAResolutionFailure() async throws {
      // The server accepts the method without authentication. Source: RFC 1928 section 3.
      let proxy = try ScriptedServer(greeting: [.send(Data([5, 0])), .hold]) { _ in [] }
      let transport = transport(LoopbackSocket.url("socks5", Int(proxy.port)))
      #expect(await transport.get(.of("http://catena.invalid/")).failure?.code == .dnsFailed)
    }

    @Test(arguments: [
      "ftp://127.0.0.1:1", "http://ann:sesame@127.0.0.1:1", "http://ann@127.0.0.1:1", "sesame",
    ])
    func anInvalidProxyURLIsRejectedWithoutBeingPrinted(_ url: String) async throws {
      let record = await transport(try #require(URL(string: url))).get(.of("http://a.invalid/"))
      #expect(record.failure?.code == .invalidURL)
      #expect(record.failure?.detail.contains("sesame") == false)
    }

    @Test func credentialsAreNotPrinted() {
      let credentials = CurlTransport.ProxyCredentials(username: "ann", password: "sesame")
      let options = CurlTransport.Options(
        proxy: .url(.of("http://p.example")), proxyCredentials: credentials)
      var dumped = ""
      dump(options, to: &dumped)
      for text in ["\(credentials)", "\(options)", String(reflecting: options), dumped] {
        #expect(text.contains("ann") && !text.contains("sesame"))
      }
    }

    /// Runs in a separate process with its own environment.
    @Test func theEnvironmentIsUsedByDefault() async {
      await #expect(processExitsWith: .success) {
        let proxy = try ScriptedServer { _ in [.respond("200 OK", [], Data("proxied".utf8))] }
        let server = try ScriptedServer { _ in [.respond("200 OK", [], Data("direct".utf8))] }
        let other = try ScriptedServer { _ in [.respond("200 OK", [], Data("other".utf8))] }
        setenv("http_proxy", "http://ann:sesame@127.0.0.1:\(proxy.port)", 1)
        let away = URL.of("http://a.invalid/")
        func body(_ url: URL, by proxy: CurlTransport.Proxy) async -> String {
          let record = await CurlTransport(options: .init(proxy: proxy)).get(url)
          return String(decoding: record.body, as: UTF8.self)
        }
        #expect(await body(away, by: .environment) == "proxied")
        #expect(await body(server.url(), by: .environment) == "direct")
        #expect(await body(server.url(), by: .none) == "direct")
        #expect(await body(server.url(), by: .url(other.url("/"))) == "other")
        setenv("no_proxy", "a.invalid", 1)
        #expect(await CurlTransport().get(away).failure?.code == .dnsFailed)
        #expect(await body(away, by: .url(other.url("/"))) == "other")
        unsetenv("no_proxy")
        setenv("http_proxy", "nonsense://ann:sesame@127.0.0.1:\(proxy.port)", 1)
        let failure = await CurlTransport().get(away).failure
        #expect(failure != nil && failure?.detail.contains("sesame") == false)
      }
    }
  }

  @Suite(
    .gated, .serialized,
    .enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
  struct CurlTunnelTests {
    @Test func tlsThroughATunnelIsVerifiedEndToEnd() async throws {
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
      let trusting = try await get(certificates.trusting)
      #expect(trusting.head?.status == 200)
      #expect(trusting.head?.headers["X-Proxy"] == nil)
      #expect(trusting.metrics?.secured != nil)
      let request = await proxy.requests.entries(1)[0]
      #expect(request.line == "CONNECT 127.0.0.1:\(server.port) HTTP/1.1")
      #expect(await get(.init()).failure?.code == .tlsUntrusted)
    }

    @Test func theTLSOptionsApplyToAProxyWithTLS() async throws {
      let certificates = try await Certificates()
      try await certificates.make("good")
      try await certificates.make("client")
      // The server answers a GET in absolute form too.
      let proxy = try await TLSServer(
        certificates, "good",
        ["-tls1_2", "-Verify", "1", "-verify_return_error"]
          + ["-CAfile", certificates.authority.path])
      func get(_ tls: TLSOptions) async -> ExchangeRecord {
        let options = CurlTransport.Options(tls: tls, proxy: .url(proxy.url))
        return await CurlTransport(options: options).get(.of("http://catena.invalid/"))
      }
      let identities: ClientIdentities = ["127.0.0.1": certificates.identity("client")]
      let trust = ServerTrust.all(.authorities(.file(certificates.authority)))
      func code(_ tls: TLSOptions) async -> NetworkError.Code? { await get(tls).failure?.code }
      #expect(await code(try TLSOptions(identities: identities)) == .tlsUntrusted)
      let accepted = try TLSOptions(trust: trust, identities: identities)
      #expect(await get(accepted).head?.status == 200)
      let pinned = ServerTrust.all(
        .authorities(.file(certificates.authority)).pinnedKeys([
          PublicKeyPin(try await certificates.pin("client"))
        ]))
      #expect(await code(try TLSOptions(trust: pinned, identities: identities)) == .pinMismatch)
      let newest = try TLSOptions(trust: trust, identities: identities, minimumVersion: .v1_3)
      #expect(await code(newest) == .tlsHandshakeFailed)
      #expect(
        await code(try TLSOptions(trust: trust.requiringPolicies(), identities: identities))
          == .tlsHandshakeFailed)
    }
  }
#endif
