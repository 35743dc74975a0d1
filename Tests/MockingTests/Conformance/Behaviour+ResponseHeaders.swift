#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static let statusLine = "HTTP/1.1 200 OK\r\n".utf8.count

    /// Returns a raw response with a header line that ``Mock`` cannot represent.
    private static func rawResponse(_ line: [UInt8]) -> Mock {
      .text("body").interrupted(
        by: .garbage(Data(line + Array("\r\n".utf8))), at: .head(afterBytes: statusLine))
    }

    private static func rawResponse(_ line: String) -> Mock { rawResponse(Array(line.utf8)) }

    static let responseHeaders: [Behaviour] = [
      Behaviour("field names are case-insensitive") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("x-CASE", "1") }
        #expect(try await backend.get().headers["X-case"] == "1")
      },
      Behaviour("field names keep their case") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("x-CASE", "1") }
        #expect(try await backend.get().headers.contains { $0.name == "x-CASE" })
      },
      Behaviour("fields keep their order") { kind async throws in
        let backend = try Backend(kind) { _ in
          Mock(headers: ["X-C": "1", "X-A": "2", "X-B": "3"])
        }
        let names = try await backend.get().headers.map(\.name).filter { $0.hasPrefix("X-") }
        #expect(names == ["X-C", "X-A", "X-B"])
      },
      Behaviour("all fields of one name are available") { kind async throws in
        let backend = try Backend(kind) { _ in Mock(headers: ["X-A": "1", "x-a": "2"]) }
        #expect(
          try await backend.get().headers.values(for: "X-A").joined(separator: ", ") == "1, 2")
      },
      Behaviour("fields of one name stay separate") { kind async throws in
        let backend = try Backend(kind) { _ in
          Mock(headers: ["X-A": "1", "X-B": "b", "X-A": "2"])
        }
        #expect(try await backend.get().headers.values(for: "X-A") == ["1", "2"])
      },
      Behaviour("Set-Cookie fields with dates stay separate") { kind async throws in
        let cookies = ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/", "b=2", "c=\"3,4\""]
        let backend = try Backend(kind) { _ in
          Mock(headers: HTTPHeaders(cookies.map { .init(name: "Set-Cookie", value: $0) }))
        }
        #expect(try await backend.get().headers.values(for: "Set-Cookie") == cookies)
      },
      Behaviour("an empty value is available") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("X-Empty", "") }
        #expect(try await backend.get().headers.values(for: "X-Empty") == [""])
      },
      Behaviour("a UTF-8 value is decoded") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("X-Word", "Grüße, 世界 🎏") }
        #expect(try await backend.get().headers["X-Word"] == "Grüße, 世界 🎏")
      },
      Behaviour("a Latin-1 value is decoded") { kind async throws in
        let backend = try Backend(kind) { _ in
          rawResponse(Array("X-Word: Gr".utf8) + [0xFC, 0xDF] + Array("e".utf8))
        }
        let response = try await backend.get()
        #expect(response.headers["X-Word"] == "Grüße")
        #expect(response.data == Data("body".utf8))
      },
      Behaviour("a value of 60,000 bytes is complete") { kind async throws in
        let value = String(repeating: "0123456789", count: 6_000)
        let backend = try Backend(kind) { _ in .status(200).header("X-Long", value) }
        #expect(try await backend.get().headers["X-Long"] == value)
      },
      Behaviour("two hundred fields are available") { kind async throws in
        let fields = (0..<200).map { HTTPHeaders.Field(name: "X-\($0)", value: "\($0)") }
        let backend = try Backend(kind) { _ in Mock(headers: HTTPHeaders(fields)) }
        let headers = try await backend.get().headers
        for field in fields { #expect(headers[field.name] == field.value) }
      },
      Behaviour("whitespace around a value is removed and inside it is kept") {
        kind async throws in
        let backend = try Backend(kind) { _ in rawResponse("X-A: \t a \t b \t ") }
        #expect(try await backend.get().headers["X-A"] == "a \t b")
      },
      Behaviour("whitespace around a value of a mock is removed") { kind async throws in
        let backend = try Backend(kind) { _ in .status(200).header("X-A", "  a b\t") }
        #expect(try await backend.get().headers["X-A"] == "a b")
      },
      Behaviour("a value without a preceding space is parsed") { kind async throws in
        let backend = try Backend(kind) { _ in rawResponse("X-A:a:b") }
        #expect(try await backend.get().headers["X-A"] == "a:b")
      },
      Behaviour("a folded value is unfolded") { kind async throws in
        let backend = try Backend(kind) { _ in rawResponse("X-A: a\r\n  b") }
        #expect(try await backend.get().headers["X-A"] == "a b")
      },
      Behaviour("lines without a carriage return are parsed") { kind async throws in
        let backend = try Backend(kind) { _ in rawResponse("X-A: a\nX-B: b") }
        let headers = try await backend.get().headers
        #expect(headers["X-A"] == "a")
        #expect(headers["X-B"] == "b")
      },
      Behaviour("a response without a reason phrase is parsed") { kind async throws in
        let head = Data("HTTP/1.1 299\r\nContent-Length: 2\r\n\r\nok".utf8)
        let backend = try Backend(kind) { _ in
          Mock(headers: ["Connection": "close"]).interrupted(by: .garbage(head), at: .request)
        }
        let record = await backend.get(try backend.url())
        #expect(record.head?.status == 299)
        #expect(record.body == Data("ok".utf8))
      },
      Behaviour("the protocol version 1.1 is reported") { kind async throws in
        let backend = try Backend(kind)
        #expect(try await backend.get().head.version == "1.1")
      },
      Behaviour("the protocol version 1.0 is reported") { kind async throws in
        let head = Data("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        let backend = try Backend(kind) { _ in
          Mock(headers: ["Connection": "close"]).interrupted(by: .garbage(head), at: .request)
        }
        let record = await backend.get(try backend.url())
        #expect(record.head?.version == "1.0")
        #expect(record.body == Data("ok".utf8))
      },
      Behaviour("framing fields are reported") { kind async throws in
        let backend = try Backend(kind) { _ in .text("abc") }
        #expect(try await backend.get().headers.values(for: "Content-Length") == ["3"])
      },
    ]
  }
#endif
