#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Testing

  extension Behaviour {
    private static let text = String(
      repeating: "compressed, and taken off again\n", count: 8)

    /// `text`, compressed by Python's gzip and zlib.
    private static let gzipped = Data(
      base64Encoded:
        "H4sIAAAAAAACA0vOzy0oSi0uTk3RUUjMS1EoScxOzVPIT0tTSExPzMzjSh7m8gAz13AXAAEAAA==")
    private static let deflated = Data(
      base64Encoded:
        "eNpLzs8tKEotLk5N0VFIzEtRKEnMTs1TyE9LU0hMT8zM40oe5vIAKRpbYQ==")

    private static func coded(_ data: Data?, _ coding: String) -> Mock {
      Mock.data(data ?? Data()).header("Content-Encoding", coding)
    }

    static let contentCodings: [Behaviour] =
      [("gzip", gzipped), ("deflate", deflated)].flatMap {
        coding, data in
        [
          Behaviour("a sized body in \(coding) is decoded") { kind async throws in
            let backend = try Backend(kind) { _ in coded(data, coding) }
            let response = try await backend.get()
            #expect(String(decoding: response.data, as: UTF8.self) == text)
            #expect(response.headers["Content-Encoding"] == coding)
          },
          Behaviour("a chunked body in \(coding) is decoded") { kind async throws in
            let backend = try Backend(kind) { _ in
              Mock.chunks((data ?? Data()).map { Data([$0]) }).header("Content-Encoding", coding)
            }
            #expect(String(decoding: try await backend.get().data, as: UTF8.self) == text)
          },
          Behaviour("a body in \(coding) that is truncated fails") { kind async throws in
            let backend = try Backend(kind) { _ in
              coded(data, coding).interrupted(by: .close, at: .body(afterBytes: 20))
            }
            #expect(await backend.failure() != nil)
          },
          Behaviour("a body that is not \(coding) is malformed") { kind async throws in
            let backend = try Backend(kind) { _ in coded(Data("not zipped".utf8), coding) }
            #expect(await backend.failure()?.code == .malformedResponse)
          },
        ]
      }
      + [
        Behaviour("a response to HEAD has no body to decode") { kind async throws in
          let backend = try Backend(kind) { _ in coded(gzipped, "gzip") }
          let response = try await backend.client().request(.head("/")).value
          #expect(response.headers["Content-Encoding"] == "gzip")
          #expect(response.data.isEmpty)
        },
        Behaviour("a body in identity is unchanged") { kind async throws in
          let backend = try Backend(kind) { _ in coded(Data(text.utf8), "identity") }
          #expect(String(decoding: try await backend.get().data, as: UTF8.self) == text)
        },
        Behaviour("a body in an unknown coding is delivered as received") { kind async throws in
          let backend = try Backend(kind) { _ in coded(Data("abc".utf8), "rot13") }
          let response = try await backend.get()
          #expect(response.data == Data("abc".utf8))
          #expect(response.headers["Content-Encoding"] == "rot13")
        },
        Behaviour("a request that accepts only identity receives the bytes unchanged") {
          kind async throws in
          let backend = try Backend(kind) { _ in coded(gzipped, "gzip") }
          let response = try await backend.client().request(
            .get("/", headers: ["Accept-Encoding": "identity"])
          ).value
          #expect(response.data == gzipped)
        },
        Behaviour("the Accept-Encoding of the request is sent unchanged") {
          kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(
            .get("/", headers: ["Accept-Encoding": "gzip;q=0.5"])
          ).value
          #expect(
            backend.requests.first?.headers.values(for: "Accept-Encoding") == ["gzip;q=0.5"])
        },
      ]
  }
#endif
