import Foundation
import Mocking
import Networking
import NetworkingTransfers
import TestGate
import TestSupport
import Testing

/// Transfers that are paused while they run.
@Suite(.gated)
struct ConduitTransfersTests {
  private let server: MockServer
  private let sessionClient: Networking<Request>
  private let folder = TemporaryFolder()

  init() throws {
    server = try MockServer {
      Route(.get, "/film") { _ in .bytes(3_000_000).header("ETag", "\"one\"") }
      Route(.post, "/films") { request in .json(["bytes": request.bodyByteCount]) }
    }
    sessionClient = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  @Test("C8b: a running download is paused and resumed")
  func pausedDownload() async throws {
    let file = folder.url("film")
    // sample C8b
    let task = sessionClient.transfer(.get("film"), to: file)
    task.pause()
    let isPaused = task.isPaused
    task.resume()
    // end
    var last = Transfer.Progress()
    for await progress in task.progress { last = progress }
    #expect(isPaused && !task.isPaused)
    #expect(try await task.response.validate().value.status == 200)
    #expect(last.fraction == 1 && last.bytes == 3_000_000)
    #expect(try Data(contentsOf: file).count == 3_000_000)
  }

  @Test("C8c: an upload is paused and resumed")
  func pausedUpload() async throws {
    let film = Data(repeating: 7, count: 3_000_000)
    // sample C8c
    let task = sessionClient.transfer(.upload(data: film, to: "films"))
    task.pause()
    let isPaused = task.isPaused
    task.resume()
    // end
    let json = try await task.response.validate().toJson().value
    #expect(isPaused && json["bytes"].int == 3_000_000)
    #expect(task.currentProgress.fraction == 1)
  }
}
