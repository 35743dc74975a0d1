#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Mocking
  @testable import MockingRecordings
  @testable import MockingStubs

  /// Routes of stub files that forward requests to another server.
  @Suite(.gated)
  struct StubProxyTests {
    /// Returns the response of a server with one route that has a proxy.
    private static func send(
      _ proxy: (_ origin: String) -> String, more: String = "", to origin: MockServer,
      _ request: (_ url: URL) -> HTTPRequest
    ) async throws -> (head: HTTPResponseHead, text: String) {
      let text =
        #"{"routes": [{"path": "/api/{path*}", "proxy": "#
        + proxy("http://127.0.0.1:\(origin.port)")
        + more + "}]}"
      let stubs = try StubFixture(text)
      let server = try MockServer(stubs: stubs.file)
      let record = await PlatformTransport.make().perform(request(server.url))
      return (try #require(record.head), String(decoding: record.body, as: UTF8.self))
    }

    private static func origin() throws -> MockServer {
      try MockServer {
        Route(nil, "/{path*}") { request in
          Mock.json([["price": 5, "id": 1], ["price": 7, "id": 2]]).header("X-Origin", "1")
            .header("Server", "x")
        }
      }
    }

    @Test func credentialsAreForwardedOnlyIfTheStubSaysSo() async throws {
      let origin = try Self.origin()
      for (proxy, isForwarded) in [
        ({ (to: String) in "\"\(to)\"" }, false),
        ({ (to: String) in "{\"to\": \"\(to)\", \"credentials\": true}" }, true),
      ] {
        let response = try await Self.send(proxy, to: origin) { url in
          HTTPRequest(
            url: URL(string: "\(url)/api/a?b=1&api_key=k&c=2") ?? url,
            headers: ["Authorization": "Bearer s3cret", "Cookie": "a=b", "X-A": "1"])
        }
        #expect(response.head.status == 200)
        #expect(response.head.headers["X-Origin"] == "1")
        let request = try #require(origin.receivedRequests.last)
        #expect(request.headers["X-A"] == "1")
        #expect(request.headers.contains("Authorization") == isForwarded)
        #expect(request.headers.contains("Cookie") == isForwarded)
        #expect(request.target == (isForwarded ? "/api/a?b=1&api_key=k&c=2" : "/api/a?b=1&c=2"))
      }
    }

    @Test func requestsAndResponsesAreChanged() async throws {
      let origin = try Self.origin()
      let response = try await Self.send(
        { to in
          #"""
          {"to": "\#(to)", "removePrefix": "/api",
           "request": {"headers": {"Authorization": "Bearer own", "X-A": null}, "json": {"dryRun": true, "n": null}},
           "response": {"status": 203, "headers": {"Server": null, "X-B": ["1", "2"]}, "json": {"price": 0}}}
          """#
        }, to: origin
      ) { url in
        HTTPRequest(
          method: .post, url: url.appending(path: "api/orders"),
          headers: ["Content-Type": "application/json", "X-A": "1"],
          body: .data(Data(#"{"n": 1, "m": 2}"#.utf8)))
      }
      let request = try #require(origin.receivedRequests.last)
      #expect(request.target == "/orders")
      #expect(request.headers["Authorization"] == "Bearer own")
      #expect(!request.headers.contains("X-A"))
      #expect(request.json == ["dryRun": true, "m": 2])
      #expect(response.head.status == 203)
      #expect(!response.head.headers.contains("Server"))
      #expect(response.head.headers.values(for: "X-B") == ["1", "2"])
      #expect(
        try JSON(parsing: Data(response.text.utf8)) == [
          ["price": 0, "id": 1], ["price": 0, "id": 2],
        ])
    }

    @Test(arguments: [
      #""response": {"status": 200, "headers": {"Content-Type": "text/plain", "X-B": "1"}}"#,
      #""response": {"status": 200, "json": {"title": "x"}}"#,
      #""response": {"status": 200, "fault": "reset"}"#,
    ])
    func aFailureOfTheOriginIsNotChanged(changes: String) async throws {
      let origin = try MockServer {}
      origin.stop()
      let response = try await Self.send(
        { to in #"{"to": "\#(to)", \#(changes)}"# }, to: origin
      ) { HTTPRequest(url: $0.appending(path: "api/a")) }
      #expect(response.head.status == 502)
      #expect(response.head.headers["Content-Type"] == "application/problem+json")
      #expect(!response.head.headers.contains("X-B"))
      #expect(try JSON(parsing: Data(response.text.utf8))["title"] == "Bad Gateway")
    }

    @Test func aPrefixIsRemovedInWholeSegments() async throws {
      let origin = try Self.origin()
      for (prefix, target) in [("/api", "/a"), ("/ap", "/api/a"), ("/api/a", "/")] {
        _ = try await Self.send(
          { to in #"{"to": "\#(to)", "removePrefix": "\#(prefix)"}"# }, to: origin
        ) { HTTPRequest(url: $0.appending(path: "api/a")) }
        #expect(origin.receivedRequests.last?.target == target)
      }
    }

    @Test func thePathsOfAResponseHaveTheRemovedPrefix() async throws {
      let origin = try MockServer {
        Route(.post, "/items") { _ in
          Mock.json(5, status: 201).header("Location", "/items/7")
            .header("Set-Cookie", "a=b; Path=/items; Secure")
        }
      }
      let response = try await Self.send(
        { to in #"{"to": "\#(to)", "removePrefix": "/api"}"# }, to: origin
      ) { HTTPRequest(method: .post, url: $0.appending(path: "api/items")) }
      #expect(response.head.headers["Location"] == "/api/items/7")
      #expect(response.head.headers["Set-Cookie"] == "a=b; Path=/api/items; Secure")
    }

    @Test func aBodyThatIsNoObjectIsKept() async throws {
      let origin = try MockServer { Route(.post, "/{path*}") { _ in Mock.json(5) } }
      let response = try await Self.send(
        { to in #"{"to": "\#(to)", "request": {"json": {"a": 1}}, "response": {"json": {"b": 1}}}"#
        },
        to: origin
      ) { url in
        HTTPRequest(method: .post, url: url.appending(path: "api/a"), body: .data(Data("7".utf8)))
      }
      #expect(response.text == "5")
      #expect(origin.receivedRequests.last?.text == "7")
    }

    @Test(arguments: [
      ("/api/{path*}", "/api", false), ("/{path*}", "/api/v1", false), ("/{a}/b", "/api", false),
      ("/api", "/api", false), ("/v1/{path*}", "/api", true), ("/api/{path*}", "/ap", true),
      ("/api", "/api/v1", true),
    ])
    func aPrefixThatThePathCannotHaveIsAWarning(
      path: String, prefix: String, isWarning: Bool
    ) throws {
      let fixture = try StubFixture(
        #"{"routes": [{"path": "\#(path)", "proxy": {"to": "http://a", "removePrefix": "\#(prefix)"}}]}"#
      )
      let warnings = try StubFile(contentsOf: fixture.file).warnings.map(\.description)
      #expect(warnings.count == (isWarning ? 1 : 0))
      if isWarning {
        #expect(
          warnings[0].hasSuffix(
            "routes[0].proxy.removePrefix: nothing is removed, because the path \(path) does not "
              + "begin with \(prefix)"), "\(warnings)")
      }
    }

    @Test func aFaultOfTheRequestTakesThePlaceOfTheForwarding() async throws {
      let origin = try Self.origin()
      let text = #"""
        {"routes": [{"path": "/a", "proxy": {"to": "http://127.0.0.1:\#(origin.port)", "request": {"fault": "reset"}}},
          {"path": "/b", "proxy": "http://127.0.0.1:\#(origin.port)",
           "fault": {"type": "reset", "at": "body", "afterBytes": 3}}]}
        """#
      let stubs = try StubFixture(text)
      let server = try MockServer(stubs: stubs.file)
      let transport = PlatformTransport.make()
      #expect(await transport.get(server.url.appending(path: "a")).failure?.code == .connectionLost)
      #expect(origin.requestCount == 0)
      #expect(await transport.get(server.url.appending(path: "b")).failure?.code == .connectionLost)
      #expect(origin.requestCount == 1)
    }

    @Test func aLoopIsRefused() async throws {
      let port = try MockServer {}.port
      let text = #"{"routes": [{"path": "/a", "proxy": "http://127.0.0.1:\#(port)"}]}"#
      let stubs = try StubFixture(text)
      let server = try MockServer(stubs: stubs.file, port: port)
      let response = await PlatformTransport.make().get(server.url.appending(path: "a"))
      #expect(response.head?.status == 508)
      #expect(server.requestCount == 2)
    }

    @Test(arguments: [
      (#""http://a/b""#, "", "a server without a path"), (#""{{ query.to }}""#, "", "a server"),
      (#""http://u:p@a""#, "", "a server without a path"), (#""ftp://a""#, "", "a server"),
      (#""http://a""#, #", "json": {}"#, #""json" cannot be combined with "proxy""#),
      (
        #"{"to": "http://a", "request": {"headers": {"X": "{{ now }}"}}}"#, "",
        "cannot have templates"
      ),
      (#"{"to": "http://a", "respons": {}}"#, "", #"did you mean "response"?"#),
    ])
    func aWrongProxyIsAnError(proxy: String, more: String, message: String) throws {
      let fixture = try StubFixture(
        #"{"routes": [{"path": "/a", "proxy": "# + proxy + more + "}]}")
      let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: fixture.file) }
      #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func theAdminAPICannotAddAProxy() async throws {
      let server = try MockServer {}
      _ = try server.serveAdmin()
      let response = await PlatformTransport.make().perform(
        HTTPRequest(
          method: .post, url: server.url.appending(path: "__mock/stubs"),
          headers: ["Content-Type": "application/json"],
          body: .data(Data(#"{"path": "/a", "proxy": "http://192.0.2.1"}"#.utf8))))
      #expect(response.head?.status == 422)
      #expect(
        String(decoding: response.body, as: UTF8.self).contains("only a route of a stub file"))
    }
  }
#endif
