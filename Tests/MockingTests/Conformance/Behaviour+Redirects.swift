#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Redirects from `/hop` to the location in the query, and responds with 200 otherwise.
    static let hopping: Backend.Handler = { request in
      guard request.path.text.hasSuffix("/hop"), let target = request.query["to"] else {
        return .text("there")
      }
      return .redirect(to: target, status: Int(request.query["status"] ?? "") ?? 302)
    }

    /// Returns a request for `/from/hop` that is redirected to a location.
    static func hop(
      _ status: Int = 302, to location: String, _ method: HTTPMethod = .get,
      headers: HTTPHeaders = [:], payload: Request.Payload? = nil
    ) -> Request {
      Request(
        method, "/from/hop", parameters: ["status": .string("\(status)"), "to": .string(location)],
        headers: headers, contentType: payload == nil ? .query : .custom("text/x"),
        payload: payload)
    }

    /// Returns the method of the redirected request and whether it has the body.
    private static func expected(_ status: Int, _ method: String) -> (String, Bool) {
      switch (status, method) {
      case (303, "HEAD"): ("HEAD", false)
      case (303, _), (301, "POST"), (302, "POST"): ("GET", false)
      default: (method, true)
      }
    }

    /// The method, the body, and the fields of redirected requests.
    static let redirectRules: [Behaviour] =
      [301, 302, 303, 307, 308].flatMap { status in
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"].map { method in
          Behaviour("\(method) is redirected correctly by \(status)") {
            kind async throws in
            let backend = try Backend(kind, hopping)
            let body: Data? = ["GET", "HEAD", "OPTIONS"].contains(method) ? nil : .pattern(1_000)
            let response = try await backend.client().request(
              hop(
                status, to: "/there", HTTPMethod(rawValue: method), headers: ["X-Kept": "1"],
                payload: body.map { .data($0) })
            ).value
            #expect(response.status == 200)
            #expect(response.url == (try backend.url("/there")))
            let (next, keepsBody) = expected(status, method)
            #expect(backend.requests.map(\.method.rawValue) == [method, next])
            let last = try #require(backend.requests.last)
            #expect(last.body == (keepsBody ? body ?? Data() : Data()))
            #expect(last.headers["X-Kept"] == "1")
            #expect(last.headers.contains("Content-Type") == (keepsBody && body != nil))
          }
        }
      }
      + [307, 308].flatMap { status in
        [
          Behaviour("a file is sent again after a \(status)") { kind async throws in
            let folder = TemporaryFolder()
            try Data.pattern(100_000).write(to: folder.url("file"))
            let backend = try Backend(kind, hopping)
            _ = try await backend.client().request(
              hop(status, to: "/there", .post, payload: .file(folder.url("file")))
            ).value
            #expect(backend.requests.map(\.body) == [.pattern(100_000), .pattern(100_000)])
          },
          Behaviour("a repeatable stream is sent again after a \(status)") {
            kind async throws in
            let backend = try Backend(kind, hopping)
            let stream = BytePattern.stream(100_000, declaresLength: false)
            _ = try await backend.client().request(
              hop(status, to: "/there", .post, payload: .stream(stream))
            ).value
            #expect(backend.requests.map(\.bodyByteCount) == [100_000, 100_000])
          },
          Behaviour("a one-time stream fails after a \(status)") {
            kind async throws in
            let backend = try Backend(kind, hopping)
            let once = AsyncStream<Data> { continuation in
              continuation.yield(Data("once".utf8))
              continuation.finish()
            }
            let result = await backend.client().request(
              hop(status, to: "/there", .post, payload: .stream(BodyStream(once: once)))
            ).result
            #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
            #expect(backend.requests.map(\.path.text) == ["/from/hop"])
          },
        ]
      }
      + [
        ("a path", false, true), ("an absolute URL of the same origin", false, true),
        ("another port", true, false),
      ].map { name, isOther, isKept in
        Behaviour("an Authorization field redirected to \(name)") { kind async throws in
          let backend = try Backend(kind, origins: 2, hopping)
          let location =
            name == "a path"
            ? "/there" : try backend.url("/there", origin: isOther ? 1 : 0).absoluteString
          let headers: HTTPHeaders = [
            "authorization": "secret", "Cookie": "a=1", "Proxy-Authorization": "secret",
            "X-Kept": "1",
          ]
          _ = try await backend.client().request(hop(307, to: location, headers: headers)).value
          let last = try #require(backend.requests.last)
          #expect(last.path.text == "/there")
          #expect(last.headers.contains("Authorization") == isKept)
          #expect(last.headers.contains("Cookie") == isKept)
          // Without a proxy nobody receives it, except a mock of the same origin.
          #expect(isKept || !last.headers.contains("Proxy-Authorization"))
          #expect(last.headers["X-Kept"] == "1")
        }
      }
      + [
        Behaviour("the credentials of a client are not sent to other origins") {
          kind async throws in
          let backend = try Backend(kind, origins: 2, hopping)
          let client = backend.client()
          client.authenticate(bearerToken: "t")
          let other = try backend.url("/there", origin: 1).absoluteString
          for location in ["/there", other] {
            _ = try await client.request(hop(to: location)).value
          }
          #expect(
            backend.requests.map { $0.headers["Authorization"] }
              == ["Bearer t", "Bearer t", "Bearer t", nil])
        },
        Behaviour("Host names the origin of the redirect") { kind async throws in
          let backend = try Backend(kind, origins: 2, hopping)
          let target = try backend.url("/there", origin: 1)
          _ = try await backend.client().request(hop(to: target.absoluteString)).value
          #expect(backend.requests.last?.headers["Host"] == "127.0.0.1:\(target.port ?? 0)")
        },
        Behaviour("the body of a followed redirect is discarded") { kind async throws in
          let backend = try Backend(kind) { request in
            guard request.path.text == "/" else { return .text("there") }
            return Mock.text("moved", status: 301).header("Location", "/there")
          }
          #expect(try await backend.get().data == Data("there".utf8))
        },
      ]
  }
#endif
