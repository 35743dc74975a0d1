#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Returns a mock that sends raw bytes and then closes the connection.
    private static func raw(_ text: String) -> Mock {
      Mock(headers: ["Connection": "close"]).interrupted(
        by: .garbage(Data(text.utf8)), at: .request)
    }

    private static func chunked(_ text: String) -> Mock {
      raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(text)")
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    static let malformedResponses: [Behaviour] =
      [
        ("another protocol", raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        ("bytes before the status line", raw("\u{1}\u{2}not HTTP\r\n")),
        ("text before the status line", raw("hello\r\n")),
        ("an unknown version", raw("HTTP/7.3 200 OK\r\n\r\n")),
        ("a status that is not a number", raw("HTTP/1.1 abc\r\n\r\n")),
        ("a status line without a status", raw("HTTP/1.1\r\n\r\n")),
        ("a status of two digits", raw("HTTP/1.1 20 OK\r\n\r\n")),
        ("a status of four digits", raw("HTTP/1.1 2000 OK\r\n\r\n")),
        ("a status below 100", raw("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n")),
        ("a field without a colon", raw("\(ok)no colon here\r\n\r\n")),
        ("a field with a NUL in it", raw("\(ok)X-A: a\0b\r\n\r\n")),
        ("a negative length", raw("\(ok)Content-Length: -5\r\n\r\n")),
        ("a length that is not a number", raw("\(ok)Content-Length: abc\r\n\r\n")),
        ("a length that overflows", raw("\(ok)Content-Length: 99999999999999999999\r\n\r\n")),
        ("two lengths", raw("\(ok)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")),
        ("a chunk size that is not a number", chunked("zz\r\nabc\r\n0\r\n\r\n")),
        ("an empty chunk size", chunked("\r\nabc\r\n0\r\n\r\n")),
        ("a negative chunk size", chunked("-3\r\nabc\r\n0\r\n\r\n")),
        ("a chunk size that overflows", chunked("fffffffffffffffff\r\nabc\r\n0\r\n\r\n")),
        ("a chunk that is longer than its size", chunked("2\r\nabc\r\n0\r\n\r\n")),
      ].map { name, mock in
        Behaviour("\(name) makes a response malformed") { kind async throws in
          let backend = try Backend(kind) { _ in mock }
          let record = await backend.get(try backend.url())
          #expect(record.failure?.code == .malformedResponse)
          #expect(record.lastEvents == 1)
        }
      }
      + [
        Behaviour("chunked coding overrides a Content-Length") { kind async throws in
          let backend = try Backend(kind) { _ in
            Mock(
              headers: ["Content-Length": "3", "Transfer-Encoding": "chunked"],
              body: .data(Data("5\r\nhello\r\n0\r\n\r\n".utf8)))
          }
          #expect(try await backend.get().data == Data("hello".utf8))
        },
        Behaviour("two equal Content-Length fields count as one") { kind async throws in
          let backend = try Backend(kind) { _ in
            Mock(
              headers: ["Content-Length": "3", "content-length": "3"],
              body: .data(Data("abc".utf8)))
          }
          #expect(try await backend.get().data == Data("abc".utf8))
        },
        Behaviour("a malformed chunk ends the valid part of the body") {
          kind async throws in
          let backend = try Backend(kind) { _ in
            Mock.text("abcdef").interrupted(by: .malformedChunk, at: .body(afterBytes: 3))
          }
          let error = await backend.failure()
          #expect(error?.code == .malformedResponse)
          #expect(error?.response?.status == 200)
          #expect(error?.body == Data("abc".utf8))
        },
        Behaviour("bytes beyond the length are ignored") { kind async throws in
          let backend = try Backend(kind) { _ in
            Mock.text("abcdef").header("Content-Length", "3")
          }
          let client = backend.client()
          for _ in 0..<2 {
            #expect(try await client.request(.get("/")).value.data == Data("abc".utf8))
          }
        },
        Behaviour("the error of a malformed response names its request") { kind async throws in
          let backend = try Backend(kind) { _ in raw("hello\r\n") }
          let error = await backend.failure(of: "/path")
          #expect(error?.code == .malformedResponse)
          #expect(error.map { "\($0)" }?.contains("/path") == true)
        },
      ]
  }
#endif
