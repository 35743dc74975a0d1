#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Testing

  extension Behaviour {
    /// The fields that arrive when a client sends some and has no defaults.
    private static func arriving(
      _ headers: HTTPHeaders, _ subject: Subject
    ) async throws -> HTTPHeaders {
      let backend = try Backend(subject)
      let client = backend.client { $0.headers = [:] }
      _ = try await client.request(.get("/", headers: headers)).value
      return try #require(backend.requests.first?.headers)
    }

    static let requestHeaders: [Behaviour] = [
      Behaviour("a field of the request's arrives") { subject async throws in
        #expect(try await arriving(["X-A": "1"], subject).values(for: "x-a") == ["1"])
      },
      Behaviour("the names of the request's fields keep their case") { subject async throws in
        #expect(try await arriving(["x-CASE": "1"], subject).contains { $0.name == "x-CASE" })
      },
      Behaviour("the request's fields keep their order") { subject async throws in
        let names = (0..<20).map { "X-\($0 * 7 % 20)" }
        let fields = names.map { HTTPHeaders.Field(name: $0, value: "1") }
        let arrived = try await arriving(HTTPHeaders(fields), subject).map { $0.name.lowercased() }
        #expect(arrived.filter { $0.hasPrefix("x-") } == names.map { $0.lowercased() })
      },
      Behaviour("the request's fields of one name all arrive") { subject async throws in
        let values = try await arriving(["X-A": "1", "x-a": "2"], subject).values(for: "X-A")
        #expect(values.joined(separator: ", ") == "1, 2")
      },
      Behaviour("the request's fields of one name arrive apart") { subject async throws in
        let values = try await arriving(["X-A": "1", "X-B": "", "x-a": "2"], subject)
          .values(for: "X-A")
        #expect(values == ["1", "2"])
      },
      Behaviour("an empty value of the request's arrives") { subject async throws in
        #expect(try await arriving(["X-Empty": ""], subject).values(for: "X-Empty") == [""])
      },
      Behaviour("a value of the request's in UTF-8 arrives") { subject async throws in
        #expect(try await arriving(["X-A": "Grüße 世界"], subject).values(for: "X-A") == ["Grüße 世界"])
      },
      Behaviour("spaces around a value of the request's are not part of it") {
        subject async throws in
        #expect(try await arriving(["X-A": "  a b\t"], subject).values(for: "X-A") == ["a b"])
      },
      Behaviour("a value of 15,000 bytes of the request's arrives") { subject async throws in
        let value = String(repeating: "0123456789", count: 1_500)
        #expect(try await arriving(["X-Long": value], subject).values(for: "X-Long") == [value])
      },
      Behaviour("no field is added but Host and what codings are known") { subject async throws in
        let names = try await arriving([:], subject).map(\.name)
        #expect(names.filter { $0 != "Accept-Encoding" } == ["Host"])
      },
      Behaviour("Host names the port, which is not the standard one") { subject async throws in
        let backend = try Backend(subject)
        _ = try await backend.get()
        let host = try #require(backend.urls.first?.absoluteString.dropFirst("http://".count))
        #expect(backend.requests.first?.headers.values(for: "Host") == [String(host)])
      },
      Behaviour("a client's default fields arrive, once each") { subject async throws in
        let backend = try Backend(subject)
        _ = try await backend.get()
        let headers = try #require(backend.requests.first?.headers)
        for field in HTTPHeaders.defaults {
          #expect(headers.values(for: field.name) == [field.value])
        }
      },
      Behaviour("a client's own User-Agent is the only one") { subject async throws in
        let headers = try await arriving(["User-Agent": "me/1"], subject)
        #expect(headers.values(for: "User-Agent") == ["me/1"])
      },
      Behaviour("a Content-Type arrives as it is") { subject async throws in
        let backend = try Backend(subject)
        _ = try await backend.client().request(
          .upload(data: Data("x".utf8), to: "/", contentType: "text/x; a=\"b\"")
        ).value
        #expect(backend.requests.first?.headers.values(for: "Content-Type") == ["text/x; a=\"b\""])
      },
      Behaviour("a body without a Content-Type gets none") { subject async throws in
        let backend = try Backend(subject)
        _ = try await backend.client().request(
          Request(.post, "/", payload: .data(Data("x".utf8)))
        ).value
        #expect(backend.requests.first?.headers.contains("Content-Type") == false)
      },
      Behaviour("the transport replaces the length fields of a request") {
        subject async throws in
        let backend = try Backend(subject)
        for (name, value) in [("Content-Length", "7"), ("Transfer-Encoding", "chunked")] {
          let performed = await backend.perform(
            HTTPRequest(
              method: .post, url: try backend.url(),
              headers: HTTPHeaders([.init(name: name, value: value)]),
              body: .data(Data("abc".utf8))))
          #expect(performed.head?.status == 200)
        }
        for request in backend.requests {
          #expect(request.body == Data("abc".utf8))
          #expect(request.headers.values(for: "Content-Length") == ["3"])
          #expect(!request.headers.contains("Transfer-Encoding"))
        }
      },
      Behaviour("a Host of the request's own is the only one, at the transport") {
        subject async throws in
        let backend = try Backend(subject)
        _ = await backend.perform(
          HTTPRequest(url: try backend.url(), headers: ["Host": "other.example"]))
        #expect(backend.requests.first?.headers.values(for: "Host") == ["other.example"])
      },
      Behaviour("a line break in a value is refused by the client") { subject async throws in
        let backend = try Backend(subject)
        for value in ["a\r\nX-B: b", "a\nb", "a\0b", "a\rb"] {
          let result = await backend.client().request(.get("/", headers: ["X-A": value])).result
          #expect(result.failure(as: NetworkError.self)?.code == .invalidHeader)
        }
        #expect(backend.requests.isEmpty)
      },
      Behaviour("a line break in a value is refused at the transport") { subject async throws in
        let backend = try Backend(subject)
        for value in ["a\r\nX-B: b", "a\nb", "a\0b"] {
          let request = HTTPRequest(url: try backend.url(), headers: ["X-A": value])
          #expect(await backend.perform(request).failure?.code == .invalidHeader)
        }
        #expect(backend.requests.isEmpty)
      },
      Behaviour("a name that is no token is refused at the transport") { subject async throws in
        let backend = try Backend(subject)
        let request = HTTPRequest(url: try backend.url(), headers: ["X A": "1"])
        #expect(await backend.perform(request).failure?.code == .invalidHeader)
        #expect(backend.requests.isEmpty)
      },
    ]
  }
#endif
