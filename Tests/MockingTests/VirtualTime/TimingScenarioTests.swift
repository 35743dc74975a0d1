import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

extension TimingScenario {
  static let all: [TimingScenario] = [parallel, retries, deadlines, sequence, chains, throttled]

  static let parallel = TimingScenario(
    "parallel responses", order: ["a", "b", "c", "d", "e"], ticks: 10
  ) { run in
    let client = run.client(delays: ["a": 2, "b": 4, "c": 6, "d": 8, "e": 10])
    for name in ["e", "d", "c", "b", "a"] { run.request(client, name) }
  }

  /// Attempts at 0, 2, 5, and 10, each of one tick, with delays of 1, 2, and 4 ticks.
  static let retries = TimingScenario(
    "retries with backoff",
    order: ["attempt 1", "attempt 2", "attempt 3", "meanwhile", "attempt 4", "recovered"], ticks: 11
  ) { run in
    let policy = RetryPolicy.exponential(
      initial: run.tick, cap: run.tick * 8, jitter: .none, limit: 3)
    let attempts = Counter()
    let client = run.client(retry: policy) { [log = run.log, tick = run.tick] name in
      guard name == "unsteady" else { return .text(name).delayed(by: tick * 8) }
      return .template { _ in
        let attempt = attempts.add()
        log.append("attempt \(attempt)")
        let response: Mock = attempt < 4 ? .status(503) : .text("recovered")
        return response.delayed(by: tick)
      }
    }
    run.request(client, "unsteady")
    run.request(client, "meanwhile")
  }

  static let deadlines = TimingScenario(
    "expired deadlines",
    order: ["in time", "too late: out of time", "no limit", "abandoned: out of time"], ticks: 8
  ) { run in
    let limitedClient = run.client(
      callTimeout: run.tick * 4, delays: ["in time": 2, "too late": 60])
    run.request(limitedClient, "too late")
    run.request(limitedClient, "in time")
    let unlimitedClient = run.client(delays: ["no limit": 6, "abandoned": 60])
    let abandoned = unlimitedClient.request(ScenarioRun.Endpoint(name: "abandoned")).toString()
    func limited(_ scheduler: some Scheduler) -> Promise<String> {
      abandoned.timeout(run.tick * 8, scheduler: scheduler)
    }
    run.logging("abandoned", limited(run.scheduler))
    run.request(unlimitedClient, "no limit")
  }

  /// One request at a time; each waits for the earlier ones.
  static let sequence = TimingScenario(
    "a sequence, one at a time", order: ["first", "second", "third", "item: mockFailed"], ticks: 7
  ) { run in
    let client = run.client(.sync) { [tick = run.tick] _ in
      .sequence(
        .text("first").delayed(by: tick * 4), .text("second").delayed(by: tick),
        .text("third").delayed(by: tick * 2), then: .fails)
    }
    for _ in 1...4 { run.request(client, "item") }
  }

  /// Two concurrent chains with responses at 4, 8, and 12, and at 6 and 10.
  static let chains = TimingScenario(
    "dependent chains", order: ["a1", "b1", "a2", "b2", "a3"], ticks: 12
  ) { run in
    let client = run.client(delays: ["a1": 4, "a2": 4, "a3": 4, "b1": 6, "b2": 4])
    _ = run.request(client, "a1")
      .then { _ in run.request(client, "a2") }
      .then { _ in run.request(client, "a3") }
    _ = run.request(client, "b1").then { _ in run.request(client, "b2") }
  }

  /// A body of 9,600 bytes over 8 ticks.
  static let throttled = TimingScenario(
    "throttled progress", order: ["early", "half of it", "late", "all of it"], ticks: 8
  ) { run in
    let rate = Int(9_600 / (run.tick * 8 / .seconds(1)))
    let client = run.client { [tick = run.tick] name in
      switch name {
      case "early": .text(name).delayed(by: tick * 2)
      case "late": .text(name).delayed(by: tick * 6)
      default: .bytes(9_600).throttled(bytesPerSecond: rate)
      }
    }
    let halves = Counter()
    let body = client.request(
      ScenarioRun.Endpoint(name: "body"),
      .onProgress { [log = run.log] progress in
        if progress.received.bytes >= 4_800, halves.add() == 1 { log.append("half of it") }
      })
    body.toData().done { [log = run.log] data in
      log.append(data.count == 9_600 ? "all of it" : "part of it")
    }
    run.request(client, "late")
    run.request(client, "early")
  }
}

/// The same scenarios in virtual time, where they take hours, and in real time at a small scale.
@Suite(.gated)
struct TimingScenarioTests {
  @Test(arguments: TimingScenario.all)
  func scenariosTakeTheirDelaysInVirtualTime(_ scenario: TimingScenario) async {
    let time = TestScheduler()
    let run = ScenarioRun(scheduler: time, tick: .seconds(120))
    scenario.begin(run)
    await time.run()
    #expect(run.log.entries == scenario.order)
    #expect(time.elapsed == run.tick * scenario.ticks)
    #expect(time.scheduledCount == 0)
  }

  @Test func allScenariosTakeMoreThanAnHourOfVirtualTime() async {
    let time = TestScheduler()
    for scenario in TimingScenario.all {
      let run = ScenarioRun(scheduler: time, tick: .seconds(120))
      scenario.begin(run)
      await time.run()
      #expect(run.log.entries == scenario.order)
    }
    #expect(time.elapsed == .seconds(120) * TimingScenario.all.map(\.ticks).reduce(0, +))
    #expect(time.elapsed > .seconds(3_600))
  }

  #if os(Linux) || os(macOS)
    /// Runs all scenarios concurrently in a separate process, so that other tests cannot delay a
    /// tick.
    @Test func theOrderIsTheSameInRealTime() async {
      await #expect(processExitsWith: .success) {
        let stages = TimingScenario.all.map { scenario in
          let run = ScenarioRun(scheduler: .live, tick: .milliseconds(400))
          scenario.begin(run)
          return (scenario, run)
        }
        for (scenario, run) in stages {
          #expect(await run.log.entries(scenario.order.count) == scenario.order, "\(scenario.name)")
        }
      }
    }
  #endif
}

/// A sequence of calls to a slow backend, timed in ticks so that it can run in virtual and in real
/// time.
///
/// Consecutive log entries are two ticks apart or causally ordered, so a normal load of the machine
/// does not reorder them.
struct TimingScenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// The expected log entries.
  let order: [String]
  /// The time of the last entry in ticks.
  let ticks: Int
  /// Starts all calls and returns.
  let begin: @Sendable (_ run: ScenarioRun) -> Void

  init(
    _ name: String, order: [String], ticks: Int,
    _ begin: @escaping @Sendable (_ run: ScenarioRun) -> Void
  ) {
    self.name = name
    self.order = order
    self.ticks = ticks
    self.begin = begin
  }

  var testDescription: String { name }
}

/// The clock, the length of a tick, and the log of one run of a ``TimingScenario``.
struct ScenarioRun: Sendable {
  let scheduler: any Scheduler
  let tick: Duration
  let log = Log<String>()

  struct Endpoint: RequestConvertible {
    let name: String
    static let baseURL: URL? = URL(string: "https://api.example.com/")
    var request: Request { .get("items/\(name)") }
  }

  /// Returns a client of a backend that responds according to the requested name.
  func client(
    _ mode: RequestMode = .async, retry: RetryPolicy? = nil, callTimeout: Duration? = nil,
    _ respond: @escaping @Sendable (_ name: String) -> Mock
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration()
    // The longest delay would exceed the idle timeout.
    configuration.idleTimeout = nil
    configuration.callTimeout = callTimeout
    let provider = MockProvider<Endpoint>(scheduler: scheduler) { respond($0.name) }
    return Networking(
      mode: mode, mockProvider: provider, retry: retry, configuration: configuration)
  }

  /// Returns a client whose responses are the requested names, with delays in ticks.
  func client(callTimeout: Duration? = nil, delays: [String: Int]) -> Networking<Endpoint> {
    client(callTimeout: callTimeout) { [tick] name in
      .text(name).delayed(by: tick * (delays[name] ?? 0))
    }
  }

  /// Requests an item and logs the result.
  @discardableResult
  func request(_ client: Networking<Endpoint>, _ name: String) -> Promise<String> {
    logging(name, client.request(Endpoint(name: name)).validate().toString())
  }

  /// Logs the text of a response or its failure.
  @discardableResult
  func logging(_ name: String, _ response: Promise<String>) -> Promise<String> {
    response
      .done { [log] text in log.append(text) }
      .fail { [log] error in
        let code = (error as? NetworkError)?.code
        let isLate = code == .timedOut(.call) || (error as? PromiseError) == .timedOut
        log.append("\(name): \(isLate ? "out of time" : code.map { "\($0)" } ?? "\(error)")")
      }
  }
}
