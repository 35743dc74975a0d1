#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the options `--verify`, `--junit` and `--fault`.
  @Suite(.gated)
  struct MockServerVerificationTests {
    private let folder = TemporaryFolder()

    /// Starts the program with a stub file and a file of verifications.
    private func serve(_ verifications: String, _ options: String...) async throws -> (
      ChildProcess, URL
    ) {
      let (stubs, expected) = (folder.url("stubs.json"), folder.url("expected.json"))
      let routes = #"{"routes": [{"method": "POST", "path": "/orders", "status": 201}]}"#
      try Data(routes.utf8).write(to: stubs)
      try Data(verifications.utf8).write(to: expected)
      let program = try Program.start(
        "mock-server",
        [stubs.path, "--port", "0", "--quiet", "--verify", expected.path] + options)
      return (program, try await Program.address(of: program))
    }

    private static let verifications = """
      [{"name": "one <order>", "method": "POST", "path": "/orders", "times": 1},
       {"path": "/carts", "atLeast": 1}]
      """

    @Test func aFailedVerificationEndsTheProgramWithStatus5AndIsInTheReport() async throws {
      let report = folder.url("new/reports/report.xml")
      let (program, url) = try await serve(Self.verifications, "--junit", report.path)
      let transport = PlatformTransport.make()
      let order = HTTPRequest(method: .post, url: url.appending(path: "orders"))
      #expect(await transport.perform(order).head?.status == 201)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(5))
      let lines = await program.end.lines
      #expect(!lines.contains { $0.contains("one <order>") })
      #expect(lines.contains { $0.hasPrefix("failed: at least 1") && $0.contains("/carts") })
      let text = try String(contentsOf: report, encoding: .utf8)
      #expect(text.contains(#"<testsuites tests="2" failures="1" errors="0" skipped="0">"#))
      #expect(text.contains(#"name="one &lt;order&gt;"/>"#))
      #expect(text.contains("<failure message=\"expected at least 1"))
    }

    @Test func aReportThatCannotBeWrittenIsAnErrorAtTheStart() async throws {
      let (stubs, expected) = (folder.url("stubs.json"), folder.url("expected.json"))
      try Data(#"{"routes": [{"path": "/a"}]}"#.utf8).write(to: stubs)
      try Data(Self.verifications.utf8).write(to: expected)
      for (report, problem) in [
        (folder.url.path, "Is a directory"), (stubs.path + "/report.xml", "File exists"),
      ] {
        let program = try await Program.mockServer([
          stubs.path, "--port", "0", "--verify", expected.path, "--junit", report,
        ])
        #expect(program.status == .exited(1))
        #expect(program.errors == "mock-server: \(report): cannot be written: \(problem)\n")
      }
    }

    @Test func anInvalidFileOfVerificationsIsAnErrorAtTheStart() async throws {
      let (stubs, expected) = (folder.url("stubs.json"), folder.url("expected.json"))
      try Data(#"{"routes": [{"path": "/a"}]}"#.utf8).write(to: stubs)
      try Data(#"[{"path": "/a", "time": 1}]"#.utf8).write(to: expected)
      let program = try await Program.mockServer([
        stubs.path, "--port", "0", "--verify", expected.path,
      ])
      #expect(program.status == .exited(1))
      #expect(
        program.errors.hasPrefix(
          "mock-server: \(expected.path):1:17: [0].time: unknown key \"time\"; did you mean \"times\"?"
        ))
    }

    @Test func aFaultBreaksTheResponses() async throws {
      let (program, url) = try await serve("[]", "--fault", "close")
      let order = HTTPRequest(method: .post, url: url.appending(path: "orders"))
      let failure = await PlatformTransport.make().perform(order).failure
      #expect(failure?.code == .connectionLost)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    @Test func completionsArePrinted() async throws {
      let program = try await Program.mockServer(["completions", "fish"])
      #expect(program.status == .exited(0))
      #expect(program.output.hasPrefix("# Completions of mock-server for fish.\n"))
    }
  }
#endif
