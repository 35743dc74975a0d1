#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static let body = Data("a body".utf8)

    /// Methods with and without a body arrive unchanged.
    static let methods: [Behaviour] =
      ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"].map { method in
        Behaviour("\(method) without a body arrives") { kind async throws in
          let backend = try Backend(kind) { _ in .text("body") }
          let response = try await backend.client().request(
            Request(HTTPMethod(rawValue: method), "/m")
          ).value
          #expect(response.status == 200)
          #expect(response.data == (method == "HEAD" ? Data() : Data("body".utf8)))
          let request = try #require(backend.requests.first)
          #expect(request.method.rawValue == method)
          #expect(request.body.isEmpty)
        }
      }
      + ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "GET"].map { method in
        Behaviour("\(method) with a body arrives") { kind async throws in
          let backend = try Backend(kind)
          let response = try await backend.client().request(
            Request(HTTPMethod(rawValue: method), "/m", payload: .data(body))
          ).value
          #expect(response.status == 200)
          let request = try #require(backend.requests.first)
          #expect(request.method.rawValue == method)
          #expect(request.body == body)
          #expect(request.headers.values(for: "Content-Length") == ["6"])
        }
      }
      + ["POST", "PUT", "PATCH"].map { method in
        Behaviour("\(method) with an empty body has a Content-Length of 0") { kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(Request(HTTPMethod(rawValue: method), "/")).value
          #expect(backend.requests.first?.headers.values(for: "Content-Length") == ["0"])
        }
      }
      + ["GET", "HEAD", "DELETE", "OPTIONS", "PURGE"].map { method in
        Behaviour("\(method) without a body has no body fields") { kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(Request(HTTPMethod(rawValue: method), "/")).value
          let headers = try #require(backend.requests.first?.headers)
          #expect(!headers.contains("Content-Length") && !headers.contains("Transfer-Encoding"))
          #expect(!headers.contains("Content-Type"))
        }
      }
      + [
        Behaviour("HEAD with a body is rejected and not sent") { kind async throws in
          let backend = try Backend(kind)
          let result = await backend.client().request(
            Request(.head, "/", payload: .data(body))
          ).result
          #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
          #expect(backend.requests.isEmpty)
        },
        Behaviour("a method in mixed case is unchanged") { kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(Request(HTTPMethod(rawValue: "x-Mixed"), "/"))
            .value
          #expect(backend.requests.map(\.method.rawValue) == ["x-Mixed"])
        },
        Behaviour("methods are case-sensitive") { kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(Request(HTTPMethod(rawValue: "get"), "/")).value
          #expect(backend.requests.map(\.method.rawValue) == ["get"])
        },
        Behaviour("the transport rejects a method that is not a token") { kind async throws in
          let backend = try Backend(kind)
          let request = HTTPRequest(method: HTTPMethod(rawValue: "GET IT"), url: try backend.url())
          #expect(await backend.perform(request).failure?.code == .unsupported)
          #expect(backend.requests.isEmpty)
        },
        Behaviour("HEAD reports the length of the GET response") { kind async throws in
          let backend = try Backend(kind) { _ in .bytes(1_000) }
          let response = try await backend.client().request(.head("/")).value
          #expect(response.headers["Content-Length"] == "1000")
          #expect(response.data.isEmpty)
        },
      ]

    /// The request target arrives unchanged.
    static let targets: [Behaviour] =
      [
        ("/", "/"), ("", "/"), ("?q=1", "/?q=1"), ("/a%2Fb/%C3%A4?q=1%202&r=%26+", nil),
        ("/a/;b=1,2/@:!$'()*", nil), ("/x?", nil), ("/x?a=b?c/d", nil), ("/a//b/", nil),
        ("/x#fragment", "/x"), ("/x?q#fragment", "/x?q"),
      ].map { target, arrives in
        Behaviour("the target \"\(target)\" arrives unchanged") { kind async throws in
          let backend = try Backend(kind)
          let record = await backend.perform(HTTPRequest(url: try backend.url(target)))
          #expect(record.head?.status == 200)
          #expect(backend.requests.map(\.target) == [arrives ?? target])
        }
      } + [
        Behaviour("dot segments in a path are sent unchanged") { kind async throws in
          let backend = try Backend(kind)
          _ = await backend.perform(HTTPRequest(url: try backend.url("/a/../b/./c")))
          #expect(backend.requests.map(\.target) == ["/a/../b/./c"])
        },
        Behaviour("the transport rejects a URL that is not http or https") {
          kind async throws in
          let backend = try Backend(kind)
          for text in ["ftp://127.0.0.1/", "file:///x", "/relative"] {
            let url = try #require(URL(string: text))
            #expect(await backend.get(url).failure?.code == .invalidURL, "\(text)")
          }
        },
        Behaviour("the transport rejects a URL with credentials") { kind async throws in
          let backend = try Backend(kind)
          let text = try backend.url().absoluteString.replacing("http://", with: "http://me:pw@")
          let url = try #require(URL(string: text))
          #expect(await backend.get(url).failure?.code == .invalidURL)
          #expect(backend.requests.isEmpty)
        },
      ]
  }
#endif
