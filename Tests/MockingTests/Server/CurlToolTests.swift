import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

#if os(Linux) || os(macOS)
  /// The exit code of the `curl` command for each fault.
  @Suite(
    .serialized, .enabled(if: CurlTool.path != nil, "\(CurlTool.absence)"), .gated
  )
  struct CurlFaultTests {
    @Test(arguments: FaultTableTests.rows)
    func curlExitsWithTheExpectedCode(_ row: FaultTableTests.Row) async throws {
      let server = try MockServer { Route(.get, "/") { _ in row.mock } }
      defer { server.stop() }
      let limit = row.code == .timedOut(.idle) ? "0.2" : "50"
      let end = try await CurlTool.run(["--max-time", limit, "\(server.url)/"])
      #expect(end.status == .exited(FaultTableTests.exitCodes[row.name] ?? 0))
    }

    @Test(arguments: FaultTableTests.connectRows)
    func curlExitsWithTheExpectedCodeForConnectionFaults(_ row: FaultTableTests.ConnectRow)
      async throws
    {
      let isTimed = row.code == .timedOut(.idle)
      for _ in 0..<(isTimed ? 1 : 20) {
        let server = try row.server()
        defer { server.stop() }
        let end = try await CurlTool.run(["--max-time", isTimed ? "0.5" : "50", "\(server.url)/"])
        #expect(end.status == .exited(row.exitCode))
      }
    }
  }

  /// The documentation of ``MockFault`` has the same table as the tests.
  @Suite(.gated)
  struct FaultDocumentationTests {
    private static let stages = ["request", "head", "body", "end"]
    private static let variants = ["request", "head 8", "body 3", "end", "head", "body"]

    /// Returns the cells of the table row of a fault.
    private func cells(_ fault: String) throws -> [String] {
      let sources = URL(fileURLWithPath: #filePath).appending(
        path: "../../../../Sources/Mocking"
      ).standardized
      let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      let path = try #require(paths.first { $0.hasSuffix("/MockFault.swift") })
      let file = sources.appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let line = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("/// | ``\(fault)") })
      return line.split(separator: "|").dropFirst(2).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }

    private func tested(_ fault: String, _ stage: String) -> FaultTableTests.Row? {
      let name = fault == "malformedChunk" ? "chunk" : fault
      return Self.variants.filter { $0.hasPrefix(stage) }.lazy
        .compactMap { variant in
          FaultTableTests.rows.first { $0.name == "\(name) \(variant)" }
        }.first
    }

    private func cell(of row: FaultTableTests.ConnectRow) -> String {
      let code = row.code == .timedOut(.idle) ? "timedOut(.idle)" : "\(row.code)"
      return "`\(code)`, \(row.exitCode)"
    }

    @Test func theDocumentationOfRefusedConnectionsMatchesTheTests() throws {
      let row = try #require(FaultTableTests.connectRows.first { $0.fault == nil })
      #expect(try cells("MockServer/refuseConnections()").first == cell(of: row))
    }

    @Test(arguments: ["close", "reset", "stall", "garbage", "malformedChunk"])
    func theDocumentationOfEachFaultMatchesTheTests(_ fault: String) throws {
      var cells = try cells(fault)
      #expect(cells.count == 1 + Self.stages.count)
      let row = try #require(FaultTableTests.connectRows.first { $0.name.hasPrefix(fault) })
      #expect(cells.removeFirst() == cell(of: row))
      for (cell, stage) in zip(cells, Self.stages) {
        let row = try #require(tested(fault, stage))
        let exit = FaultTableTests.exitCodes[row.name] ?? 0
        let parts: [String] = row.order.compactMap {
          switch $0 {
          case "head": "head"
          case "body": "bytes"
          default: row.code.map { $0 == .timedOut(.idle) ? "`timedOut(.idle)`" : "`\($0)`" }
          }
        }
        let outcome = row.code == nil ? "the response" : parts.joined(separator: ", ")
        if fault == "garbage", stage == "body" {
          #expect(
            cell == "the bytes in place of body bytes, 0; in a chunked body `malformedResponse`, 56"
          )
        } else {
          #expect(cell == "\(outcome), \(exit)")
        }
      }
    }
  }

  /// Exchanges of the `curl` command with the server.
  @Suite(
    .serialized, .enabled(if: CurlTool.path != nil, "\(CurlTool.absence)"), .gated
  )
  struct CurlToolTests {
    @Test func aHundredMebibytesAreEchoed() async throws {
      let server = try MockServer { Route(.post, "/echo") { request in .data(request.body) } }
      let folder = TemporaryFolder()
      let (sent, received) = (folder.url("sent"), folder.url("back"))
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

  /// The `curl` command.
  enum CurlTool {
    /// The path of the command.
    ///
    /// `nil` if it is not installed.
    static let path = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let absence = "the curl tool is not on this machine: these tests are skipped"

    /// Runs the command without proxies until it exits.
    static func run(_ arguments: [String]) async throws -> ChildProcess.End {
      try await ChildProcess(
        path ?? "curl", ["--silent", "--noproxy", "*"] + arguments
      ).end
    }
  }
#endif
