import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct OfflineReplayTests {
  private let temporary = TemporaryStore()
  private let store: OfflineStore

  init() throws {
    store = try temporary.open()
  }

  private func add(_ names: String..., in queue: String = "") throws {
    for name in names { try store.add(.put("https://a.test/\(name)"), in: queue) }
  }

  @Test func deliveredEntriesAreRemovedInOrderAndReportedAsProgress() async throws {
    try add("1", "2", "3")
    let sent = Log<String>()
    let progress = Log<String>()
    let report = try await store.replay {
      progress.append("\($0.completed)/\($0.total)")
    } _: { entry in
      sent.append(entry.request.path.text)
      return .fulfilled(.of(201))
    }.value
    #expect(sent.entries == ["https://a.test/1", "https://a.test/2", "https://a.test/3"])
    #expect(progress.entries == ["1/3", "2/3", "3/3"])
    #expect(report.delivered.map(\.number) == [1, 2, 3])
    #expect(try store.count == 0)
  }

  /// As another process does while this one is suspended.
  @Test func aReplayThatIsTakenOverSendsNothingMore() async throws {
    try add("1", "2", "3")
    let lease = store.folder.appending(path: "replay.lock")
    let report = try await store.replay { _ in
      try FileManager.default.removeItem(at: lease)
      return .fulfilled(.of(201))
    }.value
    #expect(report.delivered.map(\.number) == [1] && report.errors.isEmpty)
    #expect(report.kept.map(\.entry.number) == [2, 3])
    #expect((report.kept.first?.error as? NetworkError)?.code == .offlineStoreBusy)
    #expect(try store.count == 2)
  }

  @MainActor
  @Test func entriesAreSentAndReportedOnTheActorOfTheClosures() async throws {
    try add("1", "2")
    let (sent, progress) = (MainActorLog<String>(), MainActorLog<Int>())
    let report = try await store.replay {
      progress.append($0.completed)
    } _: { entry in
      sent.append(entry.request.path.text)
      return .fulfilled(.of(201))
    }.value
    await mainQueueHasRun()
    #expect(sent.entries == ["https://a.test/1", "https://a.test/2"] && sent.isOfMainQueue)
    #expect(progress.entries == [1, 2] && progress.isOfMainQueue)
    #expect(report.delivered.count == 2)
  }

  @Test(arguments: [
    (200, "delivered"), (304, "kept"), (400, "failed"), (403, "kept"), (404, "failed"),
    (401, "kept"), (407, "kept"), (408, "kept"),
    (425, "kept"), (429, "kept"), (500, "kept"), (502, "kept"), (503, "kept"), (504, "kept"),
  ])
  func theStatusDecidesTheResult(_ status: Int, _ outcome: String) async throws {
    try add("1")
    let report = try await store.replay { _ in .fulfilled(.of(status)) }.value
    try check(report, outcome)
    try add("2")
    let validated = try await store.replay { entry in
      let request = HTTPRequest(method: .put, url: .of("https://a.test/2"))
      let response = Response(head: HTTPResponseHead(status: status), request: request)
      return NetworkPromise.fulfilled(response).validate(statusCodes: 200..<300)
    }.value
    try check(validated, outcome)
  }

  @Test func aStatusOfAnotherRequestIsNotFinal() async throws {
    try add("1")
    let report = try await store.replay { _ in
      NetworkPromise.fulfilled(.of(404)).validate()
    }.value
    try check(report, "kept")
  }

  @Test(arguments: [
    NetworkError.Code.dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet,
    .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .timedOut(.call),
    .circuitOpen,
  ])
  func theseCodesAreConnectivityFailures(_ code: NetworkError.Code) {
    #expect(code.isNetworkUnavailable)
  }

  @Test(arguments: [
    NetworkError.Code.invalidURL, .tlsUntrusted, .cancelled, .malformedResponse,
    .unacceptableStatus(503), .offlineStoreFull,
  ])
  func otherCodesAreNotConnectivityFailures(_ code: NetworkError.Code) {
    #expect(!code.isNetworkUnavailable)
  }

  @Test func errorsOfTheSenderAndCancellationsAreNotFinal() async throws {
    try add("1", in: "a")
    try add("2", in: "b")
    let report = try await store.replay { entry in
      if entry.number == 1 { throw TestError("mine") }
      return .rejected(CancellationError())
    }.value
    let kept = report.kept.sorted { $0.entry.number < $1.entry.number }
    #expect(kept.map(\.entry.number) == [1, 2])
    #expect(kept.first?.error as? TestError == TestError("mine"))
    #expect(kept.last?.error is CancellationError)
  }

  @Test func aPolicyDecidesAboutTheResultsOfASender() async throws {
    try add("1", "2")
    let policy = ReplayPolicy.deciding { entry, _, proposed in
      entry.number == 1 ? .remove : proposed
    }
    let report = try await store.replay(policy: policy) { _ in throw TestError("mine") }.value
    #expect(report.failed.map { $0.error as? TestError } == [TestError("mine")])
    #expect(report.kept.map(\.entry.number) == [2])
  }

  private func check(_ report: OfflineStore.Report, _ outcome: String) throws {
    #expect(report.delivered.count == (outcome == "delivered" ? 1 : 0))
    #expect(report.failed.count == (outcome == "failed" ? 1 : 0))
    #expect(report.kept.count == (outcome == "kept" ? 1 : 0))
    #expect(try store.entries.map(\.attempts) == (outcome == "kept" ? [1] : []))
    try store.removeAll()
  }

  @Test func aConnectivityFailureStopsItsQueueOnly() async throws {
    try add("1", "2", in: "off")
    try add("3", "4", in: "on")
    let sent = Log<Int>()
    let report = try await store.replay { entry in
      sent.append(entry.number)
      return entry.queue == "on" ? .fulfilled(.of(200)) : .rejected(NetworkError(.dnsFailed))
    }.value
    #expect(sent.entries.sorted() == [1, 3, 4])
    #expect(report.kept.map(\.entry.number).sorted() == [1, 2])
    #expect(report.kept.count { $0.error == nil } == 1)
    #expect(try store.entries.map(\.attempts) == [1, 0])
  }

  @Test func aRejectedRequestDoesNotStopItsQueue() async throws {
    try add("1", "2")
    let report = try await store.replay { .fulfilled(.of($0.number == 1 ? 422 : 200)) }.value
    #expect(report.failed.map(\.entry.number) == [1])
    #expect(report.delivered.map(\.number) == [2])
  }

  @Test func queuesRunConcurrentlyUpToTheLimitAndEachSerially() async throws {
    for queue in ["a", "b", "c"] { try add("1", "2", in: queue) }
    let pending = Log<Resolver<Response>>()
    let queues = Log<String>()
    let replay = store.replay(concurrency: 2) { entry in
      queues.append("\(entry.queue)\(entry.request.path.text.suffix(1))")
      let (promise, resolver) = NetworkPromise.pending()
      pending.append(resolver)
      return promise
    }
    for (number, underWayBefore) in [2, 3, 4, 5, 5, 6].enumerated() {
      #expect(await pending.entries(underWayBefore).count == underWayBefore)
      pending.entries[number].fulfill(.of(200))
    }
    #expect(try await replay.value.delivered.count == 6)
    #expect(queues.entries == ["a1", "b1", "a2", "b2", "c1", "c2"])
  }

  @Test func entriesStoredDuringAReplayAreLeftForTheNext() async throws {
    try add("1")
    let report = try await store.replay { [temporary] _ in
      try temporary.open().add(.put("https://a.test/2"))
      return .fulfilled(.of(200))
    }.value
    #expect(report.delivered.map(\.number) == [1])
    #expect(try store.entries.map(\.number) == [2])
  }

  @Test func entriesRemovedDuringAReplayAreNotSent() async throws {
    try add("1", "2")
    let sent = Log<Int>()
    let report = try await store.replay { [store] entry in
      sent.append(entry.number)
      try store.removeAll()
      return .rejected(NetworkError(.dnsFailed))
    }.value
    #expect(sent.entries == [1])
    #expect(report.kept.map(\.entry.number) == [1])
    #expect(try store.count == 0)
  }

  @Test func expiredEntriesAreRemovedWithoutBeingSent() async throws {
    try add("1")
    temporary.pass(50)
    try add("2")
    temporary.pass(50)
    let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(report.expired.map(\.number) == [1])
    #expect(report.delivered.map(\.number) == [2])
    #expect(try store.count == 0)
  }

  @Test func anExpiredEntryIsReportedAfterItsRemoval() async throws {
    try add("1", "2")
    temporary.pass(100)
    let counts = Log<Int?>()
    let store = store
    _ = try await store.replay { _ in
      counts.append(try? store.count)
    } _: { _ in
      .fulfilled(.of(200))
    }.value
    #expect(counts.entries == [1, 0])
  }

  /// For example the clock of a machine without a battery, before it is synchronized.
  @Test(arguments: [-1_800_000_000.0, 1_800_000_000, 200_000])
  func aWrongClockExpiresNoEntry(_ error: Double) async throws {
    let right = temporary.now
    temporary.pass(error)
    try add("1")
    temporary.pass(-error)
    let report = try await store.replay { _ in .rejected(NetworkError(.dnsFailed)) }.value
    #expect(report.kept.map(\.entry.number) == [1])
    let entry = try #require(try store.entries.first)
    #expect(entry.created == right && entry.expires == right + 100)
    #expect(entry.attempts == 1)
    temporary.pass(100)
    let later = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(later.expired.map(\.number) == [1])
  }

  @Test func anEntryThatIsHeldBackKeepsTheLifespanThatARightClockGaveIt() async throws {
    temporary.pass(-1_800_000_000)
    try add("1", "2")
    temporary.pass(1_800_000_000)
    let report = try await store.replay { _ in .rejected(NetworkError(.dnsFailed)) }.value
    #expect(report.kept.map(\.entry.number) == [1, 2])
    #expect(try store.entries.map(\.attempts) == [1, 0])
    temporary.pass(100)
    let later = try await store.replay { _ in .fulfilled(.of(200)) }.value
    #expect(later.expired.map(\.number) == [1, 2])
  }

  @Test func aWrongClockFreesNoSpace() throws {
    temporary.pass(-1_800_000_000)
    try add("1")
    temporary.pass(1_800_000_000)
    let full = try temporary.open(limits: .init(entries: 1))
    let error = #expect(throws: NetworkError.self) { try full.add(.put("https://a.test/2")) }
    #expect(error?.code == .offlineStoreFull)
  }

  @Test func replaysRunSequentially() async throws {
    try add("1")
    let (promise, resolver) = NetworkPromise.pending()
    let sending = Log<Void>()
    let first = store.replay { _ in
      sending.append(())
      return promise
    }
    _ = await sending.entries(1)
    for other in [store, try temporary.open()] {
      let result = await other.replay { _ in .fulfilled(.of(200)) }.result
      #expect(result.failure(as: NetworkError.self)?.code == .offlineStoreBusy)
    }
    resolver.fulfill(.of(503))
    let again = first.then(on: .inline) { [store] _ in store.replay { _ in .fulfilled(.of(200)) } }
    #expect(try await again.value.delivered.count == 1)
  }

  @Test func cancellingAReplayCancelsItsRequestsAndKeepsTheEntries() async throws {
    try add("1", "2")
    let cancelled = Log<Void>()
    let sending = Log<Int>()
    let resolvers = Log<Resolver<Response>>()
    let replay = store.replay { entry in
      sending.append(entry.number)
      let (promise, resolver) = NetworkPromise.pending()
      resolvers.append(resolver)
      resolver.onCancel { cancelled.append(()) }
      return promise
    }
    _ = await sending.entries(1)
    replay.cancel()
    _ = await cancelled.entries(1)
    #expect(try store.entries.map(\.number) == [1, 2])
    #expect(sending.entries == [1])
    // The lock is released after the last step.
    var report: OfflineStore.Report?
    while report == nil { report = try? await store.replay { _ in .fulfilled(.of(200)) }.value }
    #expect(report?.delivered.count == 2)
  }

  @Test func aReplayUsesTheTimeOfTheScheduler() async throws {
    try add("1", "2")
    let time = TestScheduler()
    let replay = store.replay(scheduler: time) { _ in
      after(.seconds(60), scheduler: time).then(on: .inline) { Response.of(200) }
    }
    await time.advance(by: .seconds(60))
    #expect(try store.count == 1 && replay.isPending)
    await time.advance(by: .seconds(60))
    #expect(!replay.isPending)
    #expect(try store.count == 0)
  }

  @Test func anEmptyStoreHasAnEmptyReport() async throws {
    let report = try await store.replay { _ in .rejected(TestError()) }.value
    #expect(report.delivered.isEmpty && report.kept.isEmpty && report.failed.isEmpty)
  }
}
