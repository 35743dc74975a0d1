#if os(Linux)
  import Foundation
  import Testing

  @testable import Mocking

  /// What each fault comes to for the `curl` of the command line, and in the documentation.
  @Suite(
    .serialized, .enabled(if: CurlTool.path != nil, "\(CurlTool.absence)"), .timeLimit(.minutes(10))
  )
  struct CurlFaultTests {
    @Test(arguments: FaultTableTests.rows)
    func theToolEndsWithTheExitCodeOfTheTable(_ row: FaultTableTests.Row) async throws {
      let server = try MockServer { Route(.get, "/") { _ in row.mock } }
      defer { server.stop() }
      let limit = row.code == .timedOut(.idle) ? "0.2" : "50"
      let code = try await CurlTool.run(["--max-time", limit, "\(server.url)/"]).code
      #expect(code == FaultTableTests.exitCodes[row.name] ?? 0)
    }
  }

  /// The documentation of ``MockFault`` has the table that is tested.
  struct FaultDocumentationTests {
    private static let stages = ["request", "head", "body", "end"]
    private static let variants = ["request", "head 8", "body 3", "end", "head", "body"]

    /// The cells of a fault's line.
    private func cells(_ fault: String) throws -> [String] {
      let file = URL(fileURLWithPath: #filePath).appending(
        path: "../../../../Sources/Mocking/Stubs/MockFault.swift"
      ).standardized
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

    @Test(arguments: ["close", "reset", "stall", "garbage", "malformedChunk"])
    func aLineSaysWhatIsTested(_ fault: String) throws {
      let cells = try cells(fault)
      #expect(cells.count == Self.stages.count)
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
            cell == "the bytes in the body's place, 0; in a chunked one `malformedResponse`, 56")
        } else {
          #expect(cell == "\(outcome), \(exit)")
        }
      }
    }
  }
#endif
