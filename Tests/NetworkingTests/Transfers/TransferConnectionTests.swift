#if os(Linux) || os(macOS)
  import Foundation
  @testable import Networking
  @testable import NetworkingTransfers
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Pauses of transfers over sockets.
  @Suite(.gated)
  struct TransferConnectionTests {
    private let folder = TemporaryFolder()
    private let client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: .plain)

    private var target: URL { folder.url("film") }

    @Test func theServerWaitsWhileADownloadIsPaused() async throws {
      let size = 64 << 20
      let server = try ScriptedServer { _ in
        [
          // URLSession may keep a head without a type until it has 512 bytes of the body.
          .text("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: \(size)\r\n\r\n"),
          .stall, .flood(size),
        ]
      }
      let transfer = client.transfer(.get(server.path), to: target, resumable: false)
      for await progress in transfer.progress where progress.total != nil { break }
      transfer.pause()
      server.release()
      // The send buffer of the server is full.
      let sent = try #require(await server.blocked.entries(1).first)
      #expect(sent < size)
      #expect(transfer.currentProgress.bytes < 1 << 20)
      transfer.resume()
      #expect(try await transfer.value.file == target)
      #expect(try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int == size)
    }

    @Test func aConnectionLostDuringAPauseIsReplacedByARange() async throws {
      let content = Data.pattern(2_000_000)
      let server = try ScriptedServer { request in
        guard request.values(of: "Range").isEmpty else {
          return [
            .respond(
              "206 Partial Content",
              ["ETag: \"one\"", "Content-Range: bytes 1000000-1999999/2000000"],
              content.dropFirst(1_000_000))
          ]
        }
        return [
          .text("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 2000000\r\n\r\n"),
          .send(content.prefix(1_000_000)), .stall, .close,
        ]
      }
      let transfer = client.transfer(.get(server.path), to: target, resumable: false)
      for await progress in transfer.progress where progress.bytes > 0 { break }
      transfer.pause()
      server.release()
      transfer.resume()
      let response = try await transfer.value
      #expect(response.status == 206)
      #expect(try Data(contentsOf: target) == content)
    }

    @Test func aFileThatIsSentInAContentCodingIsDecoded() async throws {
      // Made with Python's gzip: 200 times the text.
      let coded = try #require(
        Data(base64Encoded: "H4sIAAAAAAACA0vLzMlVSBslRolRYjgTAIYjYfroAwAA"))
      let server = try ScriptedServer { _ in
        [.respond("200 OK", ["ETag: \"one\"", "Content-Encoding: gzip"], coded)]
      }
      let transfer = client.transfer(.get(server.path), to: target)
      #expect(try await transfer.value.status == 200)
      #expect(try Data(contentsOf: target) == Data(String(repeating: "film ", count: 200).utf8))
    }

    @Test func anUploadOfAFileCanBePausedAndResumed() async throws {
      let size = 64 << 20
      let file = try folder.file("body", Data(count: size))
      let server = try ScriptedServer(keepsBodies: false) { _ in [.respond()] }
      let transfer = client.transfer(.upload(file: file, to: server.path))
      for await progress in transfer.progress where progress.bytes > 0 { break }
      transfer.pause()
      #expect(transfer.isPaused)
      transfer.resume()
      #expect(try await transfer.value.status == 200)
      #expect(server.requests.entries.first?.bodyCount == size)
      #expect(transfer.currentProgress.fraction == 1)
    }

    @Test func anUploadThatIsPausedBeforeItsBodyIsHeld() async throws {
      let gate = PauseGate(LiveScheduler.live)
      gate.setPaused(true)
      let reader = try BodyReader(HTTPBody.data(Data("body".utf8)).held(by: gate))
      #expect(reader.length == 4)
      let body = Task { try await reader.next() }
      gate.setPaused(false)
      #expect(try await body.value == Data("body".utf8))
      #expect(HTTPBody.none.held(by: gate) == .none)
    }
  }
#endif
