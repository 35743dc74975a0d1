import Foundation
import TestSupport
import Testing

@testable import Mocking

private let curl = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

/// The server as another implementation of HTTP sees it.
@Suite(
  .enabled(if: curl != nil, "the curl tool is not on this machine: these tests are skipped"),
  .timeLimit(.minutes(10)))
struct CurlToolTests {
  /// Runs the tool; its exit code and what it printed.
  private func run(_ arguments: String...) async throws -> (code: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(curl))
    process.arguments = ["--silent", "--max-time", "60", "--noproxy", "*"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.launchAlone()
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        continuation.resume(returning: (process.terminationStatus, output))
      }
    }
  }

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
      let (code, _) = try await run(
        "--request", "POST", "--upload-file", sent.path, "--header", framing, "--output",
        received.path, server.url.absoluteString + "/echo")
      #expect(code == 0)
      #expect(try Data(contentsOf: received) == body)
    }
    #expect(server.requests.map(\.bodyByteCount) == [body.count, body.count])
  }

  private static let exitCodes: [(MockFault, MockFault.Stage, Int32)] = [
    (MockFault.close, MockFault.Stage.request, 52), (.close, .body(afterBytes: 2), 18),
    (.reset, .request, 56), (.malformedChunk, .body(afterBytes: 2), 56), (.garbage, .request, 1),
    (.close, .end, 0),
  ]

  @Test(arguments: exitCodes)
  func aFaultHasItsExitCode(fault: MockFault, stage: MockFault.Stage, code: Int32) async throws {
    let server = try MockServer {
      Route(.get, "/") { _ in .text("hello").interrupted(by: fault, at: stage) }
    }
    #expect(try await run(server.url.absoluteString + "/").code == code)
  }
}
