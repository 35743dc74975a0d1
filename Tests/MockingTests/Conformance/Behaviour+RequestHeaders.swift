#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns the received fields of a request from a client without default fields.
    private static func arriving(
      _ headers: HTTPHeaders, _ kind: TransportKind
    ) async throws -> HTTPHeaders {
      let backend = try Backend(kind)
      let client = backend.client { $0.headers = [:] }
      _ = try await client.request(.get("/", headers: headers)).value
      return try #require(backend.requests.first?.headers)
    }

    static let requestHeaders: [Behaviour] = [
      Behaviour("a field of the request arrives") { kind async throws in
        #expect(try await arriving(["X-A": "1"], kind).values(for: "x-a") == ["1"])
      },
      Behaviour("field names of the request keep their case") { kind async throws in
        #expect(try await arriving(["x-CASE": "1"], kind).contains { $0.name == "x-CASE" })
      },
      Behaviour("fields of the request keep their order") { kind async throws in
        let names = (0..<20).map { "X-\($0 * 7 % 20)" }
        let fields = names.map { HTTPHeaders.Field(name: $0, value: "1") }
        let arrived = try await arriving(HTTPHeaders(fields), kind).map { $0.name.lowercased() }
        #expect(arrived.filter { $0.hasPrefix("x-") } == names.map { $0.lowercased() })
      },
      Behaviour("all request fields of one name arrive") { kind async throws in
        let values = try await arriving(["X-A": "1", "x-a": "2"], kind).values(for: "X-A")
        #expect(values.joined(separator: ", ") == "1, 2")
      },
      Behaviour("request fields of one name arrive separately") { kind async throws in
        let values = try await arriving(["X-A": "1", "X-B": "", "x-a": "2"], kind)
          .values(for: "X-A")
        #expect(values == ["1", "2"])
      },
      Behaviour("an empty value of the request arrives") { kind async throws in
        #expect(try await arriving(["X-Empty": ""], kind).values(for: "X-Empty") == [""])
      },
      Behaviour("a UTF-8 value of the request arrives") { kind async throws in
        #expect(try await arriving(["X-A": "Grüße 世界"], kind).values(for: "X-A") == ["Grüße 世界"])
      },
      Behaviour("whitespace around a value of the request is removed") {
        kind async throws in
        #expect(try await arriving(["X-A": "  a b\t"], kind).values(for: "X-A") == ["a b"])
      },
      Behaviour("a value of 15,000 bytes of the request arrives") { kind async throws in
        let value = String(repeating: "0123456789", count: 1_500)
        #expect(try await arriving(["X-Long": value], kind).values(for: "X-Long") == [value])
      },
      Behaviour("only Host and Accept-Encoding are added") { kind async throws in
        let names = try await arriving([:], kind).map(\.name)
        #expect(names.filter { $0 != "Accept-Encoding" } == ["Host"])
      },
      Behaviour("Host includes a non-default port") { kind async throws in
        let backend = try Backend(kind)
        _ = try await backend.get()
        let host = try #require(backend.urls.first?.absoluteString.dropFirst("http://".count))
        #expect(backend.requests.first?.headers.values(for: "Host") == [String(host)])
      },
      Behaviour("the default fields of a client arrive once") { kind async throws in
        let backend = try Backend(kind)
        _ = try await backend.get()
        let headers = try #require(backend.requests.first?.headers)
        for field in HTTPHeaders.defaults {
          #expect(headers.values(for: field.name) == [field.value])
        }
      },
      Behaviour("a User-Agent of the client replaces the default") { kind async throws in
        let headers = try await arriving(["User-Agent": "me/1"], kind)
        #expect(headers.values(for: "User-Agent") == ["me/1"])
      },
      Behaviour("a Content-Type arrives unchanged") { kind async throws in
        let backend = try Backend(kind)
        _ = try await backend.client().request(
          .upload(data: Data("x".utf8), to: "/", contentType: "text/x; a=\"b\"")
        ).value
        #expect(backend.requests.first?.headers.values(for: "Content-Type") == ["text/x; a=\"b\""])
      },
      Behaviour("no Content-Type is added to a body") { kind async throws in
        let backend = try Backend(kind)
        _ = try await backend.client().request(
          Request(.post, "/", payload: .data(Data("x".utf8)))
        ).value
        #expect(backend.requests.first?.headers.contains("Content-Type") == false)
      },
      Behaviour("the transport replaces a Content-Length of the request") {
        kind async throws in
        let backend = try Backend(kind)
        for (name, value) in [("Content-Length", "7"), ("Transfer-Encoding", "chunked")] {
          let record = await backend.perform(
            HTTPRequest(
              method: .post, url: try backend.url(),
              headers: HTTPHeaders([.init(name: name, value: value)]),
              body: .data(Data("abc".utf8))))
          #expect(record.head?.status == 200)
        }
        for request in backend.requests {
          #expect(request.body == Data("abc".utf8))
          #expect(request.headers.values(for: "Content-Length") == ["3"])
          #expect(!request.headers.contains("Transfer-Encoding"))
        }
      },
      Behaviour("the transport keeps a Host field of the request") {
        kind async throws in
        let backend = try Backend(kind)
        _ = await backend.perform(
          HTTPRequest(url: try backend.url(), headers: ["Host": "other.example"]))
        #expect(backend.requests.first?.headers.values(for: "Host") == ["other.example"])
      },
      Behaviour("the client rejects a line break in a value") { kind async throws in
        let backend = try Backend(kind)
        for value in ["a\r\nX-B: b", "a\nb", "a\0b", "a\rb"] {
          let result = await backend.client().request(.get("/", headers: ["X-A": value])).result
          #expect(result.failure(as: NetworkError.self)?.code == .invalidHeader)
        }
        #expect(backend.requests.isEmpty)
      },
      Behaviour("the transport rejects a line break in a value") { kind async throws in
        let backend = try Backend(kind)
        for value in ["a\r\nX-B: b", "a\nb", "a\0b"] {
          let request = HTTPRequest(url: try backend.url(), headers: ["X-A": value])
          #expect(await backend.perform(request).failure?.code == .invalidHeader)
        }
        #expect(backend.requests.isEmpty)
      },
      Behaviour("the transport rejects a name that is not a token") { kind async throws in
        let backend = try Backend(kind)
        let request = HTTPRequest(url: try backend.url(), headers: ["X A": "1"])
        #expect(await backend.perform(request).failure?.code == .invalidHeader)
        #expect(backend.requests.isEmpty)
      },
    ]
  }
#endif
