#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Redirects from `/n` to `/n+1`, and responds with 200 from the number `end` on.
    private static func redirectChain(_ end: Int) -> Backend.Handler {
      { request in
        let step = Int(request.path.segments.last ?? "") ?? 0
        return step < end ? .redirect(to: "/\(step + 1)") : .text("top")
      }
    }

    static let redirectPolicies: [Behaviour] = [
      Behaviour("twenty hops are followed") { kind async throws in
        let backend = try Backend(kind, redirectChain(20))
        #expect(try await backend.get("/0").data == Data("top".utf8))
        #expect(backend.requests.count == 21)
      },
      Behaviour("the twenty-first hop is not followed") { kind async throws in
        let backend = try Backend(kind, redirectChain(21))
        let error = await backend.failure(of: "/0")
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.response?.status == 302)
        #expect(backend.requests.count == 21)
      },
      Behaviour("a custom limit applies") { kind async throws in
        let backend = try Backend(kind, redirectChain(9))
        let client = backend.client { $0.redirects = .follow(limit: 2) }
        let result = await client.request(.get("/0")).result
        #expect(result.failure(as: NetworkError.self)?.code == .tooManyRedirects)
        #expect(backend.requests.count == 3)
      },
      Behaviour("a loop is followed up to the limit") { kind async throws in
        let backend = try Backend(kind) { .redirect(to: $0.path.text == "/a" ? "/b" : "/a") }
        let error = await backend.failure(of: "/a")
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.reason == "more than 20")
        #expect(backend.requests.count == 21)
      },
      Behaviour("a loop that a cookie ends is followed") { kind async throws in
        let backend = try Backend(kind) { request in
          request.headers.contains("Cookie")
            ? .text("in") : .redirect(to: "/").header("Set-Cookie", "a=1; Path=/")
        }
        let jar = CookieJar()
        let client = backend.client { $0.cookies = .jar(jar) }
        #expect(try await client.request(.get("/")).value.data == Data("in".utf8))
      },
      Behaviour("with the refuse policy a redirect is the response") { kind async throws in
        let backend = try Backend(kind) { _ in
          Mock.text("moved", status: 301).header("Location", "/there")
        }
        let response = try await backend.client { $0.redirects = .refuse }.request(.get("/")).value
        #expect(response.status == 301)
        #expect(response.headers["Location"] == "/there")
        #expect(backend.requests.count == 1)
      },
      Behaviour("a redirect that is not followed has its body") {
        kind async throws in
        let backend = try Backend(kind) { _ in
          Mock.text("moved", status: 307).header("Location", "/there")
        }
        let response = try await backend.client { $0.redirects = .refuse }.request(.get("/")).value
        #expect(response.data == Data("moved".utf8))
      },
      Behaviour("a closure can change or stop a redirect") {
        kind async throws in
        let backend = try Backend(kind, redirectChain(9))
        let client = backend.client {
          $0.redirects = .deciding { response, proposed in
            guard proposed.url.path != "/3" else { return nil }
            var request = proposed
            request.headers["X-From"] = response.url.path
            return request
          }
        }
        let response = try await client.request(.get("/0")).value
        #expect(response.status == 302)
        #expect(response.url.path == "/2")
        #expect(backend.requests.map { $0.headers["X-From"] } == [nil, "/0", "/1"])
      },
      Behaviour("300, 304, 305 and 306 are not followed") { kind async throws in
        let backend = try Backend(kind) { request in
          .redirect(to: "/there", status: Int(request.path.segments.last ?? "") ?? 0)
        }
        for status in [300, 304, 305, 306] {
          let response = try await backend.get("/\(status)")
          #expect(response.status == status)
        }
        #expect(backend.requests.count == 4)
      },
      Behaviour("a redirect without a Location is the response") { kind async throws in
        let backend = try Backend(kind) { _ in .status(302) }
        #expect(try await backend.get().status == 302)
      },
      Behaviour("a redirect from https to http is followed only if permitted") {
        kind async throws in
        let backend = try Backend(kind) { request in
          request.headers.contains("X-TLS")
            ? .redirect(to: "http://a.example/there") : .text("there")
        }
        var configuration = NetworkingConfiguration()
        configuration.cookies = .none
        let url = RequestPath.url(.of("https://a.example/"))
        let transport = SimulatedTLSTransport(backend: backend)
        let result = await Networking<Request>(transport: transport, configuration: configuration)
          .request(.get(url)).result
        #expect(result.failure(as: NetworkError.self)?.code == .redirectRefused)
        #expect(backend.requests.count == 1)
        configuration.redirects = .follow(allowsDowngrade: true)
        let response = try await Networking<Request>(
          transport: transport, configuration: configuration
        ).request(.get(url)).value
        #expect(response.data == Data("there".utf8))
      },
    ]
  }

  /// A transport that sends all requests to a backend's first origin, and marks those for `https`
  /// with a field.
  private struct SimulatedTLSTransport: Transport {
    let backend: Backend

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      var request = request
      if request.url.scheme == "https" { request.headers["X-TLS"] = "1" }
      request.url = (try? backend.url(request.url.path)) ?? request.url
      return backend.start(request, receive)
    }
  }
#endif
