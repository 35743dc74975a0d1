import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingTransfers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.gated)
struct BackgroundRelaunchTests {
  private let folder = TemporaryFolder()
  private let system = FakeBackgroundSystem()

  private var target: URL { folder.url("7.mp4") }

  private func received() throws -> URL { try folder.file(UUID().uuidString, "film") }

  /// Starts a download in a run of the program that ends, and returns its task.
  private func startDownload(_ request: Request = .get("films/7")) throws -> Int {
    let run = BackgroundRun(system, in: folder)
    _ = run.networking.download(request, to: target)
    return try #require(system.tasks.keys.max())
  }

  @Test func theSameCallFindsAnUnfinishedTransferOfAnEarlierRun() async throws {
    let task = try startDownload()
    let run = BackgroundRun(system, in: folder, lists: false)
    let download = run.networking.download(.get("films/7"), to: target)
    run.session.list()
    run.session.end(task, file: try received())
    #expect(try await download.value.file == target)
    #expect(system.tasks.isEmpty)
  }

  @Test func aResultIsKeptUntilItIsClaimedInALaterRun() async throws {
    let task = try startDownload()
    let second = BackgroundRun(system, in: folder)
    let events = second.networking.handleBackgroundTransferEvents(identifier: "films")
    second.session.end(
      task, headers: ["ETag": "\"7\"", "Set-Cookie": "session=s3cret"], file: try received())
    #expect(try String(contentsOf: target, encoding: .utf8) == "film")
    second.session.endEvents()
    try await events.value

    let third = BackgroundRun(system, in: folder)
    #expect(try await third.networking.backgroundTransfers().value.finished.count == 1)
    let response = try await third.networking.download(.get("films/7"), to: target).value
    #expect(response.status == 200 && response.file == target)
    #expect(response.headers["ETag"] == "\"7\"" && !response.headers.contains("Set-Cookie"))
    #expect(try await third.networking.backgroundTransfers().value.finished.isEmpty)
    #expect(system.tasks.isEmpty)
    let fourth = BackgroundRun(system, in: folder)
    #expect(try await fourth.networking.backgroundTransfers().value.finished.isEmpty)
  }

  @Test func aKeyFindsTheTransferWithoutItsRequest() async throws {
    let task = try startDownload(.get("films/7?signature=run-1", .transferKey("film-7")))
    let run = BackgroundRun(system, in: folder)
    #expect(try await run.networking.backgroundTransfers().value.unfinished == ["film-7"])
    let found = run.networking.backgroundTransferResponse(forKey: "film-7")
    let again = run.networking.download(
      .get("films/7?signature=run-2", .transferKey("film-7")), to: target)
    run.session.end(task, file: try received())
    #expect(try await found.value.file == target)
    #expect(try await again.value.file == target)
  }

  @Test func anInterceptorThatChangesTheURLDoesNotChangeTheKey() async throws {
    func signed(_ signature: String, _ run: BackgroundRun) -> Networking<Request> {
      run.networking.interceptors = [
        RequestAdapter { (request: HTTPRequest) -> HTTPRequest in
          var request = request
          request.url.append(queryItems: [URLQueryItem(name: "signature", value: signature)])
          return request
        }
      ]
      return run.networking
    }
    _ = signed("run-1", BackgroundRun(system, in: folder)).download(.get("films/7"), to: target)
    let task = try #require(system.tasks.keys.max())
    #expect(system.tasks[task]?.request?.url?.query == "signature=run-1")
    let run = BackgroundRun(system, in: folder)
    let download = signed("run-2", run).download(.get("films/7"), to: target)
    #expect(system.tasks.count == 1)
    run.session.end(task, file: try received())
    #expect(try await download.value.url.query == "signature=run-1")
  }

  @Test func aTransferThatTheSystemLostIsRejected() async throws {
    let task = try startDownload(.get("films/7", .transferKey("film-7")))
    _ = system.remove(task)
    let run = BackgroundRun(system, in: folder, lists: false)
    let claim = run.networking.backgroundTransferResponse(forKey: "film-7")
    run.session.list()
    let error = try #require(await claim.result.failure(as: NetworkError.self))
    #expect(error.code == .connectionLost)
    #expect(error.reason == "The background session has no transfer with this key")
  }

  @Test func theEndOfTheSessionRejectsAllTransfers() async throws {
    _ = try startDownload()
    let run = BackgroundRun(system, in: folder)
    let download = run.networking.download(.get("films/7"), to: target)
    let events = run.networking.handleBackgroundTransferEvents(identifier: "films")
    run.session.invalidate()
    #expect(await download.result.failure(as: NetworkError.self)?.code == .connectionLost)
    try await events.value
  }

  @Test func aKeptFailureIsTheErrorOfTheNextCall() async throws {
    let task = try startDownload()
    BackgroundRun(system, in: folder).session.end(
      task, status: nil, failure: SystemCancellation.userForceQuitApplication.failure)
    let run = BackgroundRun(system, in: folder)
    let error = await run.networking.download(.get("films/7"), to: target).result.failure(
      as: NetworkError.self)
    #expect(error?.code == .connectionLost && error?.reason == "The user has ended the app")
  }

  @Test func aCancellationOfAnEarlierRunIsNoOutcome() async throws {
    let task = try startDownload()
    BackgroundRun(system, in: folder).session.end(task, status: nil, error: URLError(.cancelled))
    let run = BackgroundRun(system, in: folder)
    #expect(try await run.networking.backgroundTransfers().value.finished.isEmpty)
  }

  @Test func aCallerThatHasNotCancelledReceivesAFailure() async throws {
    let task = try startDownload()
    let run = BackgroundRun(system, in: folder)
    let download = run.networking.download(.get("films/7"), to: target)
    run.session.end(task, status: nil, error: URLError(.cancelled))
    let error = await download.result.failure(as: NetworkError.self)
    #expect(error?.code == .connectionLost)
    #expect(try await run.networking.backgroundTransfers().value.finished.isEmpty)
  }

  @Test func aKeptResultWhoseFileIsGoneIsDropped() async throws {
    let task = try startDownload()
    BackgroundRun(system, in: folder).session.end(task, file: try received())
    try FileManager.default.removeItem(at: target)
    let run = BackgroundRun(system, in: folder)
    #expect(try await run.networking.backgroundTransfers().value.finished.isEmpty)
  }

  @Test func aFinishedDownloadThatMustNotReplaceItsFileIsFoundAgain() async throws {
    let first = BackgroundRun(system, in: folder)
    _ = first.networking.download(.get("films/7"), to: target, replacing: false)
    let task = try #require(system.tasks.keys.max())
    BackgroundRun(system, in: folder).session.end(task, file: try received())
    let run = BackgroundRun(system, in: folder)
    let found = run.networking.download(.get("films/7"), to: target, replacing: false)
    #expect(try await found.value.file == target)
    let again = run.networking.download(.get("films/7"), to: target, replacing: false)
    #expect(await again.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(system.tasks.isEmpty)
  }

  @Test func aSentUploadWhoseFileIsGoneIsFoundAgain() async throws {
    let film = try folder.file("film.mp4", "film")
    let upload = Request.upload(file: film, to: "films")
    _ = BackgroundRun(system, in: folder).networking.request(upload)
    let task = try #require(system.tasks.keys.max())
    try FileManager.default.removeItem(at: film)
    let run = BackgroundRun(system, in: folder)
    let found = run.networking.request(upload)
    run.session.end(task, status: 201, body: Data("7".utf8))
    #expect(try await found.toString().value == "7")
  }

  @Test func anUploadWhoseFileVanishesBeforeTheListIsRejected() async throws {
    let run = BackgroundRun(system, in: folder, lists: false)
    let film = try folder.file("film.mp4", "film")
    let upload = run.networking.request(.upload(file: film, to: "films"))
    try FileManager.default.removeItem(at: film)
    run.session.list()
    let error = try #require(await upload.result.failure(as: NetworkError.self))
    #expect(error.code == .encodingFailed && error.request?.url.lastPathComponent == "films")
    #expect(system.tasks.isEmpty)
  }

  @Test(arguments: [true, false])
  func aTransferOfAnEarlierRunIsCancelledByItsKey(_ isListed: Bool) async throws {
    let task = try startDownload(.get("films/7", .transferKey("film-7")))
    let run = BackgroundRun(system, in: folder, lists: isListed)
    let claim = run.networking.backgroundTransferResponse(forKey: "film-7")
    let cancellation = run.networking.cancelBackgroundTransfer(forKey: "film-7")
    #expect(await claim.result.failure(as: NetworkError.self)?.code == .cancelled)
    if !isListed { run.session.list() }
    try await cancellation.value
    #expect(system.tasks[task]?.isCancelled == true)
    run.session.end(task, status: nil)
    let lists = try await run.networking.backgroundTransfers().value
    #expect(lists.unfinished.isEmpty && lists.finished.isEmpty)
  }

  @Test func cancellingAKeyDropsAnUnclaimedResultAndKeepsItsFile() async throws {
    let task = try startDownload(.get("films/7", .transferKey("film-7")))
    BackgroundRun(system, in: folder).session.end(task, file: try received())
    let run = BackgroundRun(system, in: folder)
    try await run.networking.cancelBackgroundTransfer(forKey: "film-7").value
    #expect(try String(contentsOf: target, encoding: .utf8) == "film")
    let later = BackgroundRun(system, in: folder)
    #expect(try await later.networking.backgroundTransfers().value.finished.isEmpty)
  }

  @Test func aDownloadThatIsCancelledTooLateReplacesNothing() async throws {
    try Data("older".utf8).write(to: target)
    let run = BackgroundRun(system, in: folder)
    let download = run.networking.download(.get("films/7"), to: target)
    let task = try #require(system.tasks.keys.max())
    download.cancel()
    run.session.end(task, file: try received())
    #expect(try String(contentsOf: target, encoding: .utf8) == "older")
  }

  @Test func aTransferThatAnEarlierRunCancelledIsStartedAgain() async throws {
    let task = try startDownload()
    let second = BackgroundRun(system, in: folder)
    second.session.end(task, status: nil, failure: TransportFailure(code: .cancelled))
    let third = BackgroundRun(system, in: folder)
    let download = third.networking.download(.get("films/7"), to: target)
    third.session.end(try #require(system.tasks.keys.max()), file: try received())
    #expect(try await download.value.file == target)
  }

  @Test func aTaskWithoutARecordIsCancelled() {
    let foreign = system.add("not a record")
    let newer = system.add(#"{"version":2,"key":"a","replaces":true}"#)
    _ = BackgroundRun(system, in: folder)
    #expect(system.tasks[foreign]?.isCancelled == true)
    #expect(system.tasks[newer]?.isCancelled == true)
  }

  @Test func aSessionWithoutAnIdentifierIsRefused() async throws {
    let session = BackgroundSessions().session(for: "", tls: TLSOptions()) {
      BackgroundTransport(
        identifier: "", results: BackgroundResults(folder: folder.url("results")),
        session: FakeBackgroundSession(system))
    }
    let networking = Networking<Request>(sessionConfiguration: .background(session))
    let result = await networking.download(.get("https://api.example.com/films/7"), to: target)
      .result
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .unsupported)
    #expect(error.reason == "A background session needs an identifier")
  }

  @Test func clientsWithOneIdentifierShareTheSession() {
    let sessions = BackgroundSessions()
    var made = 0
    func performer(_ tls: TLSOptions) -> BackgroundTransport? {
      let session = sessions.session(for: "films", tls: tls) {
        made += 1
        return BackgroundTransport(
          identifier: "films", tls: tls, results: BackgroundResults(folder: folder.url("results")),
          session: FakeBackgroundSession(system))
      }
      return session.performer as? BackgroundTransport
    }
    let first = performer(TLSOptions())
    #expect(first != nil && first === performer(TLSOptions()))
    #expect(made == 1)
  }

  @Test func aClientWithOtherTLSOptionsIsRefused() async throws {
    let sessions = BackgroundSessions()
    func session(_ tls: TLSOptions) -> Session {
      sessions.session(for: "films", tls: tls) {
        BackgroundTransport(
          identifier: "films", tls: tls,
          results: BackgroundResults(folder: folder.url("results")),
          session: FakeBackgroundSession(system))
      }
    }
    _ = session(TLSOptions())
    let strict = try TLSOptions(trust: .all(.system), minimumVersion: .v1_3)
    let other = Networking<Request>(sessionConfiguration: .background(session(strict)))
    let result = await other.download(.get("https://api.example.com/films/7"), to: target).result
    #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
  }

  #if canImport(Darwin)
    @Test func aCustomConfigurationOfABackgroundSessionIsRefusedWithTheModuleThatHasThem()
      async throws
    {
      let custom = SessionConfiguration.custom(.background(withIdentifier: "custom"))
      let error = #expect(throws: NetworkError.self) { try custom.checked() }
      #expect(error?.code == .unsupported)
      #expect(error?.reason?.contains("NetworkingTransfers") == true)
      let networking = Networking<Request>(sessionConfiguration: custom)
      let result = await networking.request(.get("https://api.example.com/")).result
      #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
    }

    @Test func aBackgroundSessionOfAConfigurationNeedsItsIdentifier() {
      let named = SessionConfiguration.background(.background(withIdentifier: "named"))
      #expect(throws: Never.self) { try named.checked() }
      #expect(throws: NetworkError.self) {
        try SessionConfiguration.background(.ephemeral).checked()
      }
    }
  #endif

  #if os(Linux)
    @Test func aPlatformWithoutBackgroundSessionsSaysSoWhenTheConfigurationIsChecked() {
      let configuration = SessionConfiguration.background(identifier: "films")
      #expect(!SessionConfiguration.supportsBackgroundSessions)
      #expect(throws: NetworkError.self) { try configuration.checked() }
      #expect(throws: NetworkError.self) { try configuration.secured(with: TLSOptions()) }
      #expect(throws: Never.self) { try SessionConfiguration.ephemeral.checked() }
    }
  #endif
}
