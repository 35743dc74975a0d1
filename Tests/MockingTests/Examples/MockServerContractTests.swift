#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Mocking

  /// The check of forwarded exchanges by the program `mock-server`.
  @Suite(.gated)
  struct MockServerContractTests {
    private let folder = TemporaryFolder()

    /// Runs the program before a server that responds with a pet.
    private func run(pet: String, _ options: String...) async throws -> ChildProcess.End {
      let origin = try MockServer {
        Route(.get, "/v1/pets/7", .data(Data(pet.utf8), contentType: "application/json"))
      }
      let contract = folder.url("api.yaml")
      try Data(ContractFixture.pets.utf8).write(to: contract)
      let program = try Program.start(
        "mock-server",
        ["--proxy", "\(origin.url)", "--check", contract.path, "--port=0"] + options)
      let line = try #require(await program.lines.first { $0.contains("http://127.0.0.1:") })
      let address = line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+(?=$|"})/)?.output
      let url = try #require(address.flatMap { URL(string: String($0)) })
      _ = await URLSessionTransport().get(url.appending(path: "v1/pets/7"))
      program.signal(SIGINT)
      return await program.end
    }

    @Test func aServerThatKeepsItsContractHasTheStatus0() async throws {
      let report = folder.url("report.json")
      let end = try await run(pet: #"{"id":7,"name":"Tom"}"#, "--report", report.path)
      #expect(end.status == .exited(0))
      let json = try JSON(parsing: Data(contentsOf: report))
      #expect(json["kept"] == true && json["exchanges"] == 1)
    }

    @Test func aServerThatDoesNotHasTheStatus5AndAReport() async throws {
      let report = folder.url("report.xml")
      let end = try await run(pet: #"{"id":7,"name":null}"#, "--report", report.path)
      #expect(end.status == .exited(5))
      let violation =
        "GET /pets/{id} (getPet): response 200: /name: expected a string, found null; GET /v1/pets/7"
      #expect(end.lines.contains("  violation: \(violation)"))
      #expect(
        end.lines.contains {
          $0
            == "Pets 2: 1 exchange, 1 violation, 0 undocumented requests, 4 of 5 operations not exercised"
        })
      let junit = try String(contentsOf: report, encoding: .utf8)
      #expect(junit.contains("<failure message=\"GET /pets/{id} (getPet): response 200: /name"))
    }

    @Test func theOutputCanBeJSON() async throws {
      let end = try await run(pet: #"{"id":7,"name":null}"#, "--json")
      let events = end.lines.compactMap { try? JSON(parsing: Data($0.utf8)) }
      #expect(events.first { $0["event"] == "violation" }?["violation"]["pointer"] == "/name")
      #expect(events.first { $0["event"] == "report" }?["report"]["kept"] == false)
    }
  }
#endif
