import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingInterceptors

@Suite(.gated)
struct CircuitBreakerTests {
  private let time = TestScheduler()
  private let breaker = CircuitBreaker(threshold: 3, cooldown: .seconds(10))

  private func send(
    _ pipeline: Pipeline, _ transport: FakeTransport, _ path: String = "a.example/x",
    scheduler: (any Scheduler)? = nil
  ) async throws -> Result<Response, any Error> {
    let request = HTTPRequest(url: try #require(URL(string: "https://\(path)")))
    let exchange = Exchange(request, scheduler: scheduler ?? time, over: transport)
    return await pipeline.send(exchange).result
  }

  @Test func aFailingHostIsBlockedAndOthersAreNot() async throws {
    let transport = FakeTransport { request in
      request.url.host == "a.example" ? .response(500) : .response(200)
    }
    let pipeline = Pipeline([breaker])
    for _ in 0..<3 { _ = try await send(pipeline, transport) }
    await time.advance(by: .seconds(4))
    let refused = try await send(pipeline, transport).failure(as: NetworkError.self)
    #expect(
      refused?.description == "GET https://a.example/x: the circuit breaker is open because "
        + "the host failed repeatedly: a.example:443, for another 6.0 seconds")
    #expect(refused?.code == .circuitOpen && refused?.attempts == 0)
    for other in ["b.example/x", "a.example:8443/x"] {
      _ = try await send(pipeline, transport, other)
    }
    #expect(transport.requests.count == 5)
  }

  @Test(arguments: [
    (RetryMatrixTests.Failure.status(500), true), (.status(599), true), (.status(404), false),
    (.status(429), false), (.status(499), false), (.code(.connectionLost), true),
    (.code(.timedOut(.attempt)), true), (.code(.tlsUntrusted), false),
    (.code(.malformedResponse), false), (.code(.cancelled), false),
  ])
  func onlyServerFailuresCount(_ failure: RetryMatrixTests.Failure, _ counts: Bool)
    async throws
  {
    let transport = FakeTransport { _ in failure.events }
    let pipeline = Pipeline([breaker])
    for _ in 0..<10 { _ = try await send(pipeline, transport) }
    #expect(transport.requests.count == (counts ? 3 : 10))
  }

  @Test func oneOfManyRequestsIsTheTrialAndItsSuccessAdmitsAll() async throws {
    let transport = FakeTransport { request in
      switch request.url.path {
      case "/fail": .response(503)
      case "/slow": []
      default: .response(200)
      }
    }
    let pipeline = Pipeline([breaker])
    for _ in 0..<3 { _ = try await send(pipeline, transport, "a.example/fail") }
    await time.advance(by: .seconds(10))
    let slow = Exchange(
      HTTPRequest(url: .of("https://a.example/slow")), scheduler: time, over: transport)
    let trial = pipeline.send(slow)
    for _ in 0..<5 {
      let error = try await send(pipeline, transport).failure(as: NetworkError.self)
      #expect(error?.reason == "a.example:443, while a trial request is in progress")
    }
    // A cancelled trial has no outcome, so the next request is the trial.
    trial.cancel()
    #expect(try await send(pipeline, transport).get().status == 200)
    #expect(try await send(pipeline, transport).get().status == 200)
    #expect(transport.requests.count == 6)
  }

  /// A clock that runs an action for each of its first readings.
  private final class ActionClock: Scheduler {
    private let tasks = Mutex<[@Sendable () -> Void]>([])

    func setActions(_ tasks: [@Sendable () -> Void]) { self.tasks.withLock { $0 = tasks } }

    var now: Duration {
      let task = tasks.withLock { $0.popLast() }
      task?()
      return .zero
    }

    func schedule(
      after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledAction { ScheduledAction {} }
  }

  @Test func theClockIsReadOutsideTheLock() async throws {
    let clock = ActionClock()
    let entered = Counter()
    let transport = FakeTransport { _ in .response(200) }
    let silent = FakeTransport { _ in [] }
    let other = Exchange(
      HTTPRequest(url: .of("https://b.example/x")), scheduler: clock, over: silent)
    let never = NetworkPromise.pending(on: .inline)
    let enter: @Sendable () -> Void = { [breaker] in
      _ = breaker.intercept(other) { _ in
        entered.add()
        return never.promise
      }
    }
    // The readings: the start of the request, the start of the nested request, and their ends.
    clock.setActions([{}, enter, {}, enter])
    let result = try await send(Pipeline([breaker]), transport, scheduler: clock)
    #expect(try result.get().status == 200)
    #expect(entered.value == 2)
    never.resolver.reject(CancellationError())
  }

  @Test func anOpenCircuitIsNotRetried() async throws {
    let transport = FakeTransport { _ in .response(503) }
    let pipeline = Pipeline([
      RetryStage(policy: .immediate(limit: 9), budget: nil, scheduler: time),
      breaker,
    ])
    let error = try await send(pipeline, transport).failure(as: NetworkError.self)
    #expect(error?.code == .circuitOpen && error?.attempts == 4)
    #expect(transport.requests.count == 3)
  }

  @Test func aThresholdOfZeroCountsAsOne() async throws {
    let transport = FakeTransport { _ in .response(503) }
    let pipeline = Pipeline([CircuitBreaker(threshold: 0)])
    #expect(try await send(pipeline, transport).get().status == 503)
    let refused = try await send(pipeline, transport).failure(as: NetworkError.self)
    #expect(refused?.reason == "a.example:443, for another 30.0 seconds")
  }
}

/// A circuit breaker at the level `origin` of a client.
@Suite(.gated)
struct CircuitBreakerClientTests {
  private enum Outcome: Equatable {
    case status(Int)
    case code(NetworkError.Code?)
  }

  private let time = TestScheduler()

  private func client(
    _ transport: any Transport, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    change(&configuration)
    let client = Networking<Request>(
      baseURL: .of("https://a.example"), transport: transport, configuration: configuration)
    client.callbackContext = .inline
    client.interceptors.append(CircuitBreaker(threshold: 1), at: .origin)
    return client
  }

  private func result(
    of client: Networking<Request>, _ path: String = "a"
  ) async -> Outcome {
    let call = client.request(.get("\(path)"))
    await time.run()
    switch await call.result {
    case .success(let response): return .status(response.status)
    case .failure(let error): return .code((error as? NetworkError)?.code)
    }
  }

  @Test func theTimeoutOfAHopIsAFailure() async {
    let transport = FakeTransport { _ in [] }
    let client = client(transport) { $0.attemptTimeout = .seconds(1) }
    #expect(await result(of: client) == .code(.timedOut(.attempt)))
    #expect(await result(of: client) == .code(.circuitOpen))
    #expect(transport.requests.count == 1)
  }

  @Test func eachHopOfARedirectHasTheCircuitOfItsOrigin() async {
    let transport = FakeTransport { request in
      request.url.host == "a.example"
        ? .response(307, ["Location": "https://b.example/b"]) : .response(503)
    }
    let client = client(transport)
    #expect(await result(of: client) == .status(503))
    #expect(await result(of: client) == .code(.circuitOpen))
    #expect(transport.requests.map(\.url.host) == ["a.example", "b.example", "a.example"])
  }

  @Test func aResponseOfTheCacheDoesNotPassAnOpenCircuit() async {
    let transport = FakeTransport { request in
      request.url.path == "/a" ? .response(200, ["Cache-Control": "max-age=60"]) : .response(503)
    }
    let client = client(transport) {
      $0.caching.storage = .cache(HTTPCache())
      $0.wallClock = { Date(timeIntervalSince1970: 784_111_777) }
    }
    #expect(await result(of: client) == .status(200))
    #expect(await result(of: client, "b") == .status(503))
    #expect(await result(of: client, "b") == .code(.circuitOpen))
    #expect(await result(of: client) == .status(200))
    #expect(transport.requests.count == 2)
  }
}

@Suite(.gated)
struct CircuitMachineTests {
  /// An event at a circuit that opens for ten seconds after two failures.
  private enum Step {
    /// A request with an outcome; `passes` is whether it must be admitted.
    case request(CircuitMachine.Outcome, at: Int, passes: Bool = true)
    /// A request starts.
    case begin(at: Int)
    /// The oldest running request ends.
    case end(CircuitMachine.Outcome, at: Int)
    /// A request is rejected with the remaining seconds.
    case refused(at: Int, remaining: Int)
  }

  private func run(_ steps: [Step], _ location: SourceLocation = #_sourceLocation) -> CircuitMachine
  {
    var circuit = CircuitMachine(threshold: 2, cooldown: .seconds(10))
    var begun: [Int] = []
    for (number, step) in steps.enumerated() {
      switch step {
      case .request(let outcome, let seconds, let passes):
        let admission = circuit.admit(at: .seconds(seconds))
        if case .pass(let generation) = admission {
          circuit.ended(outcome, generation: generation, at: .seconds(seconds))
          #expect(passes, "step \(number)", sourceLocation: location)
        } else {
          #expect(!passes, "step \(number)", sourceLocation: location)
        }
      case .begin(let seconds):
        if case .pass(let generation) = circuit.admit(at: .seconds(seconds)) {
          begun.append(generation)
        }
      case .end(let outcome, let seconds):
        circuit.ended(outcome, generation: begun.removeFirst(), at: .seconds(seconds))
      case .refused(let seconds, let remaining):
        let admission = circuit.admit(at: .seconds(seconds))
        #expect(
          admission == .refuse(remaining: .seconds(remaining)), "step \(number)",
          sourceLocation: location)
      }
    }
    return circuit
  }

  @Test func consecutiveFailuresOpenTheCircuitAndASuccessResetsThem() {
    _ = run([
      .request(.failure, at: 0), .request(.success, at: 0), .request(.failure, at: 0),
      .request(.ignored, at: 0), .request(.failure, at: 0), .refused(at: 4, remaining: 6),
    ])
  }

  @Test func aHalfOpenCircuitAdmitsOneRequestWhoseSuccessClosesIt() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0),
      .request(.success, at: 9, passes: false),
      .begin(at: 10), .refused(at: 10, remaining: 0), .end(.success, at: 11),
      .request(.failure, at: 11), .request(.success, at: 11),
    ])
  }

  @Test func aFailedTrialReopensTheCircuit() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0), .request(.failure, at: 10),
      .refused(at: 19, remaining: 1), .request(.success, at: 20),
    ])
  }

  @Test func aTrialWithoutAnOutcomeAdmitsAnother() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0), .request(.ignored, at: 10),
      .request(.success, at: 10), .request(.success, at: 10),
    ])
  }

  @Test func requestsSentBeforeTheCircuitOpenedDoNotAffectIt() {
    _ = run([
      .begin(at: 0), .begin(at: 0), .request(.failure, at: 0), .request(.failure, at: 0),
      .end(.success, at: 1), .refused(at: 1, remaining: 9), .request(.success, at: 10),
      .end(.failure, at: 10), .request(.failure, at: 10), .request(.success, at: 10),
    ])
  }

  @Test func onlyHostsWithoutStateAreEvicted() {
    #expect(run([.request(.success, at: 0)]).isPristine)
    #expect(!run([.request(.failure, at: 0)]).isPristine)
    #expect(run([.request(.failure, at: 0), .request(.success, at: 0)]).isPristine)
  }

  @Test func circuitsThatAreNotUsedAreDropped() throws {
    var table = CircuitTable(threshold: 1, cooldown: .seconds(30))
    for number in 0..<10_000 {
      let url = try #require(URL(string: "https://host\(number).example/"))
      let origin = try #require(Origin(url))
      let now = Duration.seconds(number)
      _ = table.change(origin, at: now) { $0.admit(at: now) }
      table.change(origin, at: now) { $0.ended(.failure, generation: 0, at: now) }
    }
    #expect(table.count <= 512)
  }

  @Test func aCircuitThatClosedAgainIsDropped() throws {
    let origin = try #require(Origin(.of("https://host.example/")))
    var table = CircuitTable(threshold: 1, cooldown: .seconds(30))
    _ = table.change(origin, at: .zero) { $0.admit(at: .zero) }
    table.change(origin, at: .zero) { $0.ended(.failure, generation: 0, at: .zero) }
    #expect(table.count == 1)
    let later = Duration.seconds(31)
    let trial = table.change(origin, at: later) { $0.admit(at: later) }
    guard case .pass(let generation) = trial else { throw Refused() }
    table.change(origin, at: later) {
      $0.ended(.success, generation: generation, at: later)
    }
    #expect(table.count == 0)
  }

  @Test func aRequestFromBeforeTheCircuitOpenedDoesNotCountAfterItClosedAgain() throws {
    let origin = try #require(Origin(.of("https://host.example/")))
    var table = CircuitTable(threshold: 2, cooldown: .seconds(10))
    func admit(at seconds: Int) throws -> Int {
      let now = Duration.seconds(seconds)
      guard
        case .pass(let generation) = table.change(origin, at: now, { $0.admit(at: now) })
      else { throw Refused() }
      return generation
    }
    func end(_ generation: Int, _ outcome: CircuitMachine.Outcome, at seconds: Int) {
      let now = Duration.seconds(seconds)
      table.change(origin, at: now) {
        $0.ended(outcome, generation: generation, at: now)
      }
    }
    let slow = try admit(at: 0)
    for _ in 0..<2 { end(try admit(at: 0), .failure, at: 0) }
    end(try admit(at: 10), .success, at: 10)
    end(try admit(at: 11), .failure, at: 11)
    end(slow, .failure, at: 12)
    end(try admit(at: 12), .success, at: 12)
    #expect(table.count == 0)
  }

  private struct Refused: Error {}
}
