#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the admin API of the `mock-server` program as a child process.
  @Suite(.serialized, .gated)
  struct MockServerAdminTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("boards.json") }

    /// Starts the program with a file.
    private func serve(
      _ text: String, _ arguments: String...
    ) async throws -> (ChildProcess, URL) {
      try Data(text.utf8).write(to: file)
      let program = try Program.start("mock-server", [file.path, "--port", "0"] + arguments)
      let line = try #require(await program.lines.first { $0.contains("http://127.0.0.1:") })
      let address = try #require(line.split(separator: "at ").last)
      return (program, try #require(URL(string: String(address))))
    }

    @Test func theAdminAPIKeepsItsStubsAndEndsTheProgram() async throws {
      let (program, url) = try await serve(
        #"{"routes": [{"path": "/boards"}]}"#, "--allow-shutdown")
      func send(_ path: String, _ body: String) async -> Int? {
        await PlatformTransport.make().perform(
          HTTPRequest(
            method: .post, url: url.appending(path: "__mock/\(path)"),
            headers: ["Content-Type": "application/json"], body: .data(Data(body.utf8)))
        ).head?.status
      }
      #expect(await send("stubs", #"{"path": "/added", "text": "added"}"#) == 201)
      try Data(#"{"routes": [{"path": "/new"}]}"#.utf8).write(to: file, options: .atomic)
      #expect(
        await program.lines.first { $0.contains("has changed") }
          == "\(file.path) has changed: 1 route, and 1 route of the admin API")
      let added = await PlatformTransport.make().get(url.appending(path: "added"))
      #expect(added.body == Data("added".utf8))
      let info = await PlatformTransport.make().get(url.appending(path: "__mock/info"))
      let properties = try JSON(parsing: info.body)
      #expect(properties["name"] == "mock-server")
      #expect(properties["files"] == [.string(file.path)])
      let instance = try #require(properties["instance"].string)
      #expect(await send("shutdown", #"{"instance": "\#(instance)"}"#) == 202)
      #expect(await program.end.status == .exited(0))
      #expect(await program.end.lines.last == "1 request")
    }

    @Test func aServerWithExitOnEOFStopsWhenItsInputEnds() async throws {
      try Data(#"{"routes": [{"path": "/boards"}]}"#.utf8).write(to: file)
      let arguments = [file.path, "--port", "0", "--exit-on-eof"]
      let program = try Program.start("mock-server", arguments, input: .open)
      let url = try await Program.address(of: program)
      program.send(Data("ignored\n".utf8))
      #expect(await PlatformTransport.make().get(url.appending(path: "boards")).head?.status == 200)
      program.closeInput()
      #expect(await program.end.status == .exited(0))
      #expect(await program.end.lines.last == "1 request")
    }

    @Test func aFileWithAPathOfTheAdminAPIIsServedOnlyWithoutTheAPI() async throws {
      let text = #"{"routes": [{"path": "/__mock/a", "text": "route"}]}"#
      try Data(text.utf8).write(to: file)
      let end = try await Program.mockServer([file.path, "--port", "0"])
      #expect(end.status == .exited(1))
      #expect(end.errors.hasPrefix("mock-server: \(file.path):1:13: "))
      #expect(end.errors.contains("--no-admin"))
      let (program, url) = try await serve(text, "--no-admin")
      #expect(
        await PlatformTransport.make().get(url.appending(path: "__mock/a")).body
          == Data("route".utf8))
      program.signal(SIGINT)
      #expect(await program.end.lines.allSatisfy { !$0.hasPrefix("inspector") })
    }

    @Test func aProgramThatOthersCanReachPrintsItsTokenOnce() async throws {
      let (program, url) = try await serve(
        #"{"routes": [{"path": "/boards"}]}"#, "--host", "0.0.0.0", "--quiet")
      let line = try #require(await program.lines.first { $0.hasPrefix("inspector at ") })
      let token = try #require(line.split(separator: "?token=").last)
      #expect(token.count == 32)
      let stubs = url.appending(path: "__mock/stubs")
      #expect(await PlatformTransport.make().get(stubs).head?.status == 401)
      let headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
      let allowed = await PlatformTransport.make().perform(
        HTTPRequest(url: stubs, headers: headers))
      #expect(allowed.head?.status == 200)
      program.signal(SIGINT)
      let end = await program.end
      #expect(end.output.split(separator: token).count == 2)
      #expect(!end.errors.contains(token))
    }
  }
#endif
