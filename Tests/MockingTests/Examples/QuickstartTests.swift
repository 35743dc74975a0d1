#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the `quickstart` program as a child process with its own environment.
  @Suite(.serialized, .gated)
  struct QuickstartTests {
    /// Returns an environment with a proxy for all URL schemes.
    private static func proxied(by url: URL) -> [String: String] {
      ["http_proxy": url.absoluteString, "all_proxy": url.absoluteString]
    }

    @Test func walksInEveryModeOverHTTPAndMocked() async throws {
      let program = try await Program.quickstart()
      #expect(program.status == .exited(0))
      #expect(program.errors.isEmpty)
      let lines = program.output.split(separator: "\n")
      let counts = lines.filter { $0.hasPrefix("  max concurrent ") }
        .map { $0.split(separator: " ").compactMap { Int($0) } }
      #expect(counts.count == 2)
      for count in counts {
        #expect(count.count == 3)
        #expect(count.first == 1)
        #expect(count.dropFirst().first.map { (1...3).contains($0) } == true)
        #expect(count.last.map { (1...6).contains($0) } == true)
      }
      #expect(lines.filter { $0.contains("6 x GET boards/{id}") }.count == 2)
      #expect(lines.last == "All 66 requests succeeded.")
    }

    @Test(arguments: [
      ["--frobnicate"], ["--url"], ["--url", "boards"], ["--serve", "x"], ["--help", "me"],
    ])
    func anInvalidCommandLinePrintsOneMessageAndExitsWithStatus2(arguments: [String]) async throws {
      let program = try await Program.quickstart(arguments)
      #expect(program.status == .exited(2))
      #expect(program.output.isEmpty)
      #expect(program.errors.hasPrefix("quickstart: "))
      #expect(program.errors.split(separator: "\n").count == 1)
    }

    @Test func theErrorNamesTheFailedStep() async throws {
      let server = try MockServer {
        Route(.post, "/login") { _ in .json(["token": "t"]) }
        Route(.get, "/boards") { _ in .status(503) }
      }
      let program = try await Program.quickstart(["--url", server.url.absoluteString])
      #expect(program.status == .exited(1))
      #expect(
        program.errors == """
          quickstart: with .sync, could not list the boards: GET \(server.url)/boards: \
          the status 503 is not acceptable

          """)
    }

    @Test func aRemoteHostIsReachedThroughTheProxyOfTheEnvironment() async throws {
      let proxy = try MockServer { Route(.post, "/login") { _ in .status(502) } }
      let program = try await Program.quickstart(
        ["--url", "http://boards.invalid"], environment: Self.proxied(by: proxy.url))
      #expect(program.status == .exited(1))
      #expect(proxy.receivedRequests.map(\.target) == ["http://boards.invalid/login"])
    }

    @Test func theLoopbackHostIsReachedWithoutTheProxyOfTheEnvironment() async throws {
      let proxy = try MockServer {}
      let program = try await Program.quickstart(environment: Self.proxied(by: proxy.url))
      #expect(program.status == .exited(0))
      #expect(proxy.connectionCount == 0)
    }
  }
#endif
