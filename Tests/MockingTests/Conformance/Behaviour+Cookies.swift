#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns the cookies that arrive at the paths, in order, after the first responses set some.
    private static func arriving(
      at paths: [String], _ kind: TransportKind, setting values: [String],
      _ policy: CookiePolicy? = nil
    ) async throws -> [Set<String>] {
      let backend = try Backend(kind) { request in
        guard request.path.text.hasSuffix("/set") else { return .status(200) }
        return Mock(headers: HTTPHeaders(values.map { .init(name: "Set-Cookie", value: $0) }))
      }
      let chosen = policy ?? .jar(CookieJar())
      let client = backend.client { $0.cookies = chosen }
      for path in ["/in/set"] + paths { _ = try await client.request(.get("\(raw: path)")).value }
      return backend.requests.dropFirst().map { request in
        Set((request.headers["Cookie"] ?? "").split(separator: "; ").map(String.init))
      }
    }

    private static func arriving(_ value: String, _ kind: TransportKind) async throws -> Set<String>
    {
      try await arriving(at: ["/"], kind, setting: [value])[0]
    }

    static let cookies: [Behaviour] = [
      Behaviour("a cookie is sent back") { kind async throws in
        #expect(try await arriving("a=1; Path=/", kind) == ["a=1"])
      },
      Behaviour("several cookies are sent back in one field") { kind async throws in
        let values = ["a=1; Path=/", "b=2; Path=/; HttpOnly", "c=\"3 4\"; Path=/"]
        let arrived = try await arriving(at: ["/"], kind, setting: values)
        #expect(arrived == [["a=1", "b=2", "c=\"3 4\""]])
      },
      Behaviour("a cookie without a path applies to the path where it was set") {
        kind async throws in
        let arrived = try await arriving(at: ["/in/x", "/"], kind, setting: ["a=1"])
        #expect(arrived == [["a=1"], []])
      },
      Behaviour("a cookie's path is matched by whole segments") { kind async throws in
        let arrived = try await arriving(
          at: ["/in", "/in/x", "/inside", "/"], kind, setting: ["a=1; Path=/in"])
        #expect(arrived == [["a=1"], ["a=1"], [], []])
      },
      Behaviour("a later cookie of the same name and path replaces the first") {
        kind async throws in
        let values = ["a=1; Path=/", "a=2; Path=/"]
        #expect(try await arriving(at: ["/"], kind, setting: values) == [["a=2"]])
      },
      Behaviour("a cookie for another domain is rejected") { kind async throws in
        #expect(try await arriving("a=1; Path=/; Domain=other.example", kind).isEmpty)
      },
      Behaviour("an expired cookie is not sent") { kind async throws in
        let value = "a=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT"
        #expect(try await arriving(value, kind).isEmpty)
      },
      Behaviour("a cookie that expires in the future is sent") { kind async throws in
        let value = "a=1; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT"
        #expect(try await arriving(value, kind) == ["a=1"])
      },
      Behaviour("Max-Age overrides Expires") { kind async throws in
        let value = "a=1; Path=/; Max-Age=1000; Expires=Wed, 21 Oct 2015 07:28:00 GMT"
        #expect(try await arriving(value, kind) == ["a=1"])
      },
      Behaviour("Max-Age=0 removes a cookie") { kind async throws in
        let values = ["a=1; Path=/", "a=; Path=/; Max-Age=0"]
        #expect(try await arriving(at: ["/"], kind, setting: values) == [[]])
      },
      Behaviour("a Secure cookie is not sent over http") { kind async throws in
        #expect(try await arriving("a=1; Path=/; Secure", kind).isEmpty)
      },
      Behaviour("a cookie that traps Foundation's parser is stored") { kind async throws in
        // On Linux, Foundation's parser traps on a name or an attribute outside of ASCII.
        let values = ["😀😀😀=1; Path=/", "a=1; Path=/; 😀😀😀=1", "e\u{301}\u{301}=2; Path=/"]
        let arrived = try await arriving(at: ["/"], kind, setting: values)
        #expect(arrived == [["😀😀😀=1", "a=1", "e\u{301}\u{301}=2"]])
      },
      Behaviour("without a jar no cookie is stored") { kind async throws in
        let arrived = try await arriving(
          at: ["/"], kind, setting: ["a=1; Path=/"], CookiePolicy.none)
        #expect(arrived == [[]])
      },
      Behaviour("a Cookie field of the request is sent unchanged") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("Set-Cookie", "a=1; Path=/") }
        let jar = CookieJar()
        let client = backend.client { $0.cookies = .jar(jar) }
        _ = try await client.request(.get("/")).value
        _ = try await client.request(.get("/", headers: ["Cookie": "b=2; c=3"])).value
        #expect(backend.requests.last?.headers.values(for: "Cookie") == ["b=2; c=3"])
      },
      Behaviour("a cookie set on a redirect is sent with the next hop") { kind async throws in
        let backend = try Backend(kind) { request in
          request.path.text == "/login"
            ? .redirect(to: "/home").header("Set-Cookie", "a=1; Path=/") : .status(200)
        }
        let jar = CookieJar()
        let client = backend.client { $0.cookies = .jar(jar) }
        _ = try await client.request(.get("/login")).value
        #expect(backend.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
      },
      Behaviour("a cookie of an error response is stored") { kind async throws in
        let backend = try Backend(kind) { _ in
          .status(401).header("Set-Cookie", "a=1; Path=/")
        }
        let jar = CookieJar()
        let client = backend.client { $0.cookies = .jar(jar) }
        for _ in 0..<2 { _ = try await client.request(.get("/")).value }
        #expect(backend.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
      },
      Behaviour("a cookie applies to all ports of a host") { kind async throws in
        let backend = try Backend(kind, origins: 2) { _ in
          .status(200).header("Set-Cookie", "a=1; Path=/")
        }
        let jar = CookieJar()
        let client = backend.client { $0.cookies = .jar(jar) }
        _ = try await client.request(.get("/")).value
        _ = try await client.request(.get(.url(backend.url("/", origin: 1)))).value
        #expect(backend.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
      },
      Behaviour("only clients of one jar share cookies") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("Set-Cookie", "a=1; Path=/") }
        let (first, second) = (CookieJar(), CookieJar())
        for jar in [first, first, second] {
          let client = backend.client { $0.cookies = .jar(jar) }
          _ = try await client.request(.get("/")).value
        }
        #expect(backend.requests.map { $0.headers["Cookie"] } == [nil, "a=1", nil])
      },
      Behaviour("a transport without a client stores no cookies") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("Set-Cookie", "a=1; Path=/") }
        for _ in 0..<2 { _ = await backend.get(try backend.url()) }
        #expect(backend.requests.allSatisfy { !$0.headers.contains("Cookie") })
      },
    ]
  }
#endif
