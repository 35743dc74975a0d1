import Foundation
import Networking
import NetworkingTransfers
import Promises
import TestGate
import TestSupport
import Testing

/// Downloads that continue by ranges.
@Suite(.gated)
struct DownloadTransferTests {
  private let folder = TemporaryFolder()
  private let content = Data.pattern(600_000)

  private var target: URL { folder.url("film") }
  private let partialNames = [".film.download", ".film.download.json"]

  @Test func aLostConnectionContinuesAtTheFirstMissingByte() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    let transfer = server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target)
    let response = try await transfer.value
    #expect(response.status == 206 && response.file == target)
    #expect(try Data(contentsOf: target) == content)
    #expect(server.ranges == [nil, "bytes=300000-"])
    #expect(server.transport.requests.last?.headers["If-Range"] == "\"one\"")
    #expect(server.transport.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
    #expect(folder.names == ["film"])
    #expect(transfer.currentProgress.bytes == 600_000)
    #expect(transfer.currentProgress.fraction == 1)
  }

  /// An endpoint that counts the reads of its request.
  private struct CountedFilm: RequestConvertible {
    let reads = Log<Void>()
    let reports = Log<TransferProgress>()
    var error: TestError?

    var request: Request {
      get throws {
        reads.append(())
        if let error { throw error }
        return .get(
          "http://films.example/film", .retry(.immediate(limit: 1)),
          .onProgress { [reports] in reports.append($0) })
      }
    }
  }

  @Test func theRequestOfTheEndpointIsReadOnceAndItsOptionsApply() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    let client = Networking<CountedFilm>(transport: server.transport, configuration: .plain)
    client.callbackContext = .inline
    let film = CountedFilm()
    _ = try await client.transfer(film, to: target).value
    #expect(server.ranges == [nil, "bytes=300000-"])
    #expect(film.reads.entries.count == 1)
    #expect(film.reports.entries.last?.received.bytes == 600_000)
  }

  @Test func theErrorOfTheEndpointRejectsTheTransfer() async {
    let server = RangeServer(content)
    let client = Networking<CountedFilm>(transport: server.transport, configuration: .plain)
    client.callbackContext = .inline
    let transfer = client.transfer(CountedFilm(error: TestError("no film")), to: target)
    #expect(await transfer.response.result.failure(as: TestError.self) == TestError("no film"))
    #expect(server.transport.requests.isEmpty)
  }

  @Test func aPolicyAppliesToFailuresWithoutProgressInBetween() async throws {
    let server = RangeServer(
      content, .lose(after: 100_000), .lose(after: 100_000), .lose(after: 100_000))
    let response = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target, resumable: false).value
    #expect(response.status == 206)
    #expect(server.ranges == [nil, "bytes=100000-", "bytes=200000-", "bytes=300000-"])
    let stuck = RangeServer(content, .lose(after: 100_000), .lose(after: 0), .lose(after: 0))
    let result = await stuck.client(.immediate(limit: 1))
      .transfer(.get("film"), to: folder.url("other"), resumable: false).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
    #expect(stuck.transport.requests.count == 3)
  }

  @Test func theNextDownloadContinuesAFailedOne() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    let result = await server.client()
      .transfer(.get("film"), to: target).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
    #expect(folder.names == partialNames)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.url(".film.download.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=300000-"])
    #expect(try Data(contentsOf: target) == content)
    #expect(folder.names == ["film"])
  }

  @Test func theStateDoesNotContainTheURL() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    _ = await server.client().transfer(
      .get("film", parameters: ["signature": "s3cret"]), to: target
    ).response.result
    let state = try String(contentsOf: folder.url(".film.download.json"), encoding: .utf8)
    #expect(!state.contains("s3cret") && !state.contains("films.example"))
  }

  @Test func aDownloadThatIsNotResumableLeavesNothing() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    let result = await server.client()
      .transfer(.get("film"), to: target, resumable: false).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
    #expect(folder.names == [])
  }

  @Test func aChangedFileStartsAgain() async throws {
    let changed = Data(content.reversed()) + Data("more".utf8)
    let server = RangeServer(content, .lose(after: 300_000), .change(changed, tag: "\"two\""))
    let response = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(response.status == 200)
    #expect(try Data(contentsOf: target) == changed)
    #expect(server.transport.requests.count == 2)
  }

  @Test func aRangeOfAnotherEntityIsNotUsed() async throws {
    let server = RangeServer(
      content, .lose(after: 300_000), .serveWith(["ETag": "\"two\""]))
    _ = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=300000-", nil])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aServerThatIgnoresRangesSendsTheFileAgain() async throws {
    let server = RangeServer(content, .lose(after: 300_000), .ignoreRange)
    let response = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(response.status == 200 && server.transport.requests.count == 2)
    #expect(try Data(contentsOf: target) == content)
  }

  @Test(arguments: [
    "", "bytes 0-299999/600000", "bytes 300001-599999/600000", "bytes 300000-599999/700000",
    "items 300000-599999/600000", "bytes 300000-700000/600000", "bytes */600000",
    "bytes 300000-299999/600000", "bytes 300000-99999999999999999999/*",
  ])
  func aRangeThatIsNotTheRequestedOneIsAnErrorAndLeavesNothing(_ value: String) async throws {
    let server = RangeServer(content, .lose(after: 300_000), .serveWith(["Content-Range": value]))
    let result = await server.client(.immediate(limit: 5))
      .transfer(.get("film"), to: target).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .malformedResponse)
    #expect(server.transport.requests.count == 2)
    #expect(folder.names == [])
  }

  @Test func aRangeWithAContentCodingIsAnError() async throws {
    let server = RangeServer(
      content, .lose(after: 300_000), .serveWith(["Content-Encoding": "gzip"]))
    let result = await server.client(.immediate(limit: 5))
      .transfer(.get("film"), to: target).response.result
    #expect(result.failure(as: NetworkError.self)?.code == .malformedResponse)
    #expect(folder.names == [])
  }

  @Test(
    arguments: [
      ["ETag": "W/\"one\""], [:], ["Last-Modified": "Mon, 23 Nov 2026 10:00:00 GMT"],
      [
        "Last-Modified": "Mon, 23 Nov 2026 10:00:00 GMT", "Date": "Mon, 23 Nov 2026 10:00:00 GMT",
      ],
      [
        "ETag": "W/\"one\"", "Last-Modified": "Mon, 23 Nov 2026 10:00:00 GMT",
        "Date": "Mon, 23 Nov 2026 12:00:00 GMT",
      ],
    ] as [HTTPHeaders])
  func withoutAStrongValidatorADownloadStartsAgain(_ fields: HTTPHeaders) async throws {
    let server = RangeServer(content, fields: fields, .lose(after: 300_000))
    _ = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, nil])
    #expect(try Data(contentsOf: target) == content)
    #expect(folder.names == ["film"])
  }

  @Test func aDateOfModificationBeforeTheDateOfTheResponseIsAStrongValidator() async throws {
    let modified = "Mon, 23 Nov 2026 10:00:00 GMT"
    let server = RangeServer(
      content, fields: ["Last-Modified": modified, "Date": "Mon, 23 Nov 2026 10:00:01 GMT"],
      .lose(after: 300_000))
    _ = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=300000-"])
    #expect(server.transport.requests.last?.headers["If-Range"] == modified)
  }

  @Test func aRefusedRangeStartsAgain() async throws {
    let refused = HTTPResponseHead(status: 416, headers: ["Content-Range": "bytes */10"])
    let server = RangeServer(
      content, .lose(after: 300_000), .events([.head(refused), .end(TransportMetrics())]))
    _ = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=300000-", nil])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test(arguments: [202, 204])
  func aSuccessThatIsNeitherARangeNorAFileKeepsThePartialFile(_ status: Int) async throws {
    let server = RangeServer(content, .lose(after: 300_000), .events(.response(status)))
    let client = server.client()
    _ = await client.transfer(.get("film"), to: target).response.result
    let result = await client.transfer(.get("film"), to: target).response.result
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .malformedResponse && error.response?.status == status)
    #expect(folder.names == partialNames)
    _ = try await client.transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=300000-", "bytes=300000-"])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aRangeThatIsNotModifiedStartsAgain() async throws {
    let server = RangeServer(content, .lose(after: 300_000), .events(.response(304)))
    let response = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(response.status == 200)
    #expect(server.ranges == [nil, "bytes=300000-", nil])
    #expect(try Data(contentsOf: target) == content)
  }

  /// The whole file without its length, after which the connection is lost.
  private var allWithoutAnEnd: RangeServer.Step {
    let head = HTTPResponseHead(status: 200, headers: ["ETag": "\"one\""])
    return .events([
      .head(head), .body(content), .failure(TransportFailure(code: .connectionLost)),
    ])
  }

  @Test func aRangeAfterTheLastByteCompletesAFileOfUnknownLength() async throws {
    let server = RangeServer(content, allWithoutAnEnd)
    let transfer = server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target)
    let response = try await transfer.value
    #expect(response.status == 200 && response.file == target)
    #expect(server.ranges == [nil, "bytes=600000-"])
    #expect(try Data(contentsOf: target) == content)
    #expect(transfer.currentProgress.fraction == 1)
  }

  @Test func aFileOfUnknownLengthThatIsCompleteIsCompared() async throws {
    let server = RangeServer(content, allWithoutAnEnd)
    _ = await server.client().transfer(.get("film"), to: target).response.result
    #expect(folder.names == partialNames)
    let response = try await server.client()
      .transfer(.get("film"), to: target).value
    #expect(response.status == 206)
    #expect(server.ranges == [nil, "bytes=600000-", "bytes=599999-"])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aRangeAfterTheLastByteOfAnotherFileStartsAgain() async throws {
    let refused = HTTPResponseHead(
      status: 416, headers: ["Content-Range": "bytes */600000", "ETag": "\"two\""])
    let server = RangeServer(
      content, allWithoutAnEnd, .events([.head(refused), .end(TransportMetrics())]))
    _ = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=600000-", nil])
  }

  @Test func aFileThatChangesAgainAndAgainIsAnError() async throws {
    let lost = RangeServer.Step.lose(after: 1_000)
    let other = RangeServer.Step.serveWith(["ETag": "\"other\""])
    let server = RangeServer(content, lost, other, lost, other, lost, other, lost, other)
    let result = await server.client(.immediate(limit: 9))
      .transfer(.get("film"), to: target).response.result
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .malformedResponse)
    #expect(error.reason?.contains("started again too often") == true)
    #expect(folder.names == [])
  }

  @Test func anotherURLStartsFromTheBeginning() async throws {
    let server = RangeServer(content, .lose(after: 300_000))
    _ = await server.client().transfer(.get("film"), to: target).response.result
    _ = try await server.client().transfer(.get("other"), to: target).value
    #expect(server.ranges == [nil, nil])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func eachContinuationFollowsTheRedirectsAgain() async throws {
    let redirect = RangeServer.Step.events(.response(302, ["Location": "/mirror"]))
    let server = RangeServer(content, redirect, .lose(after: 300_000), redirect)
    let response = try await server.client(.immediate(limit: 1))
      .transfer(.get("film"), to: target).value
    #expect(response.url.path == "/mirror" && response.status == 206)
    #expect(server.transport.requests.map(\.url.path) == ["/film", "/mirror", "/film", "/mirror"])
    #expect(server.ranges == [nil, nil, "bytes=300000-", "bytes=300000-"])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func aCompleteFileThatWasNotMovedIsCompared() async throws {
    let server = RangeServer(content, .lose(after: 599_999))
    _ = await server.client().transfer(.get("film"), to: target).response.result
    let partial = folder.url(".film.download")
    try content.write(to: partial)
    _ = try await server.client().transfer(.get("film"), to: target).value
    #expect(server.ranges == [nil, "bytes=599999-"])
    #expect(try Data(contentsOf: target) == content)
  }

  @Test func anUnsuccessfulResponseIsTheResultAndKeepsThePartialFile() async throws {
    let server = RangeServer(
      content, .lose(after: 300_000), .events(.response(404, [:], "no film")))
    _ = await server.client().transfer(.get("film"), to: target).response.result
    let response = try await server.client()
      .transfer(.get("film"), to: target).value
    #expect(response.status == 404 && response.data == Data("no film".utf8))
    #expect(response.file == nil && folder.names == partialNames)
  }

  @Test func aFailureBeforeTheFirstByteLeavesNothing() async throws {
    let server = RangeServer(content, .events(.response(500)))
    let response = try await server.client()
      .transfer(.get("film"), to: target).value
    #expect(response.status == 500 && folder.names == [])
  }
}
