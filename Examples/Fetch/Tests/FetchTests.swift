import Foundation
import Mocking
import NetworkingTransfers
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
  @Suite(.timeLimit(.minutes(5))) final class FetchTests {
    /// Bytes in which a missing, duplicated or misplaced part is detectable.
    private static let film = Data((0..<1_000_000).map { UInt8($0 % 251) })

    /// The folder of the server's files.
    private let served: URL
    /// The working directory of the program.
    private let folder: URL

    init() throws {
      let parent = FileManager.default.temporaryDirectory.appending(path: "fetch-\(UUID())")
      (served, folder) = (parent.appending(path: "served"), parent.appending(path: "folder"))
      for url in [served, folder] {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      }
      try Self.film.write(to: served.appending(path: "film.mov"))
    }

    deinit {
      try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    }

    private func run(
      _ arguments: [String], interruptedAtFirstLine isInterrupted: Bool = false
    ) async throws -> ProgramRun {
      try await ProgramRun(
        "fetch", arguments, in: folder, interruptedAtFirstErrorLine: isInterrupted)
    }

    /// Starts a server with a response to each request for the film.
    private func server(_ film: Mock) throws -> MockServer {
      try MockServer { Route(.get, "/film.mov", film) }
    }

    private func url(_ server: MockServer) -> String {
      server.url.appending(path: "film.mov").absoluteString
    }

    private func data(_ name: String) throws -> Data {
      try Data(contentsOf: folder.appending(path: name))
    }

    private func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func aFileIsSavedUnderItsNameAndPlainLinesShowTheProgress() async throws {
      let server = try server(.data(Self.film))
      defer { server.stop() }
      let end = try await run([url(server)])
      #expect(end.status == .exited(0))
      #expect(end.output.hasPrefix("saved ") && end.output.hasSuffix("film.mov, 1.0 MB\n"))
      #expect(try data("film.mov") == Self.film)
      #expect(try files() == ["film.mov"])
      let lines = end.errors.split(separator: "\n")
      #expect(lines.last?.hasPrefix("100 % 1.0 MB of 1.0 MB") == true)
      #expect(lines.count <= 10)
      #expect(!end.errors.utf8.contains(0x0D) && !end.errors.utf8.contains(0x1B))
    }

    @Test func theNameOfTheFileCanBeChosen() async throws {
      let server = try server(.data(Self.film))
      defer { server.stop() }
      let end = try await run(["-o", "a/b.mov", url(server)])
      #expect(end.status == .exited(0))
      #expect(try data("a/b.mov") == Self.film)
    }

    @Test func aFailureIsPrintedAndLeavesNoFile() async throws {
      let server = try server(.text("no", status: 404))
      defer { server.stop() }
      let end = try await run([url(server)])
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
      let end = try await run(arguments)
      #expect(end.status == .exited(2))
      #expect(end.output.isEmpty)
      #expect(end.errors.hasPrefix("fetch: "))
      #expect(end.errors.hasSuffix("\nusage: fetch URL [-o FILE] [--resume]\n"))
    }

    @Test(arguments: [false, true])
    func controlCStopsTheDownloadAndAResumableOneContinues(_ isResumable: Bool) async throws {
      // The first response stops in the middle. A file has an entity tag, and its server sends ranges.
      let film = Mock.file("film.mov", in: served)
      let server = try server(
        .sequence(film.interrupted(by: .stall, at: .body(afterBytes: 500_000)), film))
      defer { server.stop() }
      let arguments = [url(server)] + (isResumable ? ["--resume"] : [])
      let end = try await run(arguments, interruptedAtFirstLine: true)
      #expect(end.status == .exited(130))
      #expect(
        end.errors.hasSuffix(
          isResumable ? "fetch: stopped; the same command continues\n" : "fetch: stopped\n"))
      guard isResumable else { return #expect(try files().isEmpty) }
      #expect(try !files().isEmpty && !files().contains("film.mov"))
      let next = try await run(arguments)
      #expect(next.status == .exited(0))
      #expect(try data("film.mov") == Self.film)
      #expect(try files() == ["film.mov"])
      #expect(server.receivedRequests.last?.headers["Range"] != nil)
      #expect(server.receivedRequests.count == 2)
    }
  }

  /// A finished run of a program of this package.
  private struct ProgramRun {
    enum Status: Hashable {
      case exited(Int32)
      case terminated(signal: Int32)
    }

    let status: Status
    let output: String
    let errors: String

    /// Runs a program until it exits.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - arguments: The arguments after its name.
    ///   - folder: The working directory.
    ///   - isInterrupted: Whether it receives the signal of Ctrl-C when its first line on the standard
    ///     error is complete.
    /// - Throws: An error if the program cannot be started.
    init(
      _ name: String, _ arguments: [String], in folder: URL,
      interruptedAtFirstErrorLine isInterrupted: Bool
    ) async throws {
      let process = Process()
      process.executableURL = Self.productFolder.appending(path: name)
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      let (outputPipe, errorPipe) = (Pipe(), Pipe())
      process.standardOutput = outputPipe
      process.standardError = errorPipe
      // Each stream has a buffer, so it does not matter which one is read first.
      let (outputPieces, errorPieces) = (Self.pieces(outputPipe), Self.pieces(errorPipe))
      let (exits, exit) = AsyncStream.makeStream(of: Status.self)
      process.terminationHandler = { process in
        let isExit = process.terminationReason == .exit
        let number = process.terminationStatus
        exit.yield(isExit ? .exited(number) : .terminated(signal: number))
        exit.finish()
      }
      try process.run()
      let identifier = process.processIdentifier

      // The time limit of the suite cancels.
      (status, output, errors) = try await withTaskCancellationHandler {
        var (output, errors, mustInterrupt) = (Data(), Data(), isInterrupted)
        for await piece in errorPieces {
          errors += piece
          if mustInterrupt, piece.contains(UInt8(ascii: "\n")) {
            mustInterrupt = false
            process.interrupt()
          }
        }
        for await piece in outputPieces { output += piece }
        let status = try #require(await exits.first { _ in true })
        return (
          status, String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self)
        )
      } onCancel: {
        kill(identifier, SIGKILL)
      }
    }

    /// Reads a pipe on a thread of its own until all its writers have closed it.
    ///
    /// On Linux, a `readabilityHandler` misses the end of a pipe that is closed before its last data
    /// is read.
    private static func pieces(_ pipe: Pipe) -> AsyncStream<Data> {
      let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
      Thread.detachNewThread {
        while true {
          let piece = pipe.fileHandleForReading.availableData
          if piece.isEmpty { break }
          continuation.yield(piece)
        }
        continuation.finish()
      }
      return pieces
    }

    /// The folder with the built programs, which is that of the tests.
    private static var productFolder: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return Bundle.main.bundleURL
    }
  }
#endif
