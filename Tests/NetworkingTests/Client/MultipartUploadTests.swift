#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct MultipartUploadTests {
    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)
    private let folder = TemporaryFolder()

    private func stream(_ data: Data, length: Int64? = nil) -> BodyStream {
      BodyStream(length: length) {
        AsyncStream { continuation in
          continuation.yield(data)
          continuation.finish()
        }
      }
    }

    /// Returns a form with a part of each kind.
    private func form(_ stream: BodyStream) throws -> MultipartFormData {
      var form = MultipartFormData()
      form.append("Balsa Fish", name: "title")
      try form.append(json: ["length": 3], name: "details")
      form.append(.pattern(2_000), name: "photo", filename: "fish.jpg", type: .image(.jpeg))
      form.append(
        file: try folder.file("film.mov", .pattern(300_000)), name: "film", type: .video(.mov))
      form.append(stream: stream, name: "rows", filename: "rows.csv", type: .text(.csv))
      return form
    }

    /// Returns whether a body consists of the parts of `form(_:)`.
    private func hasAllParts(_ request: RawRequest, _ rows: Data) throws -> Bool {
      let type = try #require(request.values(of: "Content-Type").first)
      let boundary = try #require(type.split(separator: "boundary=").last)
      let parts = [
        Data("name=\"title\"\r\n\r\nBalsa Fish\r\n--\(boundary)\r\n".utf8),
        Data("application/json\r\n\r\n{\"length\":3}\r\n--\(boundary)\r\n".utf8),
        Data("Content-Type: image/jpeg\r\n\r\n".utf8) + Data.pattern(2_000),
        Data("Content-Type: video/quicktime\r\n\r\n".utf8) + Data.pattern(300_000),
        Data("filename=\"rows.csv\"\r\nContent-Type: text/csv\r\n\r\n".utf8) + rows
          + Data("\r\n--\(boundary)--\r\n".utf8),
      ]
      return parts.allSatisfy { request.body.range(of: $0) != nil }
    }

    @Test(arguments: [nil, 100_000] as [Int64?])
    func aFormIsSentWithItsLengthIfAllLengthsAreKnown(_ length: Int64?) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let form = try form(stream(.pattern(100_000), length: length))
      let seen = Log<TransferProgress>()
      // In a serial context, the last progress is reported before the promise is settled.
      client.callbackContext = .queue(DispatchQueue(label: "progress"))
      let response = try await client.request(
        .upload(multipart: form, to: server.path),
        .onProgress {
          seen.append($0)
        }
      ).validate().then { $0 }.value
      let request = try #require(server.requests.entries.first)
      #expect(try hasAllParts(request, .pattern(100_000)))
      let size = request.body.count
      // URLSessionTransport sends a copy of the form, whose length is known.
      #if os(Linux)
        #expect(request.values(of: "Content-Length") == (length == nil ? [] : ["\(size)"]))
        #expect(request.values(of: "Transfer-Encoding") == (length == nil ? ["chunked"] : []))
      #endif
      #expect(response.metrics.bytesSent == Int64(size))
      // The progress is that of the whole form.
      let sent = seen.entries.map(\.sent)
      #expect(sent.last?.bytes == Int64(size))
      #if os(Linux)
        #expect(sent.allSatisfy { $0.bytes == 0 || $0.total == length.map { _ in Int64(size) } })
      #endif
      #expect(sent.map(\.bytes) == sent.map(\.bytes).sorted())
    }

    @Test func aRedirectSendsTheSameFormAgain() async throws {
      let server = try ScriptedServer { request in
        request.target == "/end" ? [.respond()] : [.respond("307 Go", ["Location: /end"])]
      }
      let rows = Data.pattern(5_000)
      let form = try form(stream(rows))
      _ = try await client.request(.upload(multipart: form, to: server.path)).validate().value
      let bodies = server.requests.entries.map(\.body)
      #expect(bodies.count == 2 && bodies.first == bodies.last)
      #expect(try hasAllParts(try #require(server.requests.entries.last), rows))
    }

    @Test func aFormWithAStreamThatCanBeReadOnceIsNotSentAgain() async throws {
      let server = try ScriptedServer { _ in [.respond("307 Go", ["Location: /end"])] }
      let once = BodyStream(once: AsyncStream<Data> { $0.finish() })
      let request = Request.upload(multipart: try form(once), to: server.path)
      let error = await client.request(request).result.failure(as: NetworkError.self)
      #expect(error?.code == .encodingFailed)
      #expect(server.requests.entries.count == 1)
    }

    enum Change: CaseIterable {
      case growth
      case truncation
      case disappearance
    }

    @Test(arguments: Change.allCases)
    func aFileThatChangesWhileItIsSentFailsTheRequest(_ change: Change) async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      let file = try folder.file("film.mov", .pattern(100_000))
      // The stream starts after all files have been opened, and before they are read.
      let first = BodyStream(length: 1) {
        switch change {
        case .growth: #expect(truncate(file.path, 100_001) == 0)
        case .truncation: #expect(truncate(file.path, 99_999) == 0)
        case .disappearance: #expect(unlink(file.path) == 0)
        }
        return AsyncStream<Data> { continuation in
          continuation.yield(Data("s".utf8))
          continuation.finish()
        }
      }
      let form = MultipartFormData([.stream(first, name: "first"), .file(file, name: "film")])
      let request = Request.upload(multipart: form, to: server.path)
      let result = await client.request(request).result
      let error = result.failure(as: NetworkError.self)
      switch change {
      case .growth:
        #expect(error?.reason?.hasSuffix("the file film.mov grew while it was sent") == true)
      case .truncation:
        #expect(
          error?.reason?.hasSuffix("the file film.mov was truncated while it was sent") == true)
      case .disappearance:
        // The open file is sent to its end, but not a second time.
        #expect(try result.get().status == 200)
        let again = await client.request(request).result.failure(as: NetworkError.self)
        #expect(again?.reason?.contains("the file film.mov cannot be opened") == true)
      }
      #expect(change == .disappearance || error?.code == .encodingFailed)
      #expect(server.requests.entries.count == (change == .disappearance ? 1 : 0))
    }
  }
#endif
