#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct DownloadTests {
    private let folder = TemporaryFolder()
    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)

    private var target: URL { folder.url("report.bin") }

    @Test func aSuccessfulBodyIsWrittenToTheFileOnly() async throws {
      let body = Data.pattern(3_000_001)
      let server = try ScriptedServer { _ in [.respond("200 OK", ["X-One: 1"], body)] }
      let response = try await client.download(.get(server.path), to: target)
        .validate().value
      #expect(response.file == target && response.data.isEmpty)
      #expect(response.headers["X-One"] == "1" && response.metrics.bytesReceived == 3_000_001)
      #expect(try Data(contentsOf: target) == body)
      #expect(folder.names == ["report.bin"])
    }

    @Test func theBodyOfAFailedDownloadIsNoProgress() async throws {
      // Reports on the main queue may be later than the value.
      client.callbackContext = .inline
      for (status, count) in [("410 Gone", Int64(0)), ("200 OK", 1_000)] {
        let server = try ScriptedServer { _ in
          [.respond(status, [], Data(repeating: 0x61, count: 1_000))]
        }
        let reports = Log<TransferProgress>()
        let download = client.download(
          .get(server.path), to: target,
          .onProgress {
            reports.append($0)
          })
        let response = try await download.value
        #expect(response.status == (count == 0 ? 410 : 200))
        #expect(reports.entries.map(\.received.bytes).max() ?? 0 == count)
        #expect(count > 0 || reports.entries.allSatisfy { $0.received.total == nil })
      }
    }

    @Test func aHundredMebibytesAreTransferredInMemoryInBothDirections() async throws {
      let size = 100 << 20
      let server = try ScriptedServer(keepsBodies: false) { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .flood(size)]
      }
      let response = try await client.request(.upload(data: Data(count: size), to: server.path))
        .validate().value
      #expect(response.data.count == size && response.metrics.bytesSent == Int64(size))
      #expect(server.requests.entries.first?.bodyCount == size)
    }

    @Test func anEmptySuccessfulBodyIsAnEmptyFile() async throws {
      let server = try ScriptedServer { _ in [.text("HTTP/1.1 204 No Content\r\n\r\n")] }
      let response = try await client.download(.get(server.path), to: target).value
      #expect(response.file == target)
      #expect(try Data(contentsOf: target).isEmpty)
    }

    @Test func missingFoldersAreCreatedAndAnExistingFileIsReplaced() async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data("new".utf8))] }
      let deep = folder.url("a/b/c.txt")
      for _ in 0..<2 { _ = try await client.download(.get(server.path), to: deep).value }
      #expect(try String(contentsOf: deep, encoding: .utf8) == "new")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.url("a/b").path) == ["c.txt"])
    }

    @Test func aFileThatMustNotBeReplacedIsKeptAndNothingIsSent() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      try Data("old".utf8).write(to: target)
      let result = await client.download(.get(server.path), to: target, replacing: false).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(
        error.code == .fileNotWritten && error.reason == "a file with that name already exists")
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(server.connectionCount == 0)
    }

    @Test func aFileCreatedDuringTheDownloadIsNotReplaced() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), .stall, .text("new")]
      }
      let promise = client.download(.get(server.path), to: target, replacing: false)
      _ = await server.requests.entries(1)
      try Data("old".utf8).write(to: target)
      server.release()
      #expect(await promise.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(folder.names == ["report.bin"])
    }

    @Test(arguments: ["/proc/none/report.bin", "/dev/null/report.bin", "/tmp"])
    func anUnwritableDestinationIsAnErrorWithAReason(path: String) async throws {
      let server = try ScriptedServer { _ in [.respond("200 OK", [], Data("x".utf8))] }
      let result = await client.download(
        .get(server.path), to: URL(fileURLWithPath: path)
      ).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .fileNotWritten)
      #expect(error.description.contains("the file for the body cannot be written"))
    }

    @Test func theBodyOfAFailureStaysInMemoryAndDoesNotChangeTheFile() async throws {
      let server = try ScriptedServer { _ in
        [.respond("404 Not Found", ["Content-Type: application/json"], Data(#"{"a":"b"}"#.utf8))]
      }
      try Data("old".utf8).write(to: target)
      let result = await client.download(.get(server.path), to: target).validate().result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .unacceptableStatus(404))
      #expect(try error.decodeBody([String: String].self) == ["a": "b"])
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(folder.names == ["report.bin"])
    }

    @Test func theFirstMebibyteOfALargeFailureIsKept() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 500 No\r\nContent-Length: 67108864\r\n\r\n"), .flood(64 << 20)]
      }
      let response = try await client.download(.get(server.path), to: target).value
      #expect(response.status == 500 && response.data.count == 1 << 20 && response.file == nil)
      #expect(await server.closed.entries(1) == [0])
      #expect(folder.names == [])
    }

    @Test func theBodyOfARedirectIsNotWrittenToTheFile() async throws {
      let server = try ScriptedServer { request in
        request.target == "/end"
          ? [.respond("200 OK", [], Data("the end".utf8))]
          : [.respond("302 Found", ["Location: /end"], Data("go on".utf8))]
      }
      let response = try await client.download(.get(server.path), to: target).value
      #expect(response.url.path == "/end")
      #expect(try String(contentsOf: target, encoding: .utf8) == "the end")
    }

    @Test func aTruncatedBodyLeavesNoFile() async throws {
      let server = try ScriptedServer { _ in
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"), .flood(1_000_000), .close]
      }
      try Data("old".utf8).write(to: target)
      let result = await client.download(.get(server.path), to: target).result
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == .connectionLost && error.response?.status == 200)
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(folder.names == ["report.bin"])
    }

    enum Stage: CaseIterable, Sendable {
      case connected
      case head
      case midway
    }

    @Test(arguments: Stage.allCases)
    func cancellationLeavesNoFile(stage: Stage) async throws {
      // URLSession may keep a head without a type until it has 512 bytes of the body.
      let head = ScriptedServer.Step.text(
        "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2000000\r\n\r\n")
      let server = try ScriptedServer { _ in
        switch stage {
        case .connected: [.stall]
        case .head: [head, .stall]
        case .midway: [head, .flood(1_000_000), .stall]
        }
      }
      let received = Log<Int64>()
      let promise = client.download(
        .get(server.path), to: target,
        .onProgress { progress in
          if progress.received.bytes >= 1_000_000 || stage == .head {
            received.append(progress.received.bytes)
          }
        })
      _ = await server.requests.entries(1)
      if stage != .connected { _ = await received.entries(1) }
      promise.cancel()
      #expect(await promise.result.error is CancellationError)
      #expect(await server.closed.entries(1) == [0])
      // The writing queue removes and closes the file asynchronously. The time limit of the suite
      // bounds the wait.
      while folder.names != [] || ProcessResources.hasOpenFile(below: folder.url) {
        await Task.yield()
      }
    }

    @Test func aMockedBodyIsWrittenToTheFile() async throws {
      let networking = Networking<Request>(
        transport: FakeTransport { _ in .response(200, [:], "mocked") }, configuration: .plain)
      let response = try await networking.download(.get("http://a.example/"), to: target).value
      #expect(response.file == target)
      #expect(try String(contentsOf: target, encoding: .utf8) == "mocked")
    }
  }
#endif
