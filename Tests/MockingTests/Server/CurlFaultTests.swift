#if os(Linux)
  import Foundation
  import TestSupport
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
      let end = try await CurlTool.run(["--max-time", limit, "\(server.url)/"])
      #expect(end.status == .exited(FaultTableTests.exitCodes[row.name] ?? 0))
    }

    @Test(arguments: FaultTableTests.connectRows)
    func theToolEndsSoOnConnectToo(_ row: FaultTableTests.ConnectRow) async throws {
      let isTimed = row.code == .timedOut(.idle)
      for _ in 0..<(isTimed ? 1 : 20) {
        let server = try row.server()
        defer { server.stop() }
        let end = try await CurlTool.run(["--max-time", isTimed ? "0.5" : "50", "\(server.url)/"])
        #expect(end.status == .exited(row.exitCode))
      }
    }
  }

  /// The documentation of ``MockFault`` has the table that is tested.
  struct FaultDocumentationTests {
    private static let stages = ["request", "head", "body", "end"]
    private static let variants = ["request", "head 8", "body 3", "end", "head", "body"]

    /// The cells of a fault's line.
    private func cells(_ fault: String) throws -> [String] {
      let file = URL(fileURLWithPath: #filePath).appending(
        path: "../../../../Sources/Mocking/Mocks/MockFault.swift"
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

    private func cell(of row: FaultTableTests.ConnectRow) -> String {
      let code = row.code == .timedOut(.idle) ? "timedOut(.idle)" : "\(row.code)"
      return "`\(code)`, \(row.exitCode)"
    }

    @Test func theLineOfRefusedConnectionsSaysWhatIsTested() throws {
      let row = try #require(FaultTableTests.connectRows.first { $0.fault == nil })
      #expect(try cells("MockServer/refuseConnections()").first == cell(of: row))
    }

    @Test(arguments: ["close", "reset", "stall", "garbage", "malformedChunk"])
    func aLineSaysWhatIsTested(_ fault: String) throws {
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
            cell == "the bytes in the body's place, 0; in a chunked one `malformedResponse`, 56")
        } else {
          #expect(cell == "\(outcome), \(exit)")
        }
      }
    }
  }
#endif
