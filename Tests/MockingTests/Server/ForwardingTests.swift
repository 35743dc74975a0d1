#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import Mocking

  @Suite(.timeLimit(.minutes(10)))
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
        Route.forwarding(to: origin.url, over: CurlTransport())
      }
      let transport = CurlTransport()
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

    @Test func aResponseToHEADKeepsItsLength() async throws {
      let origin = try MockServer { Route(.get, "/") { _ in .text("hello") } }
      let server = try MockServer { Route.forwarding(to: origin.url, over: CurlTransport()) }
      let response = await CurlTransport().perform(HTTPRequest(method: .head, url: server.url))
      #expect(response.order == ["head", "end"])
      #expect(response.head?.headers.values(for: "Content-Length") == ["5"])
    }

    /// A target that begins with two slashes does not select another host.
    @Test func nothingIsForwardedToAnotherOrigin() async throws {
      let other = try MockServer { Route(nil, "/{path*}") { _ in .text("other") } }
      let origin = try MockServer { Route(nil, "/{path*}") { _ in .text("origin") } }
      let server = try MockServer { Route.forwarding(to: origin.url, over: CurlTransport()) }
      let client = try RawClient(port: server.port)
      for target in ["//127.0.0.1:\(other.port)/a", "http://127.0.0.1:\(other.port)/a"] {
        try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.receive(until: "origin")
      }
      #expect(other.requestCount == 0)
      #expect(origin.requestCount == 2)
    }

    @Test func aRedirectWithinTheOriginIsRewritten() async throws {
      let origin = try MockServer {
        Route(.get, "/a") { request in
          .redirect(to: "http://\(request.headers["Host"] ?? "")/b?c=d")
        }
      }
      let server = try MockServer { Route.forwarding(to: origin.url, over: CurlTransport()) }
      let response = await CurlTransport().get(server.url.appending(path: "a"))
      #expect(response.head?.status == 302)
      #expect(response.head?.headers["Location"] == "/b?c=d")
    }

    @Test func aFailureIsA502AndATruncatedResponseIsTruncated() async throws {
      let origin = try MockServer {
        Route(.get, "/broken") { _ in
          .text("hello").interrupted(by: .close, at: .body(afterBytes: 2))
        }
      }
      let server = try MockServer { Route.forwarding(to: origin.url, over: CurlTransport()) }
      let broken = await CurlTransport().get(server.url.appending(path: "broken"))
      #expect(broken.failure?.code == .connectionLost)
      #expect(broken.body == Data("he".utf8))
      origin.stop()
      let closed = try ClosedPort(origin.port)
      defer { withExtendedLifetime(closed) {} }
      let refused = await CurlTransport().get(server.url.appending(path: "x"))
      #expect(refused.head?.status == 502)
      #expect(
        String(decoding: refused.body, as: UTF8.self).hasPrefix("no response from \(origin.url): "))
    }
  }
#endif
