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
struct BackgroundClientTests {
  private let folder = TemporaryFolder()
  private let system = FakeBackgroundSystem()

  private var target: URL { folder.url("films/7.mp4") }

  private func received(_ content: String = "film") throws -> URL {
    try folder.file(UUID().uuidString, content)
  }

  private func run(lists: Bool = true) -> BackgroundRun {
    BackgroundRun(system, in: folder, lists: lists)
  }

  /// The number of the first task, which has been started before the call of the client returned.
  private func startedTask() throws -> Int {
    try #require(system.tasks.filter { $0.value.isResumed }.keys.min())
  }

  // MARK: In one run

  @Test func aDownloadMovesTheFileAndFulfilsThePromise() async throws {
    let run = run()
    let download = run.networking.download(.get("films/7"), to: target)
    let task = try startedTask()
    let file = try received()
    run.session.end(task, headers: ["Content-Type": "video/mp4"], file: file)
    let response = try await download.validate().value
    #expect(response.file == target && response.status == 200)
    #expect(response.contentType?.description == "video/mp4")
    #expect(try String(contentsOf: target, encoding: .utf8) == "film")
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(folder.names.contains("results") == false)
  }

  @Test func anotherStatusThan2xxLeavesTheFileAndHasTheBody() async throws {
    let run = run()
    let download = run.networking.download(.get("films/7"), to: target)
    run.session.end(
      try startedTask(), status: 404, file: try received(#"{"message":"none"}"#))
    let error = try #require(await download.validate().result.failure(as: NetworkError.self))
    #expect(error.code == .unacceptableStatus(404))
    #expect(error.body == Data(#"{"message":"none"}"#.utf8))
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test func anUploadHasTheResponseInMemory() async throws {
    let run = run()
    let film = try folder.file("film.mp4", "film")
    let upload = run.networking.request(.upload(file: film, to: "films", contentType: "video/mp4"))
    let task = try startedTask()
    #expect(system.tasks[task]?.request?.httpMethod == "POST")
    #expect(system.tasks[task]?.request?.value(forHTTPHeaderField: "Content-Type") == "video/mp4")
    run.session.end(task, status: 201, body: Data(#"{"id":7}"#.utf8))
    #expect(try await upload.validate().toJson().value["id"].int == 7)
  }

  @Test func aResponseToAnUploadBeyondTheLimitFails() async throws {
    let run = run()
    let film = try folder.file("film.mp4", "film")
    let upload = run.networking.request(.upload(file: film, to: "films"))
    run.session.end(
      try startedTask(), body: Data(count: BackgroundTransport.bodyLimit + 1))
    #expect(await upload.result.failure(as: NetworkError.self)?.code == .bodyTooLarge)
  }

  @Test func aFileThatCannotBeWrittenFails() async throws {
    let run = run()
    let download = run.networking.download(.get("films/7"), to: target, replacing: false)
    let task = try startedTask()
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("older".utf8).write(to: target)
    run.session.end(task, file: try received())
    #expect(await download.result.failure(as: NetworkError.self)?.code == .fileNotWritten)
    #expect(try String(contentsOf: target, encoding: .utf8) == "older")
  }

  @Test func cancellingTheOnlyPromiseCancelsTheTask() async throws {
    let run = run()
    let download = run.networking.download(.get("films/7"), to: target)
    let task = try startedTask()
    download.cancel()
    #expect(system.tasks[task]?.isCancelled == true)
    run.session.end(task, status: nil)
    let lists = try await run.networking.backgroundTransfers().value
    #expect(lists.unfinished.isEmpty && lists.finished.isEmpty)
  }

  @Test func theSameCallJoinsItsTransfer() async throws {
    let run = run()
    let first = run.networking.download(.get("films/7"), to: target)
    let task = try startedTask()
    let second = run.networking.download(.get("films/7"), to: target)
    let other = run.networking.download(.get("films/8"), to: folder.url("8.mp4"))
    first.cancel()
    #expect(system.tasks.count == 2 && system.tasks[task]?.isCancelled == false)
    run.session.end(task, file: try received())
    #expect(try await second.value.file == target)
    other.cancel()
  }

  @Test func theProgressOfATaskReachesItsCallers() async throws {
    let run = run()
    let reports = Log<TransferProgress>()
    let download = run.networking.download(
      .get("films/7"), to: target, .onProgress { reports.append($0) })
    let task = try startedTask()
    run.session.report(task) { $0.received = .init(bytes: 1, total: 4) }
    run.session.end(task, file: try received())
    _ = try await download.value
    #expect(reports.entries.first?.received.fraction == 0.25)
  }

  @Test func interceptorsAndCredentialsApplyToTheTask() async throws {
    let run = run()
    run.networking.authenticate(bearerToken: "t-1")
    run.networking.interceptors = [
      RequestAdapter { (request: HTTPRequest) -> HTTPRequest in
        var request = request
        request.headers["X-Tenant"] = "acme"
        return request
      }
    ]
    let download = run.networking.download(.get("films/7"), to: target)
    let task = try startedTask()
    #expect(system.tasks[task]?.request?.timeoutInterval == 60)
    let fields = system.tasks[task]?.request?.allHTTPHeaderFields ?? [:]
    #expect(fields.first { $0.key.lowercased() == "authorization" }?.value == "Bearer t-1")
    #expect(fields.first { $0.key.lowercased() == "x-tenant" }?.value == "acme")
    download.cancel()
  }

  @Test func monitorsReceiveTheEventsOfACall() async throws {
    let run = run()
    let monitor = RecordingMonitor()
    run.networking.addMonitor(monitor)
    let download = run.networking.download(.get("films/7"), to: target)
    run.session.end(try startedTask(), file: try received())
    _ = try await download.value
    let events = await monitor.events(ofCalls: 1)
    #expect(events.contains { "\($0.kind)".contains("200") })
  }

  @Test func transfersDoNotWaitInTheQueueOfTheClient() {
    let session = FakeBackgroundSession(system)
    let transport = BackgroundTransport(
      identifier: "films", results: BackgroundResults(folder: folder.url("results")),
      session: session)
    let networking = Networking<Request>(
      mode: .sync, sessionConfiguration: .background(over: transport))
    session.list()
    for number in 1...3 {
      networking.download(
        .get("https://api.example.com/films/\(number)"), to: folder.url("\(number)"))
    }
    #expect(system.tasks.count == 3)
    networking.cancelAllRequests()
    #expect(system.tasks.values.allSatisfy { $0.isCancelled })
  }

  private struct Provider: TransportProvider {
    let mock = FakeTransport { _ in .response(200, [:], "mocked") }

    func transport(for endpoint: Request, real: any Transport) -> (any Transport)? {
      endpoint.path.text == "films/7" ? mock : nil
    }
  }

  @Test func mocksTakeThePlaceOfTheSession() async throws {
    let transport = BackgroundTransport(
      identifier: "films", results: BackgroundResults(folder: folder.url("results")),
      session: FakeBackgroundSession(system))
    let networking = Networking<Request>(
      mockProvider: Provider(), sessionConfiguration: .background(over: transport))
    networking.baseURL = URL(string: "https://api.example.com/")
    networking.callbackContext = .inline
    #expect(try await networking.download(.get("films/7"), to: target).value.file == target)
    #expect(try await networking.request(.get("films/7")).toString().value == "mocked")
    #expect(system.tasks.isEmpty)
  }

  // MARK: Refusals

  private static let refusals: [(Request, String)] = [
    (.get("films"), "use download(_:to:) or .upload(file:to:)"),
    (.post("films", parameters: ["title": "Fish"]), "write the body to a file"),
    (.upload(data: Data([1]), to: "films"), "write the body to a file"),
    (
      .upload(stream: BodyStream { AsyncStream { $0.finish() } }, to: "films"),
      "write the body to a file"
    ),
  ]

  @Test(arguments: refusals.indices)
  func aRequestWithoutAFileIsRefusedWithTheAlternative(_ index: Int) async throws {
    let (request, alternative) = Self.refusals[index]
    let result = await run().networking.request(request).result
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .unsupported && error.reason?.contains(alternative) == true)
    #expect(system.tasks.isEmpty)
  }

  @Test func optionsThatNeedTheClientAreRefused() async throws {
    let networking = run().networking
    let film = try folder.file("film.mp4", "film")
    let upload = Request.upload(file: film, to: "films")
    var results = [
      await networking.request(upload, .compression(.gzip)).result,
      await networking.request(upload, .timeout(.seconds(5))).result,
      await networking.request(upload, .storedOffline).result,
      await networking.request(upload, .retry(.immediate(limit: 1))).result,
      await networking.request(upload, .cache(.reload)).result,
      await networking.request(upload, .cache(lifetime: .seconds(5))).result,
      await networking.stream(.get("films/7")).result,
      await networking.transfer(upload).response.result,
      await networking.transfer(.get("films/7"), to: target).response.result,
      await networking.download(.post("films", parameters: ["a": 1]), to: target).result,
    ]
    networking.interceptors[.hop] = [HeaderInjector { _ in ["X-Hop": "1"] }]
    results.append(await networking.download(.get("films/7"), to: target).result)
    for result in results {
      #expect(result.failure(as: NetworkError.self)?.code == .unsupported)
    }
    #expect(system.tasks.isEmpty)
  }

  @Test func aMissingFileIsRefusedBeforeATaskIsMade() async {
    let networking = run().networking
    let result = await networking.request(.upload(file: folder.url("none"), to: "films")).result
    #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
    #expect(system.tasks.isEmpty)
  }

  @Test func aClientWithoutASessionRefusesItsMethods() async {
    let networking = Networking<Request>(transport: FakeTransport { _ in .response(200) })
    networking.callbackContext = .inline
    let codes = [
      await networking.handleBackgroundTransferEvents(identifier: "films").result.failure(
        as: NetworkError.self)?.code,
      await networking.backgroundTransfers().result.failure(as: NetworkError.self)?.code,
      await networking.backgroundTransferResponse(forKey: "a").result.failure(
        as: NetworkError.self)?.code,
      await networking.cancelBackgroundTransfer(forKey: "a").result.failure(
        as: NetworkError.self)?.code,
      await run().networking.handleBackgroundTransferEvents(identifier: "other").result.failure(
        as: NetworkError.self)?.code,
    ]
    #expect(codes.count == 5 && codes.allSatisfy { $0 == .unsupported })
  }
}
