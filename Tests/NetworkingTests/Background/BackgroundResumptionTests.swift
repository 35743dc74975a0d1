import Foundation
import Promises
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
struct BackgroundResumptionTests {
  private let folder = TemporaryFolder()
  private let system = FakeBackgroundSystem()

  private var target: URL { folder.url("7.mp4") }
  private var resumeData: Data { Data("resume".utf8) }

  /// The error of an interrupted download.
  private var interruption: NSError {
    NSError(
      domain: NSURLErrorDomain, code: NSURLErrorNetworkConnectionLost,
      userInfo: ["NSURLSessionDownloadTaskResumeData": resumeData])
  }

  /// The error of a download that was interrupted because the user has ended the app.
  private var forceQuit: NSError {
    NSError(
      domain: NSURLErrorDomain, code: NSURLErrorCancelled,
      userInfo: [
        "NSURLSessionDownloadTaskResumeData": resumeData,
        "NSURLErrorBackgroundTaskCancelledReasonKey": 0,
      ])
  }

  /// The error of resume data that the system cannot use.
  private let refusal = NSError(domain: NSURLErrorDomain, code: -3_003)

  private func received(_ content: String = "film") throws -> URL {
    try folder.file(UUID().uuidString, content)
  }

  private func run(lists: Bool = true) -> BackgroundRun {
    BackgroundRun(system, in: folder, lists: lists)
  }

  private func download(
    _ run: BackgroundRun, _ request: Request = .get("films/7")
  ) -> NetworkPromise {
    run.networking.download(request, to: target)
  }

  private func lastTask() throws -> Int { try #require(system.tasks.keys.max()) }

  /// Starts a download in a run and interrupts it with resume data.
  private func interrupt(_ run: BackgroundRun, _ request: Request = .get("films/7")) async throws {
    let download = download(run, request)
    run.session.end(try lastTask(), status: nil, error: interruption)
    #expect(await download.result.failure(as: NetworkError.self)?.code == .connectionLost)
  }

  /// The number of files with resume data.
  private var storedCount: Int {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.url("results").path)
    return names?.count { $0.hasSuffix(".resume") } ?? 0
  }

  // MARK: Use

  @Test(arguments: [true, false])
  func theNextCallContinuesAnInterruptedDownload(isLaterRun: Bool) async throws {
    let first = run()
    try await interrupt(first)
    #expect(storedCount == 1)
    let second = isLaterRun ? run() : first
    let again = download(second)
    let task = try lastTask()
    #expect(system.tasks[task]?.resumeData == resumeData)
    #expect(system.tasks[task]?.isResumed == true && storedCount == 0)
    second.session.end(
      task, status: 206, headers: ["Content-Range": "bytes 2-3/4"], file: try received())
    #expect(try await again.value.file == target)
    #expect(try String(contentsOf: target, encoding: .utf8) == "film")
    _ = download(second)
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
  }

  @Test func resumeDataThatArrivesAfterAForceQuitIsUsedOnceTheErrorIsDelivered() async throws {
    _ = download(run())
    let launched = run(lists: false)
    launched.session.end(try lastTask(), status: nil, error: forceQuit)
    launched.session.list()
    #expect(storedCount == 1)
    let later = run()
    let error = await download(later).result.failure(as: NetworkError.self)
    #expect(error?.reason == "The user has ended the app")
    _ = download(later)
    #expect(try system.tasks[lastTask()]?.resumeData == resumeData)
  }

  @Test func aContinuationThatIsInterruptedAgainIsContinued() async throws {
    let run = run()
    for _ in 1...3 { try await interrupt(run) }
    _ = download(run)
    #expect(try system.tasks[lastTask()]?.resumeData == resumeData)
  }

  @Test func aContinuationThatFailsWithoutResumeDataStartsFromTheBeginning() async throws {
    let run = run()
    try await interrupt(run)
    let second = download(run)
    run.session.end(try lastTask(), status: nil, error: URLError(.timedOut))
    #expect(await second.result.failure(as: NetworkError.self)?.code == .timedOut(.call))
    _ = download(run)
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
  }

  @Test func eachKeyHasItsResumeData() async throws {
    let run = run()
    try await interrupt(run, .get("films/7", .transferKey("seven")))
    _ = download(run, .get("films/7", .transferKey("eight")))
    #expect(try system.tasks[lastTask()]?.resumeData == nil && storedCount == 1)
    _ = download(run, .get("films/7", .transferKey("seven")))
    #expect(try system.tasks[lastTask()]?.resumeData == resumeData && storedCount == 0)
  }

  @Test func aProgramThatEndsBeforeTheDataIsRemovedFindsItsTask() async throws {
    try await interrupt(run())
    _ = download(run())
    let task = try lastTask()
    // The task is in the session, and the data is still there.
    let results = BackgroundResults(folder: folder.url("results"))
    var resumption = BackgroundResumption(interruption)
    let record = try #require(BackgroundRecord(system.tasks[task]?.description))
    resumption.identity = record.identity
    results.store(resumption, for: record.key)
    #expect(storedCount == 1)
    let later = run()
    let found = download(later)
    #expect(system.tasks.count == 1)
    later.session.end(task, file: try received())
    #expect(try await found.value.file == target)
    #expect(storedCount == 0)
  }

  // MARK: Another request

  @Test(arguments: ["films/8", "films/7?signature=2"])
  func resumeDataOfAnotherURLIsNotUsed(_ path: String) async throws {
    let run = run()
    try await interrupt(run, .get("films/7", .transferKey("film")))
    _ = download(run, .get("\(path)", .transferKey("film")))
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
    #expect(storedCount == 0)
  }

  @Test func resumeDataWithTheTokenOfAnotherUserIsNotUsed() async throws {
    let run = run()
    run.networking.authenticate(bearerToken: "of-ada")
    try await interrupt(run)
    run.networking.authenticate(bearerToken: "of-grace")
    let second = download(run)
    #expect(try system.tasks[lastTask()]?.resumeData == nil && storedCount == 0)
    run.session.end(try lastTask(), status: nil, error: interruption)
    _ = await second.result
    _ = download(run)
    #expect(try system.tasks[lastTask()]?.resumeData == resumeData)
  }

  @Test func resumeDataOfASessionWithOtherFieldsIsNotUsed() async throws {
    func run(_ user: String) -> BackgroundRun {
      BackgroundRun(system, in: folder, headers: ["X-User": user])
    }
    try await interrupt(run("ada"))
    _ = download(run("grace"))
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
  }

  @Test func aRequestOfARangeIsNotContinued() async throws {
    let run = run()
    try await interrupt(run, .get("films/7", .headers(["Range": "bytes=0-9"])))
    #expect(storedCount == 0)
  }

  // MARK: Cancellation

  @Test(arguments: [true, false])
  func cancellingTheKeyRemovesTheResumeData(isListed: Bool) async throws {
    let request = Request.get("films/7", .transferKey("film-7"))
    try await interrupt(run(), request)
    let later = run(lists: isListed)
    let cancellation = later.networking.cancelBackgroundTransfer(forKey: "film-7")
    if !isListed { later.session.list() }
    try await cancellation.value
    #expect(storedCount == 0)
    _ = download(later, request)
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
  }

  @Test func theResumeDataOfACancelledTaskIsNotStored() async throws {
    let run = run()
    let download = download(run, .get("films/7", .transferKey("film-7")))
    let task = try lastTask()
    run.networking.cancelBackgroundTransfer(forKey: "film-7")
    run.session.end(task, status: nil, error: interruption)
    #expect(await download.result.failure(as: NetworkError.self)?.code == .cancelled)
    #expect(storedCount == 0)
  }

  // MARK: Refusal

  @Test func refusedResumeDataStartsTheDownloadFromTheBeginningOnce() async throws {
    let run = run()
    try await interrupt(run)
    let again = download(run)
    let second = download(run)
    run.session.end(try lastTask(), status: nil, error: refusal)
    let task = try lastTask()
    #expect(system.tasks.count == 1 && system.tasks[task]?.resumeData == nil)
    #expect(system.tasks[task]?.isResumed == true)
    // The same error is now that of the download.
    run.session.end(task, status: nil, error: refusal)
    #expect(await again.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(await second.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(system.tasks.isEmpty)
  }

  @Test func theSameErrorOfADownloadFromTheBeginningIsItsFailure() async throws {
    let run = run()
    let download = download(run)
    run.session.end(try lastTask(), status: nil, error: refusal)
    #expect(await download.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(system.tasks.isEmpty)
  }

  @Test(arguments: [true, false])
  func aRefusalAfterARelaunchStartsTheDownloadOfACaller(isListed: Bool) async throws {
    let first = run()
    try await interrupt(first)
    _ = download(first)
    let refused = try lastTask()
    let later = run(lists: isListed)
    let found = download(later)
    later.session.end(refused, status: nil, error: refusal)
    if !isListed { later.session.list() }
    let task = try lastTask()
    #expect(task != refused && system.tasks[task]?.resumeData == nil)
    later.session.end(task, file: try received())
    #expect(try await found.value.file == target)
  }

  @Test func aRangeThatTheServerRejectsStartsTheDownloadFromTheBeginning() async throws {
    let run = run()
    try await interrupt(run)
    let again = download(run)
    run.session.end(try lastTask(), status: 416, file: try received("too far"))
    #expect(try system.tasks[lastTask()]?.resumeData == nil)
    run.session.end(try lastTask(), file: try received())
    #expect(try await again.value.status == 200)
  }

  @Test func aContinuationWithoutItsBeginningReplacesNothingAndStartsAgain() async throws {
    try Data("older".utf8).write(to: target)
    let run = run()
    try await interrupt(run)
    let again = download(run)
    run.session.end(
      try lastTask(), status: 206, headers: ["Content-Range": "bytes 2-3/4"],
      file: try received("lm"))
    #expect(try String(contentsOf: target, encoding: .utf8) == "older")
    run.session.end(try lastTask(), file: try received())
    #expect(try await again.value.file == target)
    #expect(try String(contentsOf: target, encoding: .utf8) == "film")
  }
}
