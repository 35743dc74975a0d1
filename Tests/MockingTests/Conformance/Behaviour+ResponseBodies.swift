#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static func pieces(_ data: Data, of size: Int) -> [Data] {
      stride(from: 0, to: data.count, by: size).map { data.dropFirst($0).prefix(size) }
    }

    private static let sizes = [("0 B", 0), ("1 B", 1), ("64 KiB", 65_536), ("1 MiB", 1 << 20)]
    private static let large = 100 << 20

    /// Returns a mock with a literal chunked body.
    private static func chunked(_ text: String) -> Mock {
      Mock(headers: ["Transfer-Encoding": "chunked"], body: .data(Data(text.utf8)))
    }

    /// Streams a response and checks its bytes.
    private static func counted(_ backend: Backend) async throws -> BytePattern {
      var counted = BytePattern()
      let response = try await backend.client().stream(.get("/")).value
      for try await piece in response.bytes { counted.take(piece) }
      return counted
    }

    static let responseBodies: [Behaviour] =
      sizes.flatMap { name, size in
        let body = Data.pattern(size)
        return [
          Behaviour("a sized body of \(name) is complete") { kind async throws in
            let backend = try Backend(kind) { _ in .data(body) }
            #expect(try await backend.get().data == body)
          },
          Behaviour("a chunked body of \(name) is complete") { kind async throws in
            let backend = try Backend(kind) { _ in .chunks(pieces(body, of: 10_007)) }
            let response = try await backend.get()
            #expect(response.headers.values(for: "Transfer-Encoding") == ["chunked"])
            #expect(response.data == body)
          },
        ]
      }
      + [
        Behaviour("a body without a length ends with the connection") {
          kind async throws in
          let head = Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbegin ".utf8)
          let backend = try Backend(kind) { _ in
            Mock(headers: ["Connection": "close"]).interrupted(by: .garbage(head), at: .request)
          }
          let response = try await backend.get()
          #expect(String(decoding: response.data, as: UTF8.self).hasPrefix("begin HTTP/1.1 200"))
        },
        Behaviour("chunk extensions are ignored") { kind async throws in
          let backend = try Backend(kind) { _ in
            chunked("5;a=b\r\nhello\r\n1 ; c=\"d\"\r\n!\r\n0\r\n\r\n")
          }
          #expect(try await backend.get().data == Data("hello!".utf8))
        },
        Behaviour("trailers are ignored") { kind async throws in
          let backend = try Backend(kind) { _ in
            chunked("5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n")
          }
          let response = try await backend.get()
          #expect(response.data == Data("hello".utf8))
          #expect(!response.headers.contains("X-Trailer"))
        },
        Behaviour("chunk sizes can have capital letters and leading zeros") {
          kind async throws in
          let backend = try Backend(kind) { _ in
            chunked("00A\r\n0123456789\r\n0000\r\n\r\n")
          }
          #expect(try await backend.get().data == Data("0123456789".utf8))
        },
        Behaviour("a body that arrives byte by byte is complete") { kind async throws in
          let backend = try Backend(kind) { _ in
            .chunks(Data("in the end all of it".utf8).map { Data([$0]) })
          }
          #expect(try await backend.get().data == Data("in the end all of it".utf8))
        },
        Behaviour("the head precedes the body, and the end is reported once") { kind async throws in
          let backend = try Backend(kind) { _ in .data(.pattern(100_000)) }
          let record = await backend.get(try backend.url())
          #expect(record.order == ["head", "body", "end"])
          #expect(record.lastEvents == 1)
          #expect(!record.pieces.contains(0))
          #expect(record.metrics?.bytesReceived == 100_000)
        },
        Behaviour("a download writes the body to a file") { kind async throws in
          let folder = TemporaryFolder()
          let backend = try Backend(kind) { _ in .data(.pattern(100_000)) }
          let target = folder.url("file")
          let response = try await backend.client().download(.get("/"), to: target).value
          #expect(response.file == target)
          #expect(try Data(contentsOf: target) == .pattern(100_000))
        },
        Behaviour("the promise of a stream is fulfilled before its body arrives") {
          kind async throws in
          let gate = Log<Void>()
          let backend = try Backend(
            kind,
            origins: [
              [
                Route(.get, "/") { _ in
                  Mock(
                    body: .generated(byteCount: 200_000) { range in
                      if range.upperBound == 200_000 { gate.append(()) }
                      return Data(count: range.count)
                    })
                }
              ]
            ])
          let response = try await backend.client().stream(.get("/")).value
          #expect(response.status == 200)
          var count = 0
          for try await piece in response.bytes { count += piece.count }
          #expect(count == 200_000)
          _ = await gate.entries(1)
        },
        Behaviour("a body above the limit of the client is rejected") { kind async throws in
          let backend = try Backend(kind) { _ in .bytes(10_000) }
          let client = backend.client { $0.maximumBodySize = 9_999 }
          let result = await client.request(.get("/")).result
          #expect(result.failure(as: NetworkError.self)?.code == .bodyTooLarge)
        },
      ]

    /// Large bodies, sent one at a time and not stored.
    static let largeBodies: [Behaviour] = [
      Behaviour("a sized body of 100 MiB is complete") { kind async throws in
        let backend = try Backend(kind) { _ in .bytes(large) }
        let counted = try await counted(backend)
        #expect(counted.count == large)
        #expect(counted.isInOrder)
      },
      Behaviour("a chunked body of 100 MiB is complete") { kind async throws in
        let piece = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0) })
        let backend = try Backend(kind) { _ in
          .chunks(Array(repeating: piece, count: large >> 20))
        }
        let counted = try await counted(backend)
        #expect(counted.count == large)
        #expect(counted.isInOrder)
      },
      Behaviour("a file of 100 MiB arrives") { kind async throws in
        let folder = TemporaryFolder()
        let url = folder.url("large")
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: UInt64(large))
        try file.close()
        let backend = try Backend(kind, discardsBodies: true)
        _ = try await backend.client().request(.upload(file: url, to: "/")).value
        #expect(backend.requests.map(\.bodyByteCount) == [large])
        #expect(backend.requests.first?.headers["Content-Length"] == "\(large)")
      },
      Behaviour("a stream of 100 MiB with a length arrives") { kind async throws in
        let backend = try Backend(kind, discardsBodies: true)
        let stream = BytePattern.stream(large, declaresLength: true)
        _ = try await backend.client().request(.upload(stream: stream, to: "/")).value
        #expect(backend.requests.map(\.bodyByteCount) == [large])
      },
      Behaviour("a stream of 100 MiB without a length arrives") { kind async throws in
        let backend = try Backend(kind, discardsBodies: true)
        let stream = BytePattern.stream(large, declaresLength: false)
        _ = try await backend.client().request(.upload(stream: stream, to: "/")).value
        #expect(backend.requests.map(\.bodyByteCount) == [large])
      },
    ]
  }
#endif
