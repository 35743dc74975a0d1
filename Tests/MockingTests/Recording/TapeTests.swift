import Foundation
import Mocking
import Networking
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TapeTests {
  private let folder: TapeFolder

  init() throws {
    folder = try TapeFolder()
  }

  /// Counts its answers.
  private func network() -> FakeTransport {
    let count = Counter()
    return FakeTransport { _ in
      .response(200, ["Content-Type": "text/plain"], "answer \(count.add())")
    }
  }

  @Test func onceRecordsWhereThereIsNoFileAndReplaysWhereThereIs() async throws {
    let network = network()
    let first = try Tape(folder.file(), mode: .once, over: network)
    #expect(first.isRecording)
    let answer = await first.get("https://a.test/boards")
    try first.save()
    let second = try Tape(folder.file(), mode: .once, over: network)
    #expect(!second.isRecording)
    #expect(await second.get("https://a.test/boards") == answer)
    #expect(await second.get("https://a.test/other").failure == .mockFailed)
    #expect(network.requests.count == 1)
  }

  @Test func noneNeverRecordsAndNeedsTheFile() throws {
    let file = folder.file()
    #expect(throws: RecordingError.missing(file: file)) {
      try Tape(file, mode: .none, over: network())
    }
    #expect(throws: RecordingError.missing(file: file)) { try Tape(replaying: file) }
    #expect(try folder.names.isEmpty)
  }

  @Test func allRecordsAnewAndKeepsTheOldUntilItIsSaved() async throws {
    let network = network()
    for expected in ["answer 1", "answer 2"] {
      let tape = try Tape(folder.file(), mode: .all, over: network)
      #expect(await tape.get("https://a.test/").body == Data(expected.utf8))
      if expected == "answer 2" {
        let old = try HAR(contentsOf: folder.file())
        #expect(old.log.entries.map(\.response.content.text) == ["answer 1"])
      }
      try tape.save()
    }
    let new = try HAR(contentsOf: folder.file())
    #expect(new.log.entries.map(\.response.content.text) == ["answer 2"])
  }

  @Test func passthroughReadsAndWritesNothing() async throws {
    let file = try folder.file("tape.har", holding: "no archive")
    let tape = try Tape(file, mode: .passthrough, over: network())
    #expect(await tape.get("https://a.test/").body == Data("answer 1".utf8))
    try tape.save()
    #expect(try String(contentsOf: file, encoding: .utf8) == "no archive")
  }

  @Test(arguments: [Tape.RepeatPolicy.repeats, .fails])
  func aSequenceReplaysInOrder(_ afterLast: Tape.RepeatPolicy) async throws {
    let tape = try Tape(folder.file(), over: network())
    for _ in 1...3 { _ = await tape.get("https://a.test/poll") }
    try tape.save()
    let replay = try Tape(
      replaying: folder.file(), options: Tape.Options(afterLast: afterLast))
    var bodies: [String] = []
    for _ in 1...3 {
      bodies.append(String(decoding: await replay.get("https://a.test/poll").body, as: UTF8.self))
    }
    #expect(bodies == ["answer 1", "answer 2", "answer 3"])
    let fourth = await replay.get("https://a.test/poll")
    switch afterLast {
    case .repeats: #expect(fourth.body == Data("answer 3".utf8))
    case .fails:
      #expect(fourth.failure == .mockFailed)
      #expect(
        fourth.reason
          == "GET https://a.test/poll was recorded 3 times in tape.har, and all is replayed")
    }
  }

  @Test(arguments: [
    NetworkError.Code.cannotConnect, .dnsFailed, .timedOut(.idle), .tlsUntrusted, .connectionLost,
  ])
  func aFailureReplaysWithItsCodeAndWhatCameBefore(_ code: NetworkError.Code) async throws {
    let network = FakeTransport { request in
      let failure = TransportEvent.failure(TransportFailure(code: code, detail: "it broke"))
      return request.url.path == "/early"
        ? [failure]
        : [.head(HTTPResponseHead(status: 200)), .body(Data("half".utf8)), failure]
    }
    let tape = try Tape(folder.file(), over: network)
    let recorded = (await tape.get("https://a.test/early"), await tape.get("https://a.test/late"))
    try tape.save()
    let replay = try Tape(replaying: folder.file())
    #expect(await replay.get("https://a.test/early") == recorded.0)
    let late = await replay.get("https://a.test/late")
    #expect(late == recorded.1)
    #expect(late.body == Data("half".utf8) && late.failure == code && late.reason == "it broke")
  }

  @Test func whatIsNotSavedIsBesideTheFileAndNeverReplayed() async throws {
    do {
      let tape = try Tape(folder.file(), over: network())
      _ = await tape.get("https://a.test/1")
      _ = await tape.get("https://a.test/2")
      #expect(tape.entries.count == 2)
    }
    #expect(try folder.names == ["tape.har.partial"])
    let draft = try HAR(contentsOf: folder.file("tape.har.partial"))
    #expect(draft.log.entries.map(\.request.url) == ["https://a.test/1", "https://a.test/2"])
    let tape = try Tape(folder.file(), over: network())
    #expect(tape.isRecording)
    try tape.save()
    #expect(try folder.names == ["tape.har"])
  }

  @Test func withTapeSavesUnlessItsCodeThrows() async throws {
    let network = network()
    await #expect(throws: TestError("no")) {
      try await withTape(folder.file(), over: network) { tape in
        _ = await tape.get("https://a.test/")
        throw TestError("no")
      }
    }
    #expect(try folder.names == ["tape.har.partial"])
    try await withTape(folder.file(), over: network) { tape in
      _ = await tape.get("https://a.test/")
    }
    #expect(try folder.names == ["tape.har"])
  }

  @Test func entriesAreInTheOrderInWhichTheyBegan() async throws {
    let gates = Log<@Sendable (TransportEvent) -> Void>()
    let tape = try Tape(folder.file(), over: Gated(gates: gates))
    let done = Log<Int>()
    for (number, url) in [
      URL.of("https://a.test/1"), .of("https://a.test/2"), .of("https://a.test/3"),
    ]
    .enumerated() {
      _ = tape.start(HTTPRequest(url: url)) { event in if case .end = event { done.append(number) }
      }
    }
    for gate in await gates.entries(3).reversed() {
      gate(.head(HTTPResponseHead(status: 200)))
      gate(.end(TransportMetrics()))
    }
    #expect(await done.entries(3) == [2, 1, 0])
    #expect(
      tape.entries.map(\.request.url) == [
        "https://a.test/1", "https://a.test/2", "https://a.test/3",
      ])
  }

  private struct Gated: Transport {
    let gates: Log<@Sendable (TransportEvent) -> Void>

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      gates.append(receive)
      return FakeTransport { _ in [] }.start(request) { _ in }
    }
  }

  @Test func manyThreadsRecordAndReplayAtOnce() async throws {
    let network = FakeTransport { request in .response(200, [:], request.url.path) }
    let tape = try Tape(folder.file(), over: network)
    func run(_ tape: Tape) async -> Int {
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            guard let url = URL(string: "https://a.test/\(number % 50)") else { return false }
            return await tape.play(HTTPRequest(url: url)).body == Data("/\(number % 50)".utf8)
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    #expect(await run(tape) == 200)
    try tape.save()
    #expect(try HAR(contentsOf: folder.file()).log.entries.count == 200)
    let replay = try Tape(replaying: folder.file())
    #expect(await run(replay) == 200)
    #expect(replay.unplayed.isEmpty)
  }

  @Test func aResponseBeyondTheLimitIsNotSaved() async throws {
    let tape = try Tape(folder.file(), over: network(), options: Tape.Options(bodyLimit: 3))
    #expect(await tape.get("https://a.test/").body == Data("answer 1".utf8))
    #expect(
      throws: RecordingError.tooLarge(
        file: folder.file(), places: ["log.entries[0].response.content"], limit: 3)
    ) { try tape.save() }
    #expect(try folder.names == ["tape.har.partial"])
  }

  @Test func theFileIsItsOwnersAlone() async throws {
    _ = try folder.file("tape.har.partial", holding: "left behind, readable by all")
    let tape = try Tape(folder.file(), over: network())
    _ = await tape.get("https://a.test/")
    #expect(try mode("tape.har.partial") == 0o600)
    try tape.save()
    #expect(try mode("tape.har") == 0o600)
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.file(name).path)[.posixPermissions]
      as? Int
  }

  @Test func aFileThatCannotBeWrittenIsOneClearError() throws {
    let file = try folder.file("plain", holding: "").appending(path: "tape.har")
    let error = #expect(throws: RecordingError.self) { try Tape(file, over: network()) }
    #expect(error?.description.hasPrefix("\(file.path) cannot be written: ") == true)
  }

  @Test func aFolderThatIsMissingIsMade() async throws {
    let file = folder.file("tapes/new/tape.har")
    try await withTape(file, over: network()) { _ = await $0.get("https://a.test/") }
    #expect(try HAR(contentsOf: file).log.entries.count == 1)
  }

  @Test func theSameExchangesMakeTheSameFile() async throws {
    for name in ["a.har", "b.har"] {
      let options = Tape.Options(now: { Date(timeIntervalSince1970: 1_700_000_000.123) })
      try await withTape(folder.file(name), over: network(), options: options) { tape in
        for _ in 1...3 { _ = await tape.get("https://a.test/", ["B": "1", "A": "2"]) }
      }
    }
    let first = try Data(contentsOf: folder.file("a.har"))
    #expect(first == (try Data(contentsOf: folder.file("b.har"))))
    #expect(
      String(decoding: first, as: UTF8.self).contains(
        #""startedDateTime" : "2023-11-14T22:13:20.123Z""#))
  }
}
