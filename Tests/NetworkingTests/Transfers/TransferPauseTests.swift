import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingTransfers

/// Pauses of transfers, in virtual time and over connections.
@Suite(.gated)
struct TransferPauseTests {
  private let time = TestScheduler()
  private let folder = TemporaryFolder()

  private var target: URL { folder.url("film") }

  /// Returns a client of a server that sends ten pieces of 1,000 bytes, one a second.
  private func client(
    _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    let transport = MockTransport(scheduler: time) {
      Route(.get, "/film") { _ in
        .data(.pattern(10_000)).header("ETag", "\"one\"")
          .dribbled(pieces: 10, over: .seconds(9))
      }
      Route(.get, "/endless") { _ in
        .data(.pattern(10_000)).interrupted(by: .stall, at: .body(afterBytes: 5_000))
      }
    }
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    change(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("http://films.example/")
    return client
  }

  @Test func theProgressHasTheRateAndTheTimeLeft() async throws {
    let transfer = client().transfer(.get("film"), to: target, resumable: false)
    await time.advance(by: .milliseconds(4_500))
    let progress = transfer.currentProgress
    #expect(progress.bytes == 5_000 && progress.total == 10_000 && progress.fraction == 0.5)
    #expect(progress.bytesPerSecond == 1_250)
    #expect(progress.timeLeft == .seconds(4))
    await time.run()
    #expect(try await transfer.value.status == 200)
  }

  @Test func theProgressEndsWithTheTransferForEveryReader() async throws {
    let transfer = client().transfer(.get("film"), to: target, resumable: false)
    let sequences = [transfer.progress, transfer.progress]
    await time.run()
    _ = try await transfer.value
    for sequence in sequences + [transfer.progress] {
      var last: Transfer.Progress?
      for await progress in sequence { last = progress }
      #expect(last?.bytes == 10_000 && last?.total == 10_000)
    }
  }

  @Test func theHandlerOfAnOptionReceivesTheProgressOfTheTransfer() async throws {
    let reports = Log<TransferProgress>()
    let transfer = client().transfer(
      .get("film"), to: target, resumable: false, .onProgress { reports.append($0) })
    await time.run()
    _ = try await transfer.value
    let amounts = reports.entries.map(\.received.bytes)
    #expect(amounts.last == 10_000 && amounts == amounts.sorted())
    #expect(reports.entries.last?.received.total == 10_000)
  }

  @Test func aHandlerOfAHookReceivesTheProgressBesideTheTransfer() async throws {
    let transport = FakeTransport { _ in
      [.sent(bytes: 5, total: 10), .sent(bytes: 10, total: 10)] + .response(200)
    }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    let reports = Log<TransferProgress>()
    client.beforeEach = { $0.with(.onProgress { reports.append($0) }) }
    let transfer = client.transfer(.upload(data: .pattern(10), to: "http://films.example/film"))
    #expect(try await transfer.value.status == 200)
    #expect(reports.entries.map(\.sent.bytes) == [5, 10])
    #expect(transfer.currentProgress.bytes == 10 && transfer.currentProgress.fraction == 1)
  }

  @Test func noDeadlineRunsDuringAPause() async throws {
    let client = client { $0.callTimeout = .seconds(12) }
    let transfer = client.transfer(.get("film"), to: target, resumable: false)
    await time.advance(by: .milliseconds(4_500))
    transfer.pause()
    await time.advance(by: .seconds(3_600))
    #expect(transfer.isPaused && transfer.currentProgress.isPaused)
    #expect(transfer.currentProgress.bytesPerSecond == 0)
    #expect(transfer.currentProgress.bytes <= 6_000)
    transfer.resume()
    await time.run()
    #expect(try await transfer.value.status == 200)
    #expect(try Data(contentsOf: target) == .pattern(10_000))
  }

  @Test func theDeadlineCoversTheTimeWithoutPauses() async throws {
    let client = client { $0.callTimeout = .seconds(7) }
    let transfer = client.transfer(.get("endless"), to: target, resumable: false)
    await time.advance(by: .milliseconds(4_500))
    transfer.pause()
    await time.advance(by: .seconds(3_600))
    transfer.resume()
    await time.advance(by: .milliseconds(2_400))
    #expect(transfer.response.rejectionError == nil)
    await time.run()
    let error = await transfer.response.result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.call))
  }

  @Test func aPausedTransferCanBeCancelled() async throws {
    let transfer = client().transfer(.get("film"), to: target, resumable: false)
    await time.advance(by: .milliseconds(4_500))
    transfer.pause()
    transfer.cancel()
    #expect(await transfer.response.result.error is CancellationError)
    await time.run()
    #expect(folder.names == [])
  }

  @Test func cancellingAllRequestsCancelsATransferInItsBody() async throws {
    let client = client()
    let transfer = client.transfer(.get("film"), to: target, resumable: false)
    await time.advance(by: .milliseconds(4_500))
    client.cancelAllRequests()
    #expect(await transfer.response.result.error is CancellationError)
  }

  @Test func aRetryWaitsInTheTimeOfTheClient() async throws {
    let server = RangeServer(.pattern(10_000), .lose(after: 5_000))
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    configuration.retry = .delayed(.seconds(10), limit: 1)
    let client = Networking<Request>(transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    let transfer = client.transfer(
      .get("http://films.example/film"), to: target, resumable: false)
    await time.advance(by: .seconds(9))
    #expect(server.ranges == [nil])
    await time.advance(by: .seconds(1))
    #expect(server.ranges == [nil, "bytes=5000-"])
    #expect(try await transfer.value.status == 206)
  }

  // MARK: The parts

  @Test func aTaskWaitsAtTheGateUntilItIsOpen() async throws {
    let gate = PauseGate(time)
    try await gate.pass()
    gate.setPaused(true)
    let states = Log<Bool>()
    _ = gate.observe { states.append($0) }
    let waiting = Task {
      try await gate.pass()
      states.append(gate.isPaused)
    }
    let cancelled = Task { try await gate.pass() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    gate.setPaused(false)
    try await waiting.value
    #expect(states.entries.first == true && states.entries.dropFirst().allSatisfy { !$0 })
    #expect(gate.pauses == 1)
  }

  @Test func aTimerOfAPausedTransferStops() async {
    let gate = PauseGate(time)
    let scheduler = PausableScheduler(gate: gate, base: time)
    let fired = Log<Duration>()
    _ = scheduler.schedule(after: .seconds(10)) { [time] in fired.append(time.now) }
    scheduler.schedule(after: .seconds(10)) { fired.append(.zero) }.cancel()
    await time.advance(by: .seconds(4))
    gate.setPaused(true)
    #expect(time.scheduledCount == 0)
    await time.advance(by: .seconds(100))
    #expect(scheduler.now == .seconds(4))
    gate.setPaused(false)
    await time.advance(by: .seconds(5))
    #expect(fired.entries.isEmpty)
    await time.run()
    #expect(fired.entries == [.seconds(110)])
  }

  @Test func theRateIsThatOfTheLastFiveSeconds() {
    var meter = RateMeter()
    #expect(meter.add(0, at: .zero) == 0)
    for second in 1...10 { _ = meter.add(Int64(second) * 1_000, at: .seconds(second)) }
    #expect(meter.add(10_000, at: .seconds(15)) == 0)
    #expect(meter.add(15_000, at: .seconds(20)) == 1_000)
    #expect(meter.add(0, at: .seconds(21)) == 0)
  }
}
