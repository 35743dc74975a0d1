#if os(Linux)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

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

    /// The zone selects an interface of this machine.
    @Test(arguments: ["[fe80::1%25eth0]", "[fe80::1%eth0]", "[fe80::1]"])
    func theZoneOfAnAddressIsNotSent(_ host: String) async throws {
      let proxy = try ScriptedServer { _ in [.respond()] }
      let url = try #require(URL(string: "http://\(host):81/a"))
      #expect(await transport(proxy.url("/")).get(url).head?.status == 200)
      let request = await proxy.requests.entries(1)[0]
      #expect(request.line == "GET http://[fe80::1]:81/a HTTP/1.1")
      #expect(request.values(of: "Host") == ["[fe80::1]:81"])
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

  /// The items of `no_proxy` that libcurl does not know.
  @Suite(.gated)
  struct NoProxyListTests {
    @Test(arguments: [
      ("fd00::1", "fd00::/8", true), ("fd00::1", "fe00::/8", false),
      ("fd00::1", "[fd00::1]", true), ("fd00::1", "fd00::1", true),
      ("fd00::1", "fd00:0:0::0001", true), ("fd00::1", "fd00::2", false),
      ("fd00::1", "a.example, [FD00::1]", true), ("fd00::1", "[fd00::]/8", true),
      ("fd00::1", "fd00::/129", false), ("fd00::1", "fd00::/-1", false),
      ("fd00::1", "fd00::/", false), ("fd00::1", "fd00::/x", false), ("fd00::1", "::/0", true),
      ("fd80::1", "fd00::/9", false), ("fd7f::1", "fd00::/9", true),
      ("fd00::1", "fd00::1/128", true), ("fd00::1", "", false),
      ("fe80::1%eth0", "fe80::/10", true), ("127.0.0.1", "::/0", false),
      ("a.example", "::/0", false), ("fd00::1", "fd00::1/127/1", false),
    ])
    func anIPv6AddressIsInARangeOrInBrackets(_ host: String, _ list: String, _ isIn: Bool) {
      #expect(AddressRanges(text: list).contains(ipv6: host) == isIn)
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

    /// Each request with credentials for the proxy has a tunnel of its own.
    @Test(.needsServerTLS) func credentialsForTheProxyDoNotReachTheServer() async throws {
      let certificates = try await Certificates()
      try await certificates.make("good")
      let server = try ScriptedServer(tls: try ServerTLS(certificates, "good", protocols: .none)) {
        [.respond("200 OK", [], Data($0.target.utf8))]
      }
      let port = server.port
      let proxy = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 Connection established\r\n\r\n"), .tunnel(to: port)]
      }
      let transport = CurlTransport(
        options: .init(tls: try certificates.trusting, proxy: .url(proxy.url("/"))))
      let fields: [HTTPHeaders] = [
        [:], ["Proxy-Authorization": "Basic YQ==", "X-A": "1"], [:],
        ["proxy-authorization": "Basic Yg=="], [:],
      ]
      for headers in fields {
        let url = LoopbackSocket.url("https", Int(port), path: "/a")
        let record = await transport.perform(HTTPRequest(url: url, headers: headers))
        #expect(record.body == Data("/a".utf8))
        let hasTunnel = proxy.requests.entries.count > 1
        #expect(record.metrics?.reusedConnection == (headers.isEmpty && hasTunnel))
      }
      let values = proxy.requests.entries.map { $0.values(of: "Proxy-Authorization") }
      #expect(values == [[], ["Basic YQ=="], ["Basic Yg=="]])
      #expect(proxy.requests.entries.allSatisfy { $0.values(of: "X-A").isEmpty })
      let requests = server.requests.entries
      #expect(requests.allSatisfy { $0.values(of: "Proxy-Authorization").isEmpty })
      #expect(requests.map { $0.values(of: "X-A").count } == [0, 1, 0, 0, 0])
    }

    /// Only an HTTP proxy receives them, also without a tunnel.
    @Test func credentialsForTheProxyOfHTTPDoNotReachTheServer() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data())] }
      let request = HTTPRequest(
        url: server.url("/"), headers: ["Proxy-Authorization": "Basic YQ==", "X-A": "1"])
      #expect(await CurlTransport().perform(request).head?.status == 200)
      let proxied = await CurlTransport(options: .init(proxy: .url(server.url("/")))).perform(
        request)
      #expect(proxied.head?.status == 200)
      let requests = server.requests.entries
      #expect(requests.map { $0.values(of: "Proxy-Authorization") } == [[], ["Basic YQ=="]])
      #expect(requests.map { $0.values(of: "X-A") } == [["1"], ["1"]])
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
