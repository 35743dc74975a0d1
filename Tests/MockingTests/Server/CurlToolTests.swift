import Foundation
import TestSupport
import Testing

@testable import Mocking

/// The server as another implementation of HTTP sees it.
@Suite(
  .serialized, .enabled(if: CurlTool.path != nil, "\(CurlTool.absence)"), .timeLimit(.minutes(10)))
struct CurlToolTests {
  @Test func aHundredMebibytesComeBack() async throws {
    let server = try MockServer { Route(.post, "/echo") { request in .data(request.body) } }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (sent, received) = (
      folder.appendingPathComponent("sent"), folder.appendingPathComponent("back")
    )
    let block = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    var body = Data()
    for _ in 0..<100 { body.append(block) }
    try body.write(to: sent)
    for framing in ["Content-Type: x", "Transfer-Encoding: chunked"] {
      let end = try await CurlTool.run([
        "--max-time", "60", "--request", "POST", "--upload-file", sent.path, "--header", framing,
        "--output", received.path, server.url.absoluteString + "/echo",
      ])
      #expect(end.status == .exited(0))
      #expect(try Data(contentsOf: received) == body)
    }
    #expect(server.receivedRequests.map(\.bodyByteCount) == [body.count, body.count])
  }
}
