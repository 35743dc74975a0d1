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

  /// The pairs of a home folder and of a file in it, each with and without `/private`.
  @Test(arguments: ["/var/mobile/1", "/private/var/mobile/1", "/private/var/mobile/1/"])
  func aLocationInTheHomeFolderIsFoundWithAndWithoutPrivate(_ home: String) {
    for file in ["/var/mobile/1/Documents/7.mp4", "/private/var/mobile/1/Documents/7.mp4"] {
      let location = StoredLocation(URL(fileURLWithPath: file), home: home)
      #expect(location.isInHome && location.path == "Documents/7.mp4", "\(file)")
    }
    for file in ["/private/varx/mobile/1/7", "/private/mobile/1/7", "/private/var/mobile/10/7"] {
      let location = StoredLocation(URL(fileURLWithPath: file), home: home)
      #expect(!location.isInHome && location.path == file)
      #expect(location.url(home: home).path == file)
    }
  }

  @Test(arguments: [
    ("/private/var/mobile/7", "/var/mobile/7"), ("/private/tmp/7", "/tmp/7"),
    ("/private/etc", "/etc"), ("/private/varx/7", "/private/varx/7"), ("/private", "/private"),
    ("/private/", "/private/"), ("/privatevar/7", "/privatevar/7"), ("/a/private/var/7", nil),
    ("/var/private/var/7", nil), ("/private/private/var", nil), ("", nil),
  ])
  func onlyTheLinksOfTheSystemAreComparedWithoutPrivate(_ path: String, _ expected: String?) {
    #expect(StoredLocation.comparable(path) == expected ?? path)
  }

  @Test func theKeyOfAFileOutsideOfTheHomeFolderIsTheSameWithAndWithoutPrivate() {
    let request = HTTPRequest(url: .of("https://api.example.com/films/7"))
    func key(_ path: String) -> String {
      BackgroundRecord.key(of: request, file: URL(fileURLWithPath: path), home: "/var/mobile/1")
    }
    #expect(key("/private/var/mobile/Shared/7") == key("/var/mobile/Shared/7"))
    #expect(key("/private/varx/Shared/7") != key("/varx/Shared/7"))
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

  @Test func theFolderOfTheResultsIsExcludedFromBackupsBeforeEachFileIsWritten() throws {
    let steps = Log<String>()
    let results = BackgroundResults(
      folder: folder.url("results"), fileSystem: FileSystem { steps.append($0) })
    let outcome = BackgroundOutcome(method: .get, url: "https://a.example/")
    for _ in 1...2 {
      results.store(outcome, for: "a")
      #expect(results.load()["a"] != nil)
      try FileManager.default.removeItem(at: folder.url("results"))
    }
    let relevant = steps.entries.filter { ["exclude from backups", "rename"].contains($0) }
    #expect(relevant == ["exclude from backups", "rename", "exclude from backups", "rename"])
  }

  @Test func aResultThatWasRestoredFromABackupIsNotUsed() throws {
    let results = BackgroundResults(folder: folder.url("results"))
    results.store(BackgroundOutcome(method: .get, url: "https://a.example/"), for: "a")
    results.store(resumption, for: "a")
    try FileManager.default.copyItem(at: folder.url("results"), to: folder.url("restored"))
    let restored = BackgroundResults(folder: folder.url("restored"))
    #expect(restored.load().isEmpty)
    #expect(restored.resumeData(for: "a", identity: "request") == nil)
    #expect(results.load().keys.sorted() == ["a"])
    #expect(results.resumeData(for: "a", identity: "request") == Data("resume".utf8))
  }

  @Test func anUnreadableResultIsRemoved() throws {
    let results = BackgroundResults(folder: folder.url)
    _ = try folder.file("a.json", "{")
    #expect(results.load().isEmpty && folder.names.isEmpty)
  }

  // MARK: Resume data

  /// The error of an interrupted download.
  private func interruption(
    _ data: Data? = Data("resume".utf8), _ code: Int = NSURLErrorNetworkConnectionLost,
    domain: String = NSURLErrorDomain
  ) -> NSError {
    NSError(
      domain: domain, code: code,
      userInfo: data.map { ["NSURLSessionDownloadTaskResumeData": $0] } ?? [:])
  }

  private var resumption: BackgroundResumption {
    var resumption = BackgroundResumption(interruption())
    resumption.identity = "request"
    return resumption
  }

  @Test func resumeDataIsReadableByItsOwnerOnlyAndForItsRequestAlone() throws {
    let results = BackgroundResults(folder: folder.url("results"))
    results.store(resumption, for: "a")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url("results").path)
    #expect(names.count == 1)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.url("results/\(names[0])").path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(results.resumeData(for: "a", identity: "request") == Data("resume".utf8))
    #expect(results.resumeData(for: "a", identity: "other request") == nil)
    #expect(results.resumeData(for: "a", identity: nil) == nil)
    #expect(results.resumeData(for: "b", identity: "request") == nil)
    results.store(BackgroundResumption(interruption(nil)), for: "a")
    #expect(results.resumeData(for: "a", identity: "request") == nil)
  }

  @Test func resumeDataIsNoResultAndIsRemovedAfterAWeek() throws {
    let results = BackgroundResults(folder: folder.url("results"))
    results.store(resumption, for: "a")
    #expect(results.load(at: Date() + BackgroundResumption.lifetime - 60).isEmpty)
    #expect(results.resumeData(for: "a", identity: "request") != nil)
    #expect(results.load(at: Date() + BackgroundResumption.lifetime + 60).isEmpty)
    #expect(results.resumeData(for: "a", identity: "request") == nil)
  }

  @Test func resumeDataThatIsEmptyOrTooLongIsIgnored() {
    let limit = BackgroundResumption.limit
    #expect(BackgroundResumption(interruption(Data(count: limit))).data?.count == limit)
    for count in [0, limit + 1] {
      let resumption = BackgroundResumption(interruption(Data(count: count), -3_003))
      #expect(resumption.data == nil && !resumption.isRefused)
    }
    #expect(BackgroundResumption(URLError(.timedOut)).data == nil)
  }

  @Test func resumeDataOfTheGreatestLengthIsStored() {
    var resumption = BackgroundResumption(interruption(Data.pattern(BackgroundResumption.limit)))
    resumption.identity = "request"
    let results = BackgroundResults(folder: folder.url("results"))
    results.store(resumption, for: "a")
    #expect(results.resumeData(for: "a", identity: "request") == resumption.data)
  }

  @Test(arguments: [
    (NSURLErrorDomain, -3_000, true), (NSURLErrorDomain, -3_003, true),
    (NSURLErrorDomain, -3_007, true), (NSURLErrorDomain, -3_008, false),
    (NSURLErrorDomain, -2_999, false), (NSURLErrorDomain, NSURLErrorUnknown, true),
    (NSURLErrorDomain, NSURLErrorUnsupportedURL, true),
    (NSURLErrorDomain, NSURLErrorCancelled, false),
    (NSURLErrorDomain, NSURLErrorNetworkConnectionLost, false),
    (NSURLErrorDomain, NSURLErrorTimedOut, false), (NSPOSIXErrorDomain, Int(ENOENT), true),
    (NSPOSIXErrorDomain, Int(ECONNRESET), false), (NSCocoaErrorDomain, 4_864, true),
    ("kCFErrorDomainCFNetwork", 310, false),
  ])
  func onlyAnErrorOfTheDataItselfIsARefusal(_ domain: String, _ code: Int, _ isRefusal: Bool) {
    #expect(BackgroundResumption(interruption(nil, code, domain: domain)).isRefused == isRefusal)
    #expect(!BackgroundResumption(interruption(Data([1]), code, domain: domain)).isRefused)
  }

  @Test func theIdentityOfARequestDependsOnItsURLAndAllItsFields() throws {
    var request = HTTPRequest(url: .of("https://a.example/7"), headers: ["A": "1", "B": "2"])
    func identity(_ session: HTTPHeaders = [:]) -> String? {
      BackgroundResumption.identity(of: request, sessionHeaders: session)
    }
    let first = try #require(identity())
    #expect(first.count == 64 && identity(["C": "3"]) != first)
    request.headers = ["b": "2", "a": "1"]
    #expect(identity() == first)
    request.headers["Authorization"] = "Bearer s3cret"
    let authorized = try #require(identity())
    #expect(authorized != first && !authorized.contains("s3cret"))
    request.headers["Authorization"] = "Bearer other"
    #expect(identity() != authorized)
    request.headers = ["A": "1", "B": "2"]
    request.url = .of("https://a.example/8")
    #expect(identity() != first)
    request.headers["Range"] = "bytes=0-1"
    #expect(identity() == nil)
  }

  @Test func aRecordOfAVersionWithoutResumeDataIsRead() throws {
    let text = #"{"version":1,"key":"a","replaces":false}"#
    let record = try #require(BackgroundRecord(text))
    #expect(record.identity == nil && record.isContinued == nil && !record.replaces)
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
    bytesSent: Int64 = 0, under trust: ServerTrust = ["a.example": .insecure]
  ) throws -> BackgroundOutcome {
    var outcome = BackgroundOutcome(method: .get, url: "https://a.example/7")
    outcome.head = status.map { HTTPResponseHead(status: $0) }
    outcome.metrics.bytesSent = bytesSent
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

  @Test(arguments: [URLError.Code.cannotConnectToHost, .notConnectedToInternet])
  func anUploadOfWhichBytesWereSentHasBegun(code: URLError.Code) throws {
    let early = try outcome(URLError(code)).failure
    #expect(early?.code.precedesRequest == true)
    let late = try outcome(URLError(code), bytesSent: 1).failure
    #expect(late?.code == .connectionLost)
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
