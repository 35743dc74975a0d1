import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking
@testable import NetworkingTransfers

/// The files, the digests and the connections of downloads that continue.
@Suite(.gated)
struct DownloadTransferFileTests {
  private let folder = TemporaryFolder()
  private let content = Data.pattern(600_000)
  /// The SHA-256 of `abc`, from FIPS 180-4.
  private let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  private var target: URL { folder.url("film") }

  @Test func aSecondTransferOfTheSameTargetFailsUntilTheFirstEnds() async throws {
    let server = RangeServer(content, .hang(after: 300_000))
    let client = server.client()
    let first = client.transfer(.get("film"), to: target)
    for await progress in first.progress where progress.bytes > 0 { break }
    let second = await client.transfer(.get("film"), to: target).response.result
    #expect(second.failure(as: NetworkError.self)?.code == .transferInProgress)
    await #expect(throws: NetworkError.self) {
      try await Transfer.removePartialDownload(of: target)
    }
    first.cancel()
    #expect(await first.response.result.error is CancellationError)
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process, so that open files can be counted.
    @Test func aFileWhoseLeaseIsTakenIsClosed() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = folder.url("film").path
        let lease = try #require(try FileLease(taking: path))
        let count = ProcessResources.openFiles
        for _ in 0..<10 {
          #expect(throws: NetworkError.self) { try FileLease.ofTransfer(path) }
        }
        #expect(ProcessResources.openFiles == count)
        withExtendedLifetime(lease) {}
      }
    }
  #endif

  @Test(arguments: 0..<20)
  func thePartialFilesCanBeRemovedRightAfterACancellation(_: Int) async throws {
    let server = RangeServer(content, .hang(after: 300_000))
    let client = server.client()
    let first = client.transfer(.get("film"), to: target)
    for await progress in first.progress where progress.bytes > 0 { break }
    first.cancel()
    try await Transfer.removePartialDownload(of: target)
    #expect(folder.names == [])
    let second = try await client.transfer(.get("film"), to: target).value
    #expect(second.status == 200)
    #expect(server.ranges == [nil, nil])
    #expect(folder.names == ["film"])
  }

  @Test func aCancelledDownloadKeepsItsBytesForTheNext() async throws {
    let server = RangeServer(content, .hang(after: 300_000))
    let client = server.client()
    let first = client.transfer(.get("film"), to: target)
    for await progress in first.progress where progress.bytes == 300_000 { break }
    first.cancel()
    let last = try await client.transfer(.get("film"), to: target).value
    #expect(last.status == 206)
    #expect(server.ranges.last == "bytes=300000-")
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aFileThatMustNotBeReplacedIsKeptAndNothingIsSent() async throws {
    let server = RangeServer(content)
    try Data("old".utf8).write(to: target)
    let result = await server.client()
      .transfer(.get("film"), to: target, replacing: false).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(server.transport.requests.isEmpty && folder.names == ["film"])
  }

  @Test func aNameOfTheMaximumLengthHasAPartialFile() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    let target = folder.url(String(repeating: "é", count: 127))
    let client = server.client()
    _ = await client.transfer(.get("film"), to: target).response.result
    #expect(folder.names.count == 2 && folder.names.allSatisfy { $0.utf8.count <= 255 })
    _ = try await client.transfer(.get("film"), to: target).value
    #expect(folder.names == [target.lastPathComponent])
    #expect(server.ranges == [nil, "bytes=300000-"])
  }

  @Test(arguments: [
    "", "{}", "null",
    #"{"version":1,"resource":"","segments":[],"validator":{"entityTag":{"_0":"\"one\""}}}"#,
    #"{"version":2,"resource":"x","segments":[{"start":0,"received":9}],"validator":{"entityTag":{"_0":"\"one\""}}}"#,
  ])
  func aStateThatIsNotValidIsIgnored(_ state: String) async throws {
    let server = RangeServer(content)
    _ = try folder.file(".film.download", Data(repeating: 0x78, count: 1_000))
    _ = try folder.file(".film.download.json", state)
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil])
    #expect(try Data(contentsOf: target) == content)
    #expect(folder.names == ["film"])
  }

  // MARK: Digests

  @Test func theDigestOfTheCallerIsCompared() async throws {
    let server = RangeServer(Data("abc".utf8))
    _ = try await server.client()
      .transfer(.get("film"), to: target, sha256: digest.uppercased()).value
    #expect(try Data(contentsOf: target) == Data("abc".utf8))
    let other = await RangeServer(Data("abd".utf8)).client()
      .transfer(.get("film"), to: folder.url("other"), sha256: digest)
      .response.result
    #expect(other.failure(as: NetworkError.self)?.code == .digestMismatch)
    #expect(folder.names == ["film"])
  }

  @Test(arguments: [
    "", "abc", String(repeating: "g", count: 64), String(repeating: "0", count: 63),
  ])
  func aTextThatIsNoDigestIsAnErrorBeforeTheRequest(_ text: String) async throws {
    let server = RangeServer(content)
    let result = await server.client()
      .transfer(.get("film"), to: target, sha256: text).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
    #expect(server.transport.requests.isEmpty && folder.names == [])
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"])
  func theDigestOfTheServerIsCompared(_ name: String) async throws {
    let value = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
    var fields: HTTPHeaders = ["ETag": "\"one\""]
    fields[name] = value
    _ = try await RangeServer(Data("abc".utf8), fields: fields).client()
      .transfer(.get("film"), to: target).value
    let wrong = await RangeServer(Data("abd".utf8), fields: fields).client()
      .transfer(.get("film"), to: folder.url("other")).response.result
    #expect(wrong.failure(as: NetworkError.self)?.code == .digestMismatch)
    #expect(folder.names == ["film"])
  }

  /// The digest is that of the part, `abc`, and not that of the file.
  @Test func theDigestOfARangeIsCompared() async throws {
    let fields: HTTPHeaders = [
      "Content-Digest": "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
    ]
    let right = RangeServer(Data("xyzabc".utf8), .lose(after: 3), .serveWith(fields))
    _ = try await right.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(right.ranges == [nil, "bytes=3-"])
    #expect(try Data(contentsOf: target) == Data("xyzabc".utf8))
    let wrong = RangeServer(Data("xyzabd".utf8), .lose(after: 3), .serveWith(fields))
    let result = await wrong.client(.immediate(limit: 1))
      .transfer(.get("film"), to: folder.url("other")).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .digestMismatch)
    #expect(folder.names == ["film"])
  }

  // MARK: Content codings

  @Test func aFileThatIsSentInAContentCodingIsRequestedWithoutRefusingIt() async throws {
    let coded = RangeServer.Step.events(
      .response(200, ["Content-Encoding": "gzip", "ETag": "\"one\""], "decoded"))
    let server = RangeServer(content, coded, coded)
    let response = try await server.client().transfer(
      .get("film", headers: ["Accept-Encoding": "identity"]), to: target,
      connections: 2
    ).value
    #expect(response.status == 200)
    #expect(server.transport.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil])
    #expect(server.ranges == ["bytes=0-1048575", nil])
    #expect(try Data(contentsOf: target) == Data("decoded".utf8))
    #expect(folder.names == ["film"])
  }

  // MARK: Connections

  @Test func severalConnectionsReceiveRangesWithoutOverlap() async throws {
    let content = Data.pattern(5_000_000)
    let server = RangeServer(content)
    let response = try await server.client()
      .transfer(.get("film"), to: target, connections: 3).value
    #expect(response.file == target && folder.names == ["film"])
    #expect(try Data(contentsOf: target) == content)
    #expect(
      Set(server.ranges) == [
        "bytes=0-1048575", "bytes=1048576-2365716", "bytes=2365717-3682857",
        "bytes=3682858-4999999",
      ])
    #expect(server.ranges.count == 4)
  }

  @Test func theRangesOfAnInterruptedDownloadAreContinued() async throws {
    let content = Data.pattern(5_000_000)
    let server = RangeServer(content, .serve, .lose(after: 700_000))
    _ = await server.client()
      .transfer(.get("film"), to: target, connections: 2).response.result
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(try Data(contentsOf: target) == content)
    // Either of the two ranges was the one that was interrupted.
    let continued = server.ranges.filter {
      $0 == "bytes=1748576-3024287" || $0 == "bytes=3724288-4999999"
    }
    #expect(continued.count == 1)
    #expect(folder.names == ["film"])
  }

  @Test func aServerWithoutRangesSendsTheFileOverOneConnection() async throws {
    let content = Data.pattern(5_000_000)
    let server = RangeServer(content, .ignoreRange)
    _ = try await server.client()
      .transfer(.get("film"), to: target, connections: 4).value
    #expect(try Data(contentsOf: target) == content)
    #expect(server.transport.requests.count == 1)
  }

  @Test func anEmptyFileHasNoFirstRange() async throws {
    let server = RangeServer(Data())
    let response = try await server.client()
      .transfer(.get("film"), to: target, connections: 4).value
    #expect(response.status == 200)
    #expect(try Data(contentsOf: target).isEmpty && folder.names == ["film"])
  }

  @Test func aFileThatChangesBetweenTheRangesIsNeverMixed() async throws {
    let content = Data.pattern(5_000_000)
    let changed = Data(content.reversed())
    let server = RangeServer(content, .serve, .change(changed, tag: "\"two\""))
    _ = try await server.client()
      .transfer(.get("film"), to: target, connections: 3).value
    #expect(try Data(contentsOf: target) == changed)
  }
}
