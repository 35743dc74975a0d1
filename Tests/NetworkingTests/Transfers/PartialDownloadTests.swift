import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingTransfers

/// The hidden files of transfers in a folder that others can write to, and states with any numbers.
@Suite(.gated)
struct PartialDownloadTests {
  private let folder = TemporaryFolder()
  private let content = Data.pattern(600_000)

  private var target: URL { folder.url("film") }

  // MARK: Numbers

  private static func state(
    total: Int64?, _ segments: [PartialDownload.Segment],
    _ validator: StrongValidator = .entityTag("\"one\"")
  ) -> PartialDownload.Content {
    PartialDownload.Content(
      resource: HiddenFile.checksum("http://films.example/film"), validator: validator,
      total: total, segments: segments)
  }

  @Test(arguments: [
    state(total: nil, [.init(start: 0, received: .max)]),
    state(total: .max, [.init(start: 0, end: .max, received: .max)]),
    state(total: 10, [.init(start: 0, end: 4, received: 4), .init(start: 4, end: 10)]),
    state(total: 0, [.init(start: 0, end: 0)]),
  ])
  func aStateWithRangesThatCoverTheFileIsValid(_ state: PartialDownload.Content) {
    #expect(state.isValid)
  }

  @Test(arguments: [
    state(total: nil, []), state(total: nil, [.init(start: 0, end: 5)]),
    state(total: 5, [.init(start: 0)]), state(total: -1, [.init(start: 0, end: -1)]),
    state(total: nil, [.init(start: 0), .init(start: .max)]),
    state(total: nil, [.init(start: 0), .init(start: .max, received: 1)]),
    state(total: .max, [.init(start: 0, end: .max), .init(start: .max, end: .max, received: 1)]),
    state(total: 5, [.init(start: 0, end: .min, received: .max), .init(start: .min, end: 5)]),
    state(total: 5, [.init(start: 0, end: 5, received: .min)]),
    state(total: 5, [.init(start: 1, end: 5)]), state(total: 6, [.init(start: 0, end: 5)]),
    state(total: nil, [.init(start: 0, end: .max), .init(start: .max, received: 1)]),
    state(total: 5, [.init(start: 0, end: 5)], .entityTag("\"a\r\nb: c\"")),
    state(total: 5, [.init(start: 0, end: 5)], .entityTag("W/\"a\"")),
    state(total: 5, [.init(start: 0, end: 5)], .lastModified("Sun\n")),
  ])
  func aStateWithOtherRangesIsNot(_ state: PartialDownload.Content) {
    #expect(!state.isValid)
  }

  @Test func aStateWithNumbersThatOverflowIsIgnored() async throws {
    let server = RangeServer(content)
    let state = Self.state(
      total: .max, [.init(start: 0, end: .max), .init(start: .max, end: .max, received: 1)])
    _ = try folder.file(".film.download", "x")
    try HiddenFile.write(state, to: folder.url(".film.download.json").path)
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aBodyThatIsLongerThanARangeAtTheLargestPositionIsAnError() async throws {
    let start = Int64.max - 10
    let state = Self.state(
      total: .max, [.init(start: 0, end: start), .init(start: start, end: .max)])
    _ = try folder.file(".film.download", "x")
    try HiddenFile.write(state, to: folder.url(".film.download.json").path)
    let last = Int64.max - 1
    let transport = FakeTransport { request in
      // The other range hangs.
      guard request.headers["Range"] == "bytes=\(start)-\(last)" else { return [] }
      return .response(
        206, ["ETag": "\"one\"", "Content-Range": "bytes \(start)-\(last)/\(Int64.max)"],
        String(repeating: "x", count: 100))
    }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.baseURL = .of("http://films.example/")
    let result = await client.transfer(
      .get("film"), to: target, connections: 2
    ).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .malformedResponse)
    #expect(folder.names == [])
  }

  // MARK: Other users

  /// Downloads the first half of the file.
  private func downloadHalf(from server: RangeServer) async {
    _ = await server.client().transfer(.get("film"), to: target).response.result
    #expect(folder.names == [".film.download", ".film.download.json"])
  }

  /// As by a backup, or by a tool that links equal files.
  @Test(arguments: [".film.download", ".film.download.json"])
  func aFileThatGetsAnotherNameIsContinuedInACopy(_ name: String) async throws {
    let server = RangeServer(content, .lose(after: 300_000), .lose(after: 100_000))
    await downloadHalf(from: server)
    for number in 0..<2 {
      let other = folder.url("other\(number)")
      #expect(link(folder.url(name).path, other.path) == 0)
      let bytes = try Data(contentsOf: other)
      _ = await server.client().transfer(.get("film"), to: target).response.result
      #expect(try Data(contentsOf: other) == bytes)
    }
    #expect(server.ranges == [nil, "bytes=300000-", "bytes=400000-"])
    #expect(try Data(contentsOf: target) == content)
    #expect(folder.names == ["film", "other0", "other1"])
  }

  /// As by a hard link of another user to a file of this user, at the path of the partial file.
  @Test func anotherFileWithTheNameOfThePartialFileIsNotChanged() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    await downloadHalf(from: server)
    let other = try folder.file("other", String(repeating: "x", count: 300_000))
    let partial = folder.url(".film.download").path
    #expect(unlink(partial) == 0 && link(other.path, partial) == 0)
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, nil])
    #expect(try Data(contentsOf: target) == content)
    #expect(try Data(contentsOf: other) == Data(repeating: UInt8(ascii: "x"), count: 300_000))
    #expect(folder.names == ["film", "other"])
  }

  @Test(
    .enabled(if: ForeignFiles.canBeMade, "only root can give files away"),
    arguments: [".film.download", ".film.download.json"])
  func aFileOfAnotherUserIsReplaced(_ name: String) async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    await downloadHalf(from: server)
    #expect(ForeignFiles.give(folder.url(name)))
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, nil])
    #expect(try Data(contentsOf: target) == content)
    let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
    #expect(attributes[.ownerAccountID] as? Int == 0)
  }

  @Test func aFileThatMustBeNewIsNotOpenedIfItExists() throws {
    let file = try folder.file("part", "text")
    let error = #expect(throws: NetworkError.self) {
      try OwnFile(file.path, creating: 0o600, isNew: true)
    }
    #expect(error?.code == .fileNotWritten)
    #expect(try String(contentsOf: file, encoding: .utf8) == "text")
    _ = try OwnFile(folder.url("new").path, creating: 0o600, isNew: true)
  }

  @Test func aFolderWithTheNameOfTheCopyIsKept() throws {
    let path = try folder.file("part", "text").path
    let inner = folder.url("part.new/inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    let file = try OwnFile(path, creating: 0o600)
    let error = #expect(throws: NetworkError.self) {
      try file.replaced(at: path, copying: true)
    }
    #expect(error?.code == .fileNotWritten)
    #expect(FileManager.default.fileExists(atPath: inner.path))
    try FileManager.default.removeItem(at: folder.url("part.new"))
    let copy = try file.replaced(at: path, copying: true)
    let empty = try copy.replaced(at: path, copying: false)
    #expect(try copy.read(9, at: 0) == Data("text".utf8))
    #expect(try empty.read(9, at: 0).isEmpty)
    #expect(folder.names == ["part"])
  }

  @Test func aStateIsNotWrittenToAFileThatExists() throws {
    let other = try folder.file("other", "text")
    let path = folder.url("state").path
    #expect(link(other.path, "\(path).new") == 0)
    try HiddenFile.write(["a": 1], to: path)
    #expect(try HiddenFile.read([String: Int].self, from: path) == ["a": 1])
    #expect(try String(contentsOf: other, encoding: .utf8) == "text")
    #expect(folder.names == ["other", "state"])
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process without root privileges, because root ignores permissions.
    @Test func aStateThatCannotBeReadNowIsKept() async {
      await #expect(processExitsWith: .success) {
        _ = seteuid(65_534)
        let folder = TemporaryFolder()
        let server = RangeServer(Data.pattern(600_000), .lose(after: 300_000))
        let target = folder.url("film")
        let client = server.client()
        _ = await client.transfer(.get("film"), to: target).response.result
        let state = folder.url(".film.download.json").path
        #expect(chmod(state, 0) == 0)
        let result = await client.transfer(.get("film"), to: target)
          .response.result
        #expect(result.failure(as: NetworkError.self)?.code == .fileNotWritten)
        #expect(chmod(state, 0o600) == 0)
        _ = try await client.transfer(.get("film"), to: target).value
        #expect(server.ranges == [nil, "bytes=300000-"])
      }
    }
  #endif
}
