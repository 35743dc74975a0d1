#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static let bodiless: Set<Int> = [204, 304]

    /// Responds with the status in the path and a body.
    private static let respondingWithStatusOfPath: Backend.Handler = { request in
      let status = Int(request.path.segments.last ?? "") ?? 500
      return .text("of \(status)", status: status)
    }

    static let statuses: [Behaviour] =
      [200...299, 300...399, 400...499, 500...599, 600...999].map {
        statuses in
        Behaviour("every status of \(statuses) is reported unchanged") { kind async throws in
          let backend = try Backend(kind) { request in
            .status(Int(request.path.segments.last ?? "") ?? 0)
          }
          let client = backend.client()
          for status in statuses {
            let response = try await client.request(.get("/\(status)")).value
            #expect(response.status == status)
            #expect(response.data.isEmpty)
          }
        }
      }
      + [
        ("2xx", [200, 201, 202, 203, 205, 206, 226, 299]), ("3xx", [300, 301, 302, 303, 307, 308]),
        ("3xx that is not a redirect", [305, 306, 309, 399]),
        ("4xx", [400, 403, 404, 405, 410, 418, 429, 499]), ("5xx", [500, 503, 511, 599]),
        ("beyond 5xx", [600, 799, 999]),
      ].map { name, statuses in
        Behaviour("a \(name) without a Location has its body") { kind async throws in
          let backend = try Backend(kind, respondingWithStatusOfPath)
          let client = backend.client()
          for status in statuses {
            let response = try await client.request(.get("/\(status)")).value
            #expect(response.status == status)
            #expect(String(decoding: response.data, as: UTF8.self) == "of \(status)")
          }
        }
      }
      + [204, 304].map { status in
        Behaviour("a \(status) has no body, and the next response is separate") {
          kind async throws in
          let backend = try Backend(kind, respondingWithStatusOfPath)
          let client = backend.client()
          let response = try await client.request(.get("/\(status)")).value
          #expect(response.status == status)
          #expect(response.data.isEmpty)
          #expect(try await client.request(.get("/200")).value.data == Data("of 200".utf8))
        }
      }
      + [
        Behaviour("a 304 can have a Content-Length without a body") { kind async throws in
          let backend = try Backend(kind) { _ in
            Mock(status: 304, headers: ["Content-Length": "1000", "ETag": "\"x\""])
          }
          let response = try await backend.get()
          #expect(response.status == 304)
          #expect(response.headers["ETag"] == "\"x\"")
          #expect(response.data.isEmpty)
        },
        Behaviour("a 205 without content is complete immediately") { kind async throws in
          let backend = try Backend(kind) { _ in .status(205) }
          let response = try await backend.get()
          #expect(response.status == 205)
          #expect(response.data.isEmpty)
        },
      ]
      + [
        (401, "WWW-Authenticate", "Basic realm=\"x\""),
        (401, "WWW-Authenticate", "Digest realm=\"x\", nonce=\"y\", qop=\"auth\""),
        (401, "WWW-Authenticate", "Bearer"), (401, "WWW-Authenticate", "Negotiate"),
        (407, "Proxy-Authenticate", "Basic realm=\"x\""),
      ].map { status, field, challenge in
        Behaviour("a \(status) with the challenge \(challenge) is a response with its body") {
          kind async throws in
          let backend = try Backend(kind) { _ in
            .text("who are you?", status: status).header(field, challenge)
          }
          let response = try await backend.get()
          #expect(response.status == status)
          #expect(response.headers[field] == challenge)
          #expect(String(decoding: response.data, as: UTF8.self) == "who are you?")
          #expect(backend.requests.count == 1)
        }
      }

    static let interimResponses: [Behaviour] =
      [100, 102, 103, 199].map { status in
        Behaviour("a \(status) before the response is skipped") { kind async throws in
          let interim = Data("HTTP/1.1 \(status) X\r\nLink: </a>\r\n\r\n".utf8)
          let backend = try Backend(kind) { _ in
            .text("then", status: 201).interrupted(by: .garbage(interim), at: .request)
          }
          let record = await backend.get(try backend.url())
          #expect(record.order == ["head", "body", "end"])
          #expect(record.head?.status == 201)
          #expect(record.head?.headers.contains("Link") == false)
          #expect(record.body == Data("then".utf8))
        }
      } + [
        Behaviour("three interim responses are skipped") { kind async throws in
          let interim = Data(String(repeating: "HTTP/1.1 103 X\r\nA: b\r\n\r\n", count: 3).utf8)
          let backend = try Backend(kind) { _ in
            .text("then").interrupted(by: .garbage(interim), at: .request)
          }
          let response = try await backend.get()
          #expect(response.status == 200)
          #expect(response.data == Data("then".utf8))
        },
        Behaviour("an interim response before a rejection of the body is skipped") {
          kind async throws in
          let interim = Data("HTTP/1.1 102 Processing\r\n\r\n".utf8)
          let backend = try Backend(kind) { _ in
            .text("no", status: 413).interrupted(by: .garbage(interim), at: .request)
          }
          let response = try await backend.client().request(
            .upload(data: Data(count: 100_000), to: "/")
          ).value
          #expect(response.status == 413)
        },
        Behaviour("a connection closed after an interim response is lost") {
          kind async throws in
          let backend = try Backend(kind) { _ in
            Mock(status: 103).header("Connection", "close")
          }
          #expect(await backend.failure()?.code == .connectionLost)
        },
      ]
  }
#endif
