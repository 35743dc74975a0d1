#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static let sizes = [("0 B", 0), ("1 B", 1), ("64 KiB", 65_536), ("1 MiB", 1 << 20)]

    private static func stream(_ data: Data, declaresLength: Bool) -> BodyStream {
      BodyStream(length: declaresLength ? Int64(data.count) : nil) {
        AsyncStream<Data> { continuation in
          continuation.yield(data.prefix(10))
          continuation.yield(data.dropFirst(10))
          continuation.finish()
        }
      }
    }

    static let requestBodies: [Behaviour] =
      sizes.flatMap { name, size in
        let body = Data.pattern(size)
        return [
          Behaviour("bytes of \(name) arrive with their length") { kind async throws in
            let backend = try Backend(kind)
            _ = try await backend.client().request(.upload(data: body, to: "/")).value
            #expect(backend.requests.map(\.body) == [body])
            #expect(backend.requests.first?.headers.values(for: "Content-Length") == ["\(size)"])
          },
          Behaviour("a file of \(name) arrives with its length") { kind async throws in
            let folder = TemporaryFolder()
            try body.write(to: folder.url("file"))
            let backend = try Backend(kind)
            _ = try await backend.client().request(.upload(file: folder.url("file"), to: "/")).value
            #expect(backend.requests.map(\.body) == [body])
            #expect(backend.requests.first?.headers.values(for: "Content-Length") == ["\(size)"])
          },
          Behaviour("a stream of \(name) with a length arrives with it") {
            kind async throws in
            let backend = try Backend(kind)
            _ = try await backend.client().request(
              .upload(stream: stream(body, declaresLength: true), to: "/")
            ).value
            #expect(backend.requests.map(\.body) == [body])
            #expect(backend.requests.first?.headers.values(for: "Content-Length") == ["\(size)"])
          },
          Behaviour("a stream of \(name) without a length arrives") {
            kind async throws in
            let backend = try Backend(kind)
            _ = try await backend.client().request(
              .upload(stream: stream(body, declaresLength: false), to: "/")
            ).value
            #expect(backend.requests.map(\.body) == [body])
          },
        ]
      }
      + [
        Behaviour("a stream without a length is sent chunked") { kind async throws in
          let backend = try Backend(kind)
          _ = try await backend.client().request(
            .upload(stream: stream(.pattern(1_000), declaresLength: false), to: "/")
          ).value
          let headers = try #require(backend.requests.first?.headers)
          #expect(headers.values(for: "Transfer-Encoding") == ["chunked"])
          #expect(!headers.contains("Content-Length"))
        },
        Behaviour("a multipart form arrives complete") { kind async throws in
          let folder = TemporaryFolder()
          try Data.pattern(100_000).write(to: folder.url("file"))
          let backend = try Backend(kind)
          let pieces: [BodyPiece] = [
            .data(Data("<".utf8)), .file(folder.url("file")), .data(Data(">".utf8)),
          ]
          _ = await backend.perform(
            HTTPRequest(method: .post, url: try backend.url(), body: .pieces(pieces)))
          let whole: Data = Data("<".utf8) + Data.pattern(100_000) + Data(">".utf8)
          #expect(backend.requests.map(\.body) == [whole])
          #expect(backend.requests.first?.headers["Content-Length"] == "100002")
        },
        Behaviour("a stream that fails fails the request") { kind async throws in
          let backend = try Backend(kind)
          let stream = BodyStream {
            AsyncThrowingStream<Data, any Error> { continuation in
              continuation.yield(Data("abc".utf8))
              continuation.finish(throwing: TestError("broken"))
            }
          }
          let result = await backend.client().request(.upload(stream: stream, to: "/")).result
          let error = result.failure(as: NetworkError.self)
          #expect(error?.code == .encodingFailed)
          #expect(error?.underlying as? TestError == TestError("broken"))
          #expect(backend.requests.isEmpty)
        },
        Behaviour("a stream of a wrong length fails the request") {
          kind async throws in
          for length: Int64 in [2, 4] {
            let backend = try Backend(kind)
            let stream = BodyStream(length: length) {
              AsyncStream<Data> { continuation in
                continuation.yield(Data("abc".utf8))
                continuation.finish()
              }
            }
            let result = await backend.client().request(.upload(stream: stream, to: "/")).result
            #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
          }
        },
        Behaviour("a missing file fails the request, and nothing is sent") {
          kind async throws in
          let folder = TemporaryFolder()
          let backend = try Backend(kind)
          for url in [folder.url("missing"), folder.url] {
            let result = await backend.client().request(.upload(file: url, to: "/")).result
            #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
          }
          #expect(backend.requests.isEmpty)
        },
        Behaviour("sent bytes are reported up to the total") { kind async throws in
          let backend = try Backend(kind)
          let record = await backend.perform(
            HTTPRequest(method: .put, url: try backend.url(), body: .data(.pattern(1 << 20))))
          #expect(record.order == ["sent", "head", "end"])
          #expect(record.sent == record.sent.sorted())
          #expect(record.sent.last == 1 << 20)
          #expect(record.metrics?.bytesSent == 1 << 20)
        },
        Behaviour("a body is sent after 100 Continue") {
          kind async throws in
          let backend = try Backend(kind)
          let response = try await backend.client().request(
            .upload(data: .pattern(100_000), to: "/", headers: ["Expect": "100-continue"])
          ).value
          #expect(response.status == 200)
          #expect(backend.requests.map(\.body) == [.pattern(100_000)])
          #expect(backend.requests.first?.headers.values(for: "Expect") == ["100-continue"])
        },
        Behaviour("a final response instead of 100 Continue is the response") { kind async throws in
          let backend = try Backend(
            kind, origins: [[Route(.put, "/") { _ in .status(200) }]])
          let response = try await backend.client().request(
            .upload(data: .pattern(100_000), to: "/", headers: ["Expect": "100-continue"])
          ).value
          #expect(response.status == 405)
        },
        Behaviour("a response before the end of the body is not a failure") {
          kind async throws in
          let backend = try Backend(kind, origins: [[Route(.get, "/") { _ in .status(200) }]])
          let response = try await backend.client().request(
            .upload(data: .pattern(1 << 20), to: "/")
          ).value
          #expect(response.status == 405)
        },
      ]
  }
#endif
