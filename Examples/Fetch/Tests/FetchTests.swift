import Foundation
import Networking
import TestSupport
import Testing

@testable import fetch

@Suite struct ProgressBarTests {
  private let progress = Transfer.Progress(
    bytes: 12_600_000, total: 30_000_000, bytesPerSecond: 3_100_000)

  @Test func theBarFillsTheWidth() {
    #expect(
      ProgressBar(width: 80).line(progress)
        == " 42 % [#############                  ] 12.6 MB of 30.0 MB  3.1 MB/s  0:05 left")
    #expect(
      ProgressBar(width: 59).line(progress)
        == " 42 % [####      ] 12.6 MB of 30.0 MB  3.1 MB/s  0:05 left")
    #expect(
      ProgressBar(width: 58).line(progress)
        == " 42 % 12.6 MB of 30.0 MB  3.1 MB/s  0:05 left")
  }

  @Test func noLineIsAsWideAsTheTerminal() {
    for width in 1...200 {
      for bytes: Int64 in [0, 1, 12_600_000, 29_999_999, 30_000_000] {
        for total in [nil, 30_000_000] as [Int64?] {
          let progress = Transfer.Progress(bytes: bytes, total: total, bytesPerSecond: 1)
          #expect(ProgressBar(width: width).line(progress).count < width)
        }
      }
    }
  }

  @Test func theEndHasAFullBarAndNoTimeLeft() {
    let end = Transfer.Progress(bytes: 500, total: 500, bytesPerSecond: 0)
    #expect(ProgressBar(width: 40).line(end) == "100 % [################] 500 B of 500 B")
    let almost = Transfer.Progress(bytes: 999_999, total: 1_000_000)
    #expect(ProgressBar(width: 60).line(almost).hasPrefix(" 99 % ["))
  }

  @Test func withoutATotalThereIsNoBar() {
    let unknown = Transfer.Progress(bytes: 1_500, bytesPerSecond: 100)
    #expect(ProgressBar(width: 80).line(unknown) == "1.5 kB  100 B/s")
    #expect(ProgressBar.plainLine(unknown) == "1.5 kB  100 B/s")
    #expect(
      ProgressBar.plainLine(progress) == " 42 % 12.6 MB of 30.0 MB  3.1 MB/s  0:05 left")
  }

  @Test(arguments: [
    (0.0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (1.5e9, "1.5 GB"), (2e15, "2000.0 TB"),
  ])
  func sizesHaveDecimalUnits(_ bytes: Double, _ text: String) {
    #expect(ProgressBar.size(bytes) == text)
  }

  @Test(arguments: [
    (0, "0:00"), (59, "0:59"), (61, "1:01"), (3_600, "1:00:00"), (36_061, "10:01:01"),
  ])
  func timesHaveHoursIfNeeded(_ seconds: Int, _ text: String) {
    #expect(ProgressBar.time(.seconds(seconds)) == text)
  }
}

#if os(Linux) || os(macOS)
  /// Tests of the program as a child process, whose standard error is no terminal.
  @Suite(.timeLimit(.minutes(5))) struct FetchTests {
    private let folder = TemporaryFolder()
    private let film = Data.pattern(1_000_000)

    private func start(
      _ arguments: [String], signalAtFirstLine signal: Int32? = nil
    ) throws -> ChildProcess {
      // The program does not link ThreadSanitizerSupport.c, without which the thread sanitizer would report
      // each wait for a `Mutex` as a race.
      let environment = ProcessInfo.processInfo.environment
        .merging(["TSAN_OPTIONS": "report_bugs=0"]) { $1 }
      return try ChildProcess(
        BuiltProgram.url("fetch").path, arguments, environment: environment, folder: folder.url,
        signalAtFirstErrorLine: signal)
    }

    private func url(_ server: ScriptedServer) -> String {
      server.url().appending(path: "film.mov").absoluteString
    }

    private func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func aFileIsSavedUnderItsNameAndPlainLinesShowTheProgress() async throws {
      let server = try ScriptedServer { [film] _ in [.respond("200 OK", [], film)] }
      let end = try await start([url(server)]).end
      #expect(end.status == .exited(0))
      #expect(end.output.hasPrefix("saved ") && end.output.hasSuffix("film.mov, 1.0 MB\n"))
      #expect(try Data(contentsOf: folder.url("film.mov")) == film)
      #expect(try files() == ["film.mov"])
      let lines = end.errors.split(separator: "\n")
      #expect(lines.last?.hasPrefix("100 % 1.0 MB of 1.0 MB") == true)
      #expect(lines.count <= 10)
      #expect(!end.errors.utf8.contains(0x0D) && !end.errors.utf8.contains(0x1B))
    }

    @Test func theNameOfTheFileCanBeChosen() async throws {
      let server = try ScriptedServer { [film] _ in [.respond("200 OK", [], film)] }
      let end = try await start(["-o", "a/b.mov", url(server)]).end
      #expect(end.status == .exited(0))
      #expect(try Data(contentsOf: folder.url("a/b.mov")) == film)
    }

    @Test func aFailureIsPrintedAndLeavesNoFile() async throws {
      let server = try ScriptedServer { _ in [.respond("404 Not Found", [], Data("no".utf8))] }
      let end = try await start([url(server)]).end
      #expect(end.status == .exited(1))
      #expect(end.output.isEmpty)
      #expect(end.errors.hasPrefix("fetch: GET \(url(server)): the status 404 is not acceptable"))
      #expect(try files().isEmpty)
    }

    @Test(arguments: [
      [], ["ftp://a.example/b"], ["a.example"], ["http://a.example", "http://b.example"],
      ["--frobnicate", "http://a.example"], ["http://a.example", "-o"],
    ])
    func anInvalidCommandLineExitsWithStatus2(_ arguments: [String]) async throws {
      let end = try await start(arguments).end
      #expect(end.status == .exited(2))
      #expect(end.output.isEmpty)
      #expect(end.errors.hasPrefix("fetch: "))
      #expect(end.errors.hasSuffix("\nusage: fetch URL [-o FILE] [--resume]\n"))
    }

    @Test(arguments: [false, true])
    func controlCStopsTheDownloadAndAResumableOneContinues(_ isResumable: Bool) async throws {
      // The first response stops in the middle.
      let server = try ScriptedServer { [film] request in
        let fields = ["ETag: \"1\"", "Accept-Ranges: bytes"]
        guard let range = request.values(of: "Range").first,
          let start = Int(range.dropFirst("bytes=".count).dropLast())
        else {
          let head = ["HTTP/1.1 200 OK"] + fields + ["Content-Length: \(film.count)", "", ""]
          return [.text(head.joined(separator: "\r\n")), .send(film.prefix(500_000)), .stall]
        }
        let contentRange = "Content-Range: bytes \(start)-\(film.count - 1)/\(film.count)"
        return [.respond("206 Partial Content", fields + [contentRange], film.dropFirst(start))]
      }
      let arguments = [url(server)] + (isResumable ? ["--resume"] : [])
      let end = try await start(arguments, signalAtFirstLine: SIGINT).end
      #expect(end.status == .exited(130))
      #expect(
        end.errors.hasSuffix(
          isResumable ? "fetch: stopped; the same command continues\n" : "fetch: stopped\n"))
      guard isResumable else { return #expect(try files().isEmpty) }
      #expect(try !files().isEmpty && !files().contains("film.mov"))
      let next = try await start(arguments).end
      #expect(next.status == .exited(0))
      #expect(try Data(contentsOf: folder.url("film.mov")) == film)
      #expect(try files() == ["film.mov"])
      #expect(server.requests.entries.last?.values(of: "Range").isEmpty == false)
      #expect(server.requests.entries.count == 2)
    }
  }
#endif
