import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import Networking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct TapeTests {
  private let folder = TemporaryFolder()

  /// Returns a transport whose response bodies are numbered.
  private func network() -> FakeTransport {
    let count = Counter()
    return FakeTransport { _ in
      .response(200, ["Content-Type": "text/plain"], "response \(count.add())")
    }
  }

  @Test func onceRecordsWithoutAFileAndReplaysWithOne() async throws {
    let network = network()
    let first = try Tape(folder.tape, mode: .once, over: network)
    #expect(first.isRecording)
    let recorded = await first.get("https://a.test/boards")
    try first.save()
    let second = try Tape(folder.tape, mode: .once, over: network)
    #expect(!second.isRecording)
    #expect(await second.get("https://a.test/boards").hasSameResponse(as: recorded))
    #expect(await second.get("https://a.test/other").failure?.code == .mockFailed)
    #expect(network.requests.count == 1)
  }

  @Test func noneNeverRecordsAndRequiresTheFile() throws {
    let file = folder.tape
    #expect(throws: RecordingError.missing(file: file)) {
      try Tape(file, mode: .none, over: network())
    }
    #expect(throws: RecordingError.missing(file: file)) { try Tape(replaying: file) }
    #expect(folder.names.isEmpty)
  }

  @Test func allRecordsAgainAndKeepsTheOldFileUntilItIsSaved() async throws {
    let network = network()
    for expected in ["response 1", "response 2"] {
      let tape = try Tape(folder.tape, mode: .all, over: network)
      #expect(await tape.get("https://a.test/").body == Data(expected.utf8))
      if expected == "response 2" {
        let old = try HAR(contentsOf: folder.tape)
        #expect(old.log.entries.map(\.response.content.text) == ["response 1"])
      }
      try tape.save()
    }
    let new = try HAR(contentsOf: folder.tape)
    #expect(new.log.entries.map(\.response.content.text) == ["response 2"])
  }

  @Test func passthroughNeitherReadsNorWrites() async throws {
    let file = try folder.file("tape.har", "no archive")
    let tape = try Tape(file, mode: .passthrough, over: network())
    #expect(await tape.get("https://a.test/").body == Data("response 1".utf8))
    try tape.save()
    #expect(try String(contentsOf: file, encoding: .utf8) == "no archive")
  }

  @Test(arguments: [Tape.RepeatPolicy.repeats, .fails])
  func aSequenceReplaysInOrder(_ afterLast: Tape.RepeatPolicy) async throws {
    let tape = try Tape(folder.tape, over: network())
    for _ in 1...3 { _ = await tape.get("https://a.test/poll") }
    try tape.save()
    let replay = try Tape(
      replaying: folder.tape, options: Tape.Options(afterLast: afterLast))
    var bodies: [String] = []
    for _ in 1...3 {
      bodies.append(String(decoding: await replay.get("https://a.test/poll").body, as: UTF8.self))
    }
    #expect(bodies == ["response 1", "response 2", "response 3"])
    let fourth = await replay.get("https://a.test/poll")
    switch afterLast {
    case .repeats: #expect(fourth.body == Data("response 3".utf8))
    case .fails:
      #expect(fourth.failure?.code == .mockFailed)
      #expect(
        fourth.reason
          == "GET https://a.test/poll was recorded 3 times in tape.har, and every recorded "
          + "response has been replayed")
    }
  }

  @Test(arguments: [
    NetworkError.Code.cannotConnect, .dnsFailed, .timedOut(.idle), .tlsUntrusted, .connectionLost,
  ])
  func aFailureReplaysWithItsCodeAndPartialBody(_ code: NetworkError.Code) async throws {
    let network = FakeTransport { request in
      let failure = TransportEvent.failure(TransportFailure(code: code, detail: "it broke"))
      return request.url.path == "/early"
        ? [failure]
        : [.head(HTTPResponseHead(status: 200)), .body(Data("half".utf8)), failure]
    }
    let tape = try Tape(folder.tape, over: network)
    let recorded = (await tape.get("https://a.test/early"), await tape.get("https://a.test/late"))
    try tape.save()
    let replay = try Tape(replaying: folder.tape)
    #expect(await replay.get("https://a.test/early").hasSameResponse(as: recorded.0))
    let late = await replay.get("https://a.test/late")
    #expect(late.hasSameResponse(as: recorded.1))
    #expect(
      late.body == Data("half".utf8) && late.failure?.code == code && late.reason == "it broke")
  }

  @Test func anUnsavedTapeIsAPartialFileThatIsNeverReplayed() async throws {
    do {
      let tape = try Tape(folder.tape, over: network())
      _ = await tape.get("https://a.test/1")
      _ = await tape.get("https://a.test/2")
      #expect(tape.entries.count == 2)
    }
    #expect(folder.names == ["tape.har.partial"])
    let partial = try HAR(contentsOf: folder.url("tape.har.partial"))
    #expect(partial.log.entries.map(\.request.url) == ["https://a.test/1", "https://a.test/2"])
    let tape = try Tape(folder.tape, over: network())
    #expect(tape.isRecording)
    try tape.save()
    #expect(folder.names == ["tape.har", "tape.har.partial"])
  }

  @Test func aLaterRecordingKeepsThePartialFilesOfEarlierOnes() async throws {
    for number in 1...3 {
      // The second one has no exchanges, so that there is nothing to keep.
      let tape = try Tape(folder.tape, over: network())
      if number != 2 { _ = await tape.get("https://a.test/") }
      #expect(tape.entries.count == (number == 2 ? 0 : 1))
      let earlier = number == 1 ? [] : ["tape.har.partial"]
      let own = number == 1 ? "tape.har.partial" : "tape.har.2.partial"
      #expect(folder.names == (earlier + [own, "tape.har.lock"]).sorted())
      #expect(
        tape.warnings.map(\.description)
          == earlier.map { "\($0) has exchanges of an earlier recording that was not saved" })
    }
    #expect(folder.names == ["tape.har.2.partial", "tape.har.partial"])
    for name in folder.names {
      #expect(try HAR(contentsOf: folder.url(name)).log.entries.count == 1)
    }
  }

  @Test func onlyOneTapeAtATimeRecordsToAFile() async throws {
    let first = try Tape(folder.tape, mode: .all, over: network())
    _ = await first.get("https://a.test/first")
    let inUse = RecordingError.fileInUse(file: folder.tape)
    #expect(throws: inUse) { try Tape(folder.tape, mode: .all, over: network()) }
    #expect(first.entries.count == 1)
    #expect(folder.names == ["tape.har.lock", "tape.har.partial"])
    let draft = try HAR(contentsOf: folder.url("tape.har.partial"))
    #expect(draft.log.entries.count == 1)
    try first.save()
    #expect(folder.names == ["tape.har"])

    // A saved tape has no lock until it is saved again.
    let second = try Tape(folder.tape, mode: .all, over: network())
    #expect(throws: inUse) { try first.save() }
    _ = await second.get("https://a.test/second")
    try second.save()
    #expect(
      try HAR(contentsOf: folder.tape).log.entries.map(\.request.url) == ["https://a.test/second"])
    try first.save()
    #expect(folder.names == ["tape.har"])
    #expect(
      try HAR(contentsOf: folder.tape).log.entries.map(\.request.url) == ["https://a.test/first"])
  }

  @Test func aThrowingBodyEndsTheRecordingAlthoughAnExchangeIsInProgress() async throws {
    let endless = FakeTransport { _ in [.head(HTTPResponseHead(status: 200))] }
    let retained = Log<any TransportHandle>()
    await #expect(throws: TestError("no")) {
      try await withTape(folder.tape, over: endless) { tape in
        retained.append(tape.start(HTTPRequest(url: .of("https://a.test/"))) { _ in })
        throw TestError("no")
      }
    }
    #expect(folder.names.isEmpty)
    try await withTape(folder.tape, over: network()) { _ = await $0.get("https://a.test/") }
    #expect(folder.names == ["tape.har"])
    #expect(retained.entries.count == 1)
  }

  @Test func withTapeSavesUnlessItsBodyThrows() async throws {
    let network = network()
    await #expect(throws: TestError("no")) {
      try await withTape(folder.tape, over: network) { tape in
        _ = await tape.get("https://a.test/")
        throw TestError("no")
      }
    }
    #expect(folder.names == ["tape.har.partial"])
    try await withTape(folder.tape, over: network) { tape in
      _ = await tape.get("https://a.test/")
    }
    #expect(folder.names == ["tape.har", "tape.har.partial"])
  }

  @Test func entriesAreOrderedByTheirStart() async throws {
    let gates = Log<@Sendable (TransportEvent) -> Void>()
    let tape = try Tape(folder.tape, over: Gated(gates: gates))
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

  @Test func manyThreadsRecordAndReplayConcurrently() async throws {
    let network = FakeTransport { request in .response(200, [:], request.url.path) }
    let tape = try Tape(folder.tape, over: network)
    func run(_ tape: Tape) async -> Int {
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            guard let url = URL(string: "https://a.test/\(number % 50)") else { return false }
            return await tape.perform(HTTPRequest(url: url)).body == Data("/\(number % 50)".utf8)
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    #expect(await run(tape) == 200)
    try tape.save()
    #expect(try HAR(contentsOf: folder.tape).log.entries.count == 200)
    let replay = try Tape(replaying: folder.tape)
    #expect(await run(replay) == 200)
    #expect(replay.unplayed.isEmpty)
  }

  @Test func aResponseAboveTheLimitDoesNotLoseTheSession() async throws {
    let tape = try Tape(folder.tape, over: network(), options: Tape.Options(bodyLimit: 10))
    #expect(await tape.get("https://a.test/large").body == Data("response 1".utf8))
    for _ in 2...9 { _ = await tape.get("https://a.test/small") }
    #expect(await tape.get("https://a.test/large").body == Data("response 10".utf8))
    let problem =
      "the body of 11 bytes was not recorded, because it is larger than the limit of 10 bytes"
    #expect(
      tape.warnings.map(\.description) == ["log.entries[9], GET https://a.test/large: \(problem)"])
    try tape.save()
    #expect(folder.names == ["tape.har"])
    let content = try #require(try HAR(contentsOf: folder.tape).log.entries.last).response.content
    #expect(content.isOmitted && content.size == 11 && content.text == nil)
    #expect(content.comment == problem)
    let replay = try Tape(replaying: folder.tape)
    #expect(await replay.get("https://a.test/small").body == Data("response 2".utf8))
    #expect(await replay.get("https://a.test/large").body == Data("response 1".utf8))
    let failed = await replay.get("https://a.test/large")
    #expect(failed.failure?.code == .mockFailed)
    #expect(failed.reason.contains("has a body of 11 bytes that was not recorded"))
  }

  @Test func theBodiesOfASessionHaveALimit() async throws {
    let tape = try Tape(folder.tape, over: network(), options: Tape.Options(totalBodyLimit: 25))
    for _ in 1...4 { _ = await tape.get("https://a.test/") }
    try tape.save()
    let har = try HAR(contentsOf: folder.tape)
    #expect(har.log.entries.map(\.response.content.isOmitted) == [false, false, true, true])
    #expect(tape.warnings.map(\.entry) == [2, 3])
  }

  @Test func anExchangeWithASuspectedTokenCanBeLeftOut() async throws {
    let network = FakeTransport { request in
      .response(200, ["X-Trace": request.url.path == "/b" ? "Zx81Qw9LmN4tRv7bKp2sYd6h" : "-"], "a")
    }
    let tape = try Tape(
      folder.tape, over: network, options: Tape.Options(suspectedTokens: .leavesOut))
    for url in [URL.of("https://a.test/a"), .of("https://a.test/b"), .of("https://a.test/c")] {
      _ = await tape.perform(HTTPRequest(url: url))
    }
    try tape.save()
    let urls = try HAR(contentsOf: folder.tape).log.entries.map(\.request.url)
    #expect(urls == ["https://a.test/a", "https://a.test/c"])
    #expect(
      tape.warnings.map(\.problem) == [
        "left out: a value looks like a secret: log.entries[1].response.headers[X-Trace]"
      ])
  }

  @Test func theFileIsReadableOnlyByItsOwner() async throws {
    _ = try folder.file("tape.har.partial", "left behind, readable by all")
    let tape = try Tape(folder.tape, over: network())
    _ = await tape.get("https://a.test/")
    #expect(try mode("tape.har.partial") == 0o600)
    try tape.save()
    #expect(try mode("tape.har") == 0o600)
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.url(name).path)[.posixPermissions]
      as? Int
  }

  @Test func anUnwritableFileIsOneErrorWithAReason() throws {
    let file = try folder.file("plain", "").appending(path: "tape.har")
    let error = #expect(throws: RecordingError.self) { try Tape(file, over: network()) }
    #expect(error?.description.hasPrefix("\(file.path) cannot be written: ") == true)
  }

  @Test func aMissingFolderIsCreated() async throws {
    let file = folder.url("tapes/new/tape.har")
    try await withTape(file, over: network()) { _ = await $0.get("https://a.test/") }
    #expect(try HAR(contentsOf: file).log.entries.count == 1)
  }

  @Test func equalExchangesProduceEqualFiles() async throws {
    for name in ["a.har", "b.har"] {
      let options = Tape.Options(now: { Date(timeIntervalSince1970: 1_700_000_000.123) })
      try await withTape(folder.url(name), over: network(), options: options) { tape in
        for _ in 1...3 { _ = await tape.get("https://a.test/", ["B": "1", "A": "2"]) }
      }
    }
    let first = try Data(contentsOf: folder.url("a.har"))
    #expect(first == (try Data(contentsOf: folder.url("b.har"))))
    #expect(
      String(decoding: first, as: UTF8.self).contains(
        #""startedDateTime" : "2023-11-14T22:13:20.123Z""#))
  }
}
