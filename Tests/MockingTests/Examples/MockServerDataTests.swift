#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// Tests of the file for items, and of replaced folders, with the `mock-server` program as a child
  /// process.
  @Suite(.serialized, .gated)
  struct MockServerDataTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url("stubs.json") }
    private var data: URL { folder.url("data.json") }
    private static let stubs = #"{"routes": [{"resource": "/items"}]}"#

    private func serve() async throws -> (ChildProcess, URL) {
      try Data(Self.stubs.utf8).write(to: file)
      let program = try Program.start(
        "mock-server", [file.path, "--port", "0", "--data", data.path, "--no-watch"])
      return (program, try await Program.address(of: program))
    }

    private func post(_ url: URL, _ body: String = "{}") async -> Int? {
      await PlatformTransport.make().perform(
        HTTPRequest(
          method: .post, url: url, headers: ["Content-Type": "application/json"],
          body: .data(Data(body.utf8)))
      ).head?.status
    }

    private func savedCount() throws -> Int {
      let resources = try JSON(parsing: Data(contentsOf: data))["resources"]
      return resources["/items"]["items"].array?.count ?? 0
    }

    @Test func itemsAfterAFailedReloadAreSaved() async throws {
      let (program, url) = try await serve()
      let items = url.appending(path: "items")
      #expect(
        await post(url.appending(path: "__mock/stubs"), #"{"id": "x", "path": "/x"}"#) == 201)
      let invalid = [
        // An identifier that the admin API has used, and a path of the admin API.
        #"{"routes": [{"id": "x", "path": "/y"}, {"resource": "/items"}]}"#,
        #"{"routes": [{"resource": "/__mock/items"}, {"resource": "/items"}]}"#,
        #"{"routes": [{"id": "y", "path": "/y"}, {"id": "y", "path": "/z"}]}"#,
      ]
      for (number, text) in invalid.enumerated() {
        try Data(text.utf8).write(to: file)
        program.signal(SIGHUP)
        var messages = 0
        for await line in program.errorLines where line.hasSuffix("the routes are unchanged") {
          messages += 1
          if messages > number { break }
        }
        #expect(await post(items) == 201)
      }
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
      #expect(try savedCount() == invalid.count)
    }

    @Test func aKilledProgramLosesAtMost20Changes() async throws {
      let (program, url) = try await serve()
      let count = TestSize.of(50, full: 2_000)
      for _ in 0..<count { #expect(await post(url.appending(path: "items")) == 201) }
      program.signal(SIGKILL)
      _ = await program.end
      #expect(try savedCount() >= count - 20)
    }

    @Test func aFileThatCannotBeWrittenIsReportedAndHasItsOwnStatus() async throws {
      // A program with a new file writes it soon after its start, one with this file after changes only.
      let (first, _) = try await serve()
      first.signal(SIGTERM)
      _ = await first.end
      let (program, url) = try await serve()
      try FileManager.default.removeItem(at: data)
      try FileManager.default.createDirectory(
        at: data.appending(path: "folder"), withIntermediateDirectories: true)
      #expect(await post(url.appending(path: "items")) == 201)
      let warning = try #require(await program.errorLines.first { _ in true })
      #expect(warning.hasPrefix("mock-server: warning: "))
      #expect(warning.contains("data.json: cannot be written: "))
      let info = await PlatformTransport.make().get(url.appending(path: "__mock/info"))
      let file = try JSON(parsing: info.body)["data"][0]
      #expect(file["unsaved"].int ?? 0 > 0)
      #expect(file["failure"].string?.contains("cannot be written") == true)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(4))
    }

    // MARK: Watched folders

    @Test func aFolderThatIsReplacedIsWatched() async throws {
      func text(_ count: Int) -> Data {
        let routes = (0..<count).map { #"{"path": "/\#($0)"}"# }
        return Data(#"{"routes": [\#(routes.joined(separator: ", "))]}"#.utf8)
      }
      func write(_ count: Int, to name: String) throws {
        let folder = folder.url(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text(count).write(to: folder.appending(path: "stubs.json"))
      }
      func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(at: folder.url(name), to: folder.url(other))
      }
      try write(1, to: "app/stubs")
      let file = folder.url("app/stubs/stubs.json")
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      _ = try await Program.address(of: program)
      func isRead(_ count: Int) async -> Bool {
        await program.lines.first { $0.hasSuffix("has changed: \(count) routes") } != nil
      }
      // The folder itself.
      try write(2, to: "app/new")
      try move("app/stubs", to: "app/old")
      try move("app/new", to: "app/stubs")
      #expect(await isRead(2))
      try write(3, to: "app/stubs")
      #expect(await isRead(3))
      // The folder above it.
      try write(4, to: "next/stubs")
      try move("app", to: "old")
      try move("next", to: "app")
      #expect(await isRead(4))
      // A folder that is removed and made again.
      try FileManager.default.removeItem(at: folder.url("app"))
      _ = await program.errorLines.first { $0.hasSuffix("the routes are unchanged") }
      try write(5, to: "app/stubs")
      #expect(await isRead(5))
      try write(6, to: "app/stubs")
      #expect(await isRead(6))
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    /// The names are links to files in a hidden folder, which another link names.
    @Test func theVersionsOfAVolumeOfKubernetesAreWatched() async throws {
      let files = FileManager.default
      func makeVersion(_ count: Int) throws {
        let version = folder.url("..\(count)")
        try files.createDirectory(at: version, withIntermediateDirectories: true)
        let routes = (0..<count).map { #"{"path": "/\#($0)", "file": "a.txt"}"# }
        try Data(#"{"routes": [\#(routes.joined(separator: ", "))]}"#.utf8)
          .write(to: version.appending(path: "stubs.json"))
        try Data("version \(count)".utf8).write(to: version.appending(path: "a.txt"))
        try files.createSymbolicLink(
          atPath: folder.url("..new").path, withDestinationPath: "..\(count)")
        try #require(rename(folder.url("..new").path, folder.url("..data").path) == 0)
      }
      try makeVersion(1)
      for name in ["stubs.json", "a.txt"] {
        try files.createSymbolicLink(
          atPath: folder.url(name).path, withDestinationPath: "..data/\(name)")
      }
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      let url = try await Program.address(of: program)
      for count in 2...3 {
        try makeVersion(count)
        try files.removeItem(at: folder.url("..\(count - 1)"))
        #expect(
          await program.lines.first { $0.hasSuffix("has changed: \(count) routes") } != nil)
        let record = await PlatformTransport.make().get(url.appending(path: "\(count - 1)"))
        #expect(String(decoding: record.body, as: UTF8.self) == "version \(count)")
      }
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }

    /// A new link has no content that is written, unlike a new file.
    @Test func aNewLinkIsNoticed() async throws {
      func makeRelease(_ count: Int) throws {
        let release = folder.url("release\(count)")
        try FileManager.default.createDirectory(at: release, withIntermediateDirectories: true)
        let routes = (0..<count).map { #"{"path": "/\#($0)"}"# }.joined(separator: ", ")
        try Data(#"{"routes": [\#(routes)]}"#.utf8).write(to: release.appending(path: "a.json"))
      }
      func link(_ count: Int) throws {
        try FileManager.default.createSymbolicLink(
          atPath: folder.url("current").path, withDestinationPath: "release\(count)")
      }
      for count in 1...2 { try makeRelease(count) }
      try link(1)
      let file = folder.url("current").appending(path: "a.json")
      let program = try Program.start("mock-server", [file.path, "--port", "0"])
      _ = try await Program.address(of: program)
      try FileManager.default.removeItem(at: folder.url("current"))
      #expect(
        await program.errorLines.first { $0.hasSuffix("the routes are unchanged") } != nil)
      try link(2)
      #expect(await program.lines.first { $0.hasSuffix("has changed: 2 routes") } != nil)
      program.signal(SIGTERM)
      #expect(await program.end.status == .exited(0))
    }
  }
#endif
