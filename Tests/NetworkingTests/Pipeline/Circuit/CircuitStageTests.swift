import Foundation
import Promises
import Synchronization
import TestSupport
import Testing

@testable import Networking

@Suite(.timeLimit(.minutes(10)))
struct CircuitStageTests {
  private let time = TestScheduler()
  private let breaker = CircuitBreaker(threshold: 3, cooldown: .seconds(10))

  private func send(
    _ pipeline: Pipeline, _ transport: FakeTransport, _ path: String = "a.example/x"
  )
    async throws -> Result<Response, any Error>
  {
    let url = try #require(URL(string: "https://\(path)"))
    return await pipeline.send(Exchange(HTTPRequest(url: url), over: transport)).result
  }

  @Test func aHostThatKeepsFailingIsLeftAloneAndOthersAreNot() async throws {
    let transport = FakeTransport { request in
      request.url.host == "a.example" ? .response(500) : .response(200)
    }
    let pipeline = Pipeline([CircuitStage(breaker, scheduler: time)])
    for _ in 0..<3 { _ = try await send(pipeline, transport) }
    await time.advance(by: .seconds(4))
    let refused = try await send(pipeline, transport).failure(as: NetworkError.self)
    #expect(
      refused?.description == "GET https://a.example/x: the host has failed too often and is left "
        + "alone for now: a.example:443, for another 6.0 seconds")
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
  func onlyFailuresOfTheHostCount(_ failure: RetryMatrixTests.Failure, _ counts: Bool)
    async throws
  {
    let transport = FakeTransport { _ in failure.events }
    let pipeline = Pipeline([CircuitStage(breaker, scheduler: time)])
    for _ in 0..<10 { _ = try await send(pipeline, transport) }
    #expect(transport.requests.count == (counts ? 3 : 10))
  }

  @Test func oneOfManyTriesAndItsSuccessLetsAllThrough() async throws {
    let transport = FakeTransport { request in
      switch request.url.path {
      case "/fail": .response(503)
      case "/slow": []
      default: .response(200)
      }
    }
    let pipeline = Pipeline([CircuitStage(breaker, scheduler: time)])
    for _ in 0..<3 { _ = try await send(pipeline, transport, "a.example/fail") }
    await time.advance(by: .seconds(10))
    let slow = Exchange(HTTPRequest(url: .of("https://a.example/slow")), over: transport)
    let trial = pipeline.send(slow)
    for _ in 0..<5 {
      let error = try await send(pipeline, transport).failure(as: NetworkError.self)
      #expect(error?.reason == "a.example:443, while one request tries it")
    }
    // A trial that is cancelled says nothing, and the next one tries.
    trial.cancel()
    #expect(try await send(pipeline, transport).get().status == 200)
    #expect(try await send(pipeline, transport).get().status == 200)
    #expect(transport.requests.count == 6)
  }

  /// A clock of somebody's own, which does something each of the first few times that it is asked.
  private final class CuriousClock: Scheduler {
    private let tasks = Mutex<[@Sendable () -> Void]>([])

    func whenAsked(_ tasks: [@Sendable () -> Void]) { self.tasks.withLock { $0 = tasks } }

    var now: Duration {
      let task = tasks.withLock { $0.popLast() }
      task?()
      return .zero
    }

    func schedule(
      after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledAction { ScheduledAction {} }
  }

  @Test func theClockIsAskedWhileNoLockIsHeld() async throws {
    let clock = CuriousClock()
    let entered = Counter()
    let transport = FakeTransport { _ in .response(200) }
    let stage = CircuitStage(breaker, scheduler: clock)
    let silent = FakeTransport { _ in [] }
    let other = Exchange(HTTPRequest(url: .of("https://b.example/x")), over: silent)
    let never = NetworkPromise.pending(on: .inline)
    let enter: @Sendable () -> Void = {
      _ = stage.intercept(other) { _ in
        entered.add()
        return never.promise
      }
    }
    // When the request goes in, when the one in its clock does, when it has ended, and then again.
    clock.whenAsked([{}, enter, {}, enter])
    #expect(try await send(Pipeline([stage]), transport).get().status == 200)
    #expect(entered.value == 2)
    never.resolver.reject(CancellationError())
  }

  @Test func anOpenCircuitIsNotTriedAgain() async throws {
    let transport = FakeTransport { _ in .response(503) }
    let pipeline = Pipeline([
      RetryStage(policy: .immediate(limit: 9), budget: nil, scheduler: time),
      CircuitStage(breaker, scheduler: time),
    ])
    let error = try await send(pipeline, transport).failure(as: NetworkError.self)
    #expect(error?.code == .circuitOpen && error?.attempts == 4)
    #expect(transport.requests.count == 3)
  }
}
