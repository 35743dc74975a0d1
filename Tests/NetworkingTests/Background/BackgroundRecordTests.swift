import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking
@testable import NetworkingTransfers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.gated)
struct BackgroundRecordTests {
  private let folder = TemporaryFolder()

  @Test func aRecordIsReadFromItsText() throws {
    let target = FileTarget(url: folder.url("7.mp4"), replaces: false)
    let record = BackgroundRecord(key: "film-7", target: target)
    let read = try #require(BackgroundRecord(record.text))
    #expect(read == record && read.key == "film-7")
    #expect(read.target?.url.path == target.url.path && read.target?.replaces == false)
    #expect(BackgroundRecord(BackgroundRecord(key: "a", target: nil).text)?.target == nil)
  }

  @Test(arguments: [
    nil, "", "film-7", "{}", #"{"key":"a"}"#, #"{"version":2,"key":"a","replaces":true}"#,
  ])
  func anotherTextIsNoRecord(_ text: String?) {
    #expect(BackgroundRecord(text) == nil)
  }

  @Test func aRecordContainsNoSecretOfTheRequest() {
    let request = HTTPRequest(
      url: .of("https://api.example.com/films/7?token=s3cret-1"),
      headers: ["Authorization": "Bearer s3cret-2"])
    let file = folder.url("7.mp4")
    let key = BackgroundRecord.key(of: request, file: file)
    let text = BackgroundRecord(key: key, target: FileTarget(url: file, replaces: true)).text
    #expect(!text.contains("s3cret") && !text.contains("example.com"))
  }

  @Test func theKeyDependsOnTheMethodTheURLAndTheFileAlone() {
    var request = HTTPRequest(url: .of("https://api.example.com/films/7"))
    func key(_ request: HTTPRequest, _ file: String = "/home/ada/7") -> String {
      BackgroundRecord.key(of: request, file: URL(fileURLWithPath: file), home: "/home/ada")
    }
    let first = key(request)
    request.headers["Authorization"] = "Bearer new"
    #expect(key(request) == first && first.count == 64)
    #expect(key(request, "/home/ada/8") != first)
    #expect(
      BackgroundRecord.key(
        of: request, file: URL(fileURLWithPath: "/moved/7"), home: "/moved") == first)
    request.method = .post
    #expect(key(request) != first)
    request.attributes[TransferKeyAttribute.self] = "film-7"
    #expect(key(request) == "film-7")
  }

  @Test func aLocationInTheHomeFolderFollowsIt() {
    let location = StoredLocation(
      URL(fileURLWithPath: "/containers/1/Documents/7.mp4"), home: "/containers/1")
    #expect(location.isInHome && location.path == "Documents/7.mp4")
    #expect(location.url(home: "/containers/2").path == "/containers/2/Documents/7.mp4")
    let outside = StoredLocation(URL(fileURLWithPath: "/containers/10/7"), home: "/containers/1")
    #expect(!outside.isInHome && outside.url(home: "/x").path == "/containers/10/7")
  }

  @Test(arguments: [
    NetworkError.Code.dnsFailed, .timedOut(.call), .pinMismatch, .fileNotWritten, .cancelled,
  ])
  func aStoredFailureKeepsItsCode(_ code: NetworkError.Code) throws {
    let outcome = BackgroundOutcome(
      method: .post, url: "https://a.example/", failure: .init(code: code, detail: "why"))
    let read = try JSONDecoder().decode(
      BackgroundOutcome.self, from: JSONEncoder().encode(outcome))
    #expect(read.failure?.code == code && read.failure?.detail == "why" && read.method == .post)
  }

  @Test func aStoredOutcomeContainsNoSecret() throws {
    var outcome = BackgroundOutcome(method: .get, url: "https://a.example/7?token=s3cret-1")
    outcome.head = HTTPResponseHead(
      status: 200,
      headers: [
        "Set-Cookie": "id=s3cret-2", "X-Api-Key": "s3cret-3", "ETag": "\"7\"",
        "Location": "https://a.example/8?token=s3cret-4",
      ])
    let data = try JSONEncoder().encode(outcome)
    #expect(!String(decoding: data, as: UTF8.self).contains("s3cret"))
    let read = try JSONDecoder().decode(BackgroundOutcome.self, from: data)
    #expect(read.head?.headers.map(\.name) == ["ETag"])
  }

  @Test func resultsAreReadableByTheirOwnerOnlyAndReplaceEarlierOnes() throws {
    let results = BackgroundResults(folder: folder.url("results"))
    for status in [200, 404] {
      var outcome = BackgroundOutcome(method: .get, url: "https://a.example/")
      outcome.head = HTTPResponseHead(status: status)
      results.store(outcome, for: "../film/7")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url("results").path)
    #expect(names.count == 1)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.url("results/\(names[0])").path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(results.load()["../film/7"]?.head?.status == 404)
    results.remove("../film/7")
    #expect(results.load().isEmpty)
  }

  @Test func anUnreadableResultIsRemoved() throws {
    let results = BackgroundResults(folder: folder.url)
    _ = try folder.file("a.json", "{")
    #expect(results.load().isEmpty && folder.names.isEmpty)
  }

  @Test func aFileIsMovedOrCopiedFromAnotherVolume() throws {
    for source in [folder, TemporaryFolder(in: TemporaryFolder.memory)] {
      let target = FileTarget(url: folder.url("sub/7.mp4"), replaces: true)
      let file = try source.file("received", "film")
      try target.adopt(file)
      #expect(try String(contentsOf: target.url, encoding: .utf8) == "film")
      #expect(source.names.contains("received") == false)
      let other = try source.file("received", "other")
      #expect(throws: FileError.self) {
        try FileTarget(url: target.url, replaces: false).adopt(other)
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.url("sub").path) == ["7.mp4"])
    }
  }

  @Test func anErrorOfTheSystemIsMapped() {
    func failure(_ code: URLError.Code, reason: Int? = nil) -> TransportFailure {
      let key = "NSURLErrorBackgroundTaskCancelledReasonKey"
      return TransportFailure(
        ofBackgroundTask: URLError(code, userInfo: reason.map { [key: $0] } ?? [:]))
    }
    #expect(failure(.cancelled).code == .cancelled)
    #expect(failure(.timedOut).code == .timedOut(.call))
    #expect(failure(.cannotFindHost).code == .dnsFailed)
    for reason in 0...2 { #expect(failure(.cancelled, reason: reason).code == .connectionLost) }
  }

  private func outcome(
    _ error: any Error, noted: TransportFailure? = nil, status: Int? = nil,
    under trust: ServerTrust = ["a.example": .insecure]
  ) throws -> BackgroundOutcome {
    var outcome = BackgroundOutcome(method: .get, url: "https://a.example/7")
    outcome.head = status.map { HTTPResponseHead(status: $0) }
    outcome.fail(with: error, noted: noted, under: URLSessionTrust(try TLSOptions(trust: trust)))
    return outcome
  }

  @Test func aCancellationOfTheSystemIsARefusalOrALostConnection() throws {
    let refused = try outcome(URLError(.cancelled))
    #expect(refused.failure?.code == .tlsUntrusted && refused.isCancellation)
    let lost = try outcome(URLError(.cancelled), under: [:])
    #expect(lost.failure?.code == .connectionLost && lost.isCancellation)
    #expect(try outcome(URLError(.cancelled), status: 200).failure?.code == .connectionLost)
  }

  @Test func aRejectedServerAndAReasonOfTheSystemAreOutcomes() throws {
    let pins = TransportFailure(code: .pinMismatch)
    let rejected = try outcome(URLError(.cancelled), noted: pins)
    #expect(rejected.failure?.code == .pinMismatch && !rejected.isCancellation)
    let key = "NSURLErrorBackgroundTaskCancelledReasonKey"
    let ended = try outcome(URLError(.cancelled, userInfo: [key: 0]))
    #expect(ended.failure?.code == .connectionLost && !ended.isCancellation)
    let late = try outcome(URLError(.timedOut), status: 200)
    #expect(late.failure?.code == .timedOut(.call) && !late.isCancellation)
  }
}
