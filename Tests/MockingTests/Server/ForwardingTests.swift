#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Mocking
  @testable import MockingRecordings

  @Suite(.gated)
  struct ForwardingTests {
    @Test func requestsAndResponsesAreForwardedUnchanged() async throws {
      let origin = try MockServer {
        Route(.post, "/echo/{path*}") { request in
          .data(request.body, contentType: "text/x").header(
            "X-Response", request.headers["X-A"] ?? "")
        }
      }
      let server = try MockServer {
        Route(.get, "/mocked") { _ in .text("mocked") }
        Route.forwarding(to: origin.url, over: PlatformTransport.make())
      }
      let transport = PlatformTransport.make()
      let response = await transport.perform(
        HTTPRequest(
          method: .post, url: try #require(URL(string: "\(server.url)/echo/a%2Fb?c=d%20e")),
          headers: ["X-A": "1"], body: .data(Data("hello".utf8))))
      #expect(response.head?.status == 200)
      #expect(response.head?.headers["Content-Type"] == "text/x")
      #expect(response.head?.headers["X-Response"] == "1")
      #expect(response.head?.headers.values(for: "Content-Length") == ["5"])
      #expect(response.body == Data("hello".utf8))
      let request = try #require(origin.receivedRequests.first)
      #expect(request.target == "/echo/a%2Fb?c=d%20e")
      #expect(request.headers["Host"] == "127.0.0.1:\(origin.port)")
      #expect(await transport.get(server.url.appending(path: "mocked")).body == Data("mocked".utf8))
      #expect(origin.requestCount == 1)
    }

    @Test func hopByHopFieldsAreNotForwarded() async throws {
      let transport = FakeTransport { _ in
        .response(
          200, ["Connection": "X-Hop", "X-Hop": "1", "Keep-Alive": "timeout=5", "X-End": "2"])
      }
      let server = try MockServer { Route.forwarding(to: Self.example, over: transport) }
      let client = try RawClient(port: server.port)
      try await client.send(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\n"
          + "Upgrade: h2c\r\nX-Other: 2\r\n\r\n")
      let head = try await client.receive(until: "\r\n\r\n").lowercased()
      #expect(head.contains("x-end: 2\r\n"))
      #expect(!head.contains("x-hop") && !head.contains("keep-alive"))
      let request = try #require(transport.requests.first)
      #expect(request.url.absoluteString == "https://api.example.com/")
      #expect(request.headers.map(\.name) == ["X-Other"])
    }

    @Test func aStubPrecedesForwardingAlsoForHEAD() async throws {
      let transport = FakeTransport { _ in .response(500) }
      let server = try MockServer {
        Route.forwarding(to: Self.example, over: transport).priority(.min)
        Route(.get, "/a") { _ in .text("mocked") }
      }
      for method in [HTTPMethod.get, .head] {
        let response = await PlatformTransport.make().perform(
          HTTPRequest(method: method, url: server.url.appending(path: "a")))
        #expect(response.head?.status == 200)
      }
      #expect(transport.requests.isEmpty)
      // No stub has the method.
      let response = await PlatformTransport.make().perform(
        HTTPRequest(method: .delete, url: server.url.appending(path: "a")))
      #expect(response.head?.status == 500)
    }

    #if os(Linux)
      @Test func compressedBodiesAreForwardedAsTheyAre() async throws {
        // The body is not valid gzip, so that decoding it would fail.
        let origin = try MockServer {
          Route(.get, "/") { request in
            .text(request.headers["Accept-Encoding"] ?? "none").header("Content-Encoding", "gzip")
          }
        }
        let server = try MockServer {
          Route.forwarding(to: origin.url, over: PlatformTransport.make())
        }
        let client = try RawClient(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br, gzip\r\n\r\n")
        let head = try await client.receive(until: "\r\n\r\n")
        #expect(head.contains("Content-Encoding: gzip\r\n"))
        #expect(head.contains("Content-Length: 8\r\n"))
        #expect(try await client.receive(exactly: 8) == Data("br, gzip".utf8))
        // A client without the field does not get a body that it cannot read.
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.receive(until: "\r\n\r\n")
        #expect(try await client.receive(exactly: 8) == Data("identity".utf8))
      }
    #endif

    @Test func aTransportThatDecodesBodiesChoosesTheCodings() async throws {
      let transport = FakeTransport { _ in
        .response(200, ["Content-Encoding": "gzip", "Content-Length": "3"], "decoded")
      }
      let server = try MockServer { Route.forwarding(to: Self.example, over: transport) }
      let response = await PlatformTransport.make().perform(
        HTTPRequest(url: server.url, headers: ["Accept-Encoding": "gzip"]))
      #expect(response.body == Data("decoded".utf8))
      #expect(response.head?.headers.contains("Content-Encoding") == false)
      #expect(transport.requests.first?.headers.contains("Accept-Encoding") == false)
    }

    @Test func cookiesAreStoredForTheServer() async throws {
      let transport = FakeTransport { _ in
        .response(200, ["Set-Cookie": "a=1; Domain=example.com; Path=/; domain=b; HttpOnly"])
      }
      let server = try MockServer { Route.forwarding(to: Self.example, over: transport) }
      let response = await PlatformTransport.make().get(server.url)
      #expect(response.head?.headers["Set-Cookie"] == "a=1; Path=/; HttpOnly")
    }

    @Test func aTimeoutIsA504() async throws {
      let transport = FakeTransport { _ in
        [.failure(TransportFailure(code: .timedOut(.idle), detail: "no data"))]
      }
      let server = try MockServer { Route.forwarding(to: Self.example, over: transport) }
      let response = await PlatformTransport.make().get(server.url)
      #expect(response.head?.status == 504)
      let problem = try JSON(parsing: response.body)
      #expect(problem["title"] == "Gateway Timeout")
      #expect(problem["reason"] == "no data")
    }

    @Test func anInMemoryBackendReceivesTheWholeResponse() async throws {
      let origin = FakeTransport { request in .response(201, ["X-A": "1"], "hello") }
      let transport = MockTransport(routes: [Route.forwarding(to: Self.example, over: origin)])
      let response = await transport.get(try #require(URL(string: "http://a.example/b?c=d")))
      #expect(response.head?.status == 201)
      #expect(response.head?.headers["X-A"] == "1")
      #expect(response.body == Data("hello".utf8))
      #expect(origin.requests.first?.url.absoluteString == "https://api.example.com/b?c=d")
    }

    private static let example = URL.of("https://api.example.com")

    @Test func aResponseToHEADKeepsItsLength() async throws {
      let origin = try MockServer { Route(.get, "/") { _ in .text("hello") } }
      let server = try MockServer {
        Route.forwarding(to: origin.url, over: PlatformTransport.make())
      }
      let response = await PlatformTransport.make().perform(
        HTTPRequest(method: .head, url: server.url))
      #expect(response.order == ["head", "end"])
      #expect(response.head?.headers.values(for: "Content-Length") == ["5"])
    }

    /// A target that begins with two slashes does not select another host.
    @Test func nothingIsForwardedToAnotherOrigin() async throws {
      let other = try MockServer { Route(nil, "/{path*}") { _ in .text("other") } }
      let origin = try MockServer { Route(nil, "/{path*}") { _ in .text("origin") } }
      let server = try MockServer {
        Route.forwarding(to: origin.url, over: PlatformTransport.make())
      }
      let client = try RawClient(port: server.port)
      for target in ["//127.0.0.1:\(other.port)/a", "http://127.0.0.1:\(other.port)/a"] {
        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.receive(until: "origin")
      }
      #expect(other.requestCount == 0)
      #expect(origin.requestCount == 2)
    }

    /// Clients send characters that a URL cannot contain, and servers send them in a `Location`.
    @Test func theEscapesOfATargetAndOfALocationAreUnchanged() async throws {
      let transport = FakeTransport { _ in
        .response(302, ["Location": "https://api.example.com/b%2F?c[0]=d%2Fe"])
      }
      let server = try MockServer { Route.forwarding(to: Self.example, over: transport) }
      let client = try RawClient(port: server.port)
      try await client.send("GET /x%20|?f[id]=a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n")
      let head = try await client.receive(until: "\r\n\r\n")
      #expect(
        transport.requests.map(\.url.absoluteString) == [
          "https://api.example.com/x%20%7C?f%5Bid%5D=a%2Fb"
        ])
      #expect(head.lowercased().contains("location: /b%2f?c%5b0%5d=d%2fe\r\n"))
    }

    @Test func aRedirectWithinTheOriginIsRewritten() async throws {
      let origin = try MockServer {
        Route(.get, "/a") { request in
          .redirect(to: "http://\(request.headers["Host"] ?? "")/b?c=d")
        }
      }
      let server = try MockServer {
        Route.forwarding(to: origin.url, over: PlatformTransport.make())
      }
      let response = await PlatformTransport.make().get(server.url.appending(path: "a"))
      #expect(response.head?.status == 302)
      #expect(response.head?.headers["Location"] == "/b?c=d")
    }

    @Test func aFailureIsA502AndATruncatedResponseIsTruncated() async throws {
      let origin = try MockServer {
        Route(.get, "/broken") { _ in
          .text("hello").interrupted(by: .close, at: .body(afterBytes: 2))
        }
      }
      let server = try MockServer {
        Route.forwarding(to: origin.url, over: PlatformTransport.make())
      }
      let broken = await PlatformTransport.make().get(server.url.appending(path: "broken"))
      #expect(broken.failure?.code == .connectionLost)
      #expect(broken.body == Data("he".utf8))
      origin.stop()
      let closed = try ClosedPort(origin.port)
      defer { withExtendedLifetime(closed) {} }
      let refused = await PlatformTransport.make().get(server.url.appending(path: "x"))
      #expect(refused.head?.status == 502)
      #expect(refused.head?.headers["Content-Type"] == "application/problem+json")
      let problem = try JSON(parsing: refused.body)
      #expect(problem["title"] == "Bad Gateway")
      #expect(problem["status"] == 502)
      #expect(problem["detail"] == "no response from \(origin.url): no connection could be made")
    }
  }
#endif
