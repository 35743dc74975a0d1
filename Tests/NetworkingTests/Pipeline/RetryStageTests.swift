import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct RetryStageTests {
  private static let lostConnection: [TransportEvent] = [
    .failure(TransportFailure(code: .connectionLost))
  ]

  @Test func theFirstSuccessfulResponseIsTheResult() async throws {
    let fixture = RetryFixture(.delayed(.seconds(2), limit: 5)) { number, _ in
      number < 3 ? .response(503) : .response(200)
    }
    let response = try await fixture.outcome().get()
    #expect(response.status == 200 && fixture.seconds == [0, 2, 4])
    #expect(response.attempts.map(\.number) == [1, 2, 3])
    #expect(response.attempts.map(\.delay) == [.zero, .seconds(2), .seconds(2)])
  }

  @Test func onlyTheGivenStatusesAreRetried() async throws {
    let policy = RetryPolicy.delayed(.seconds(2), limit: 5).retrying(statuses: [404, 503])
    let fixture = RetryFixture(policy) { number, _ in
      number == 3 ? Self.lostConnection : .response([404, 503, 0, 500][number - 1])
    }
    let response = try await fixture.outcome().get()
    #expect(response.status == 500 && fixture.seconds == [0, 2, 4, 6])
  }

  @Test func theLastResponseIsRejectedByValidateWithItsBodyAndAllAttempts() async throws {
    let fixture = RetryFixture(.exponential(initial: .seconds(1), jitter: .none, limit: 2)) {
      number, _ in number == 2 ? Self.lostConnection : .response(503, [:], "attempt \(number)")
    }
    let promise = fixture.send().validate()
    await fixture.time.run()
    let error = try #require(await promise.result.failure(as: NetworkError.self))
    #expect(error.code == .unacceptableStatus(503) && error.attempts == 3)
    #expect(
      error.description
        == "GET https://a.example/x: the status 503 is not acceptable, after 3 attempts "
        + "(503; 1 s later the connection was lost; 2 s later 503); "
        + "the body begins: attempt 3")
  }

  @Test func anErrorListsTheLastFiveAttempts() async throws {
    let fixture = RetryFixture(.immediate(limit: 6)) { number, _ in
      number < 7 ? .response(500 + number % 2 * 2) : Self.lostConnection
    }
    let error = try #require(await fixture.outcome().failure(as: NetworkError.self))
    #expect(
      error.description == "GET https://a.example/x: the connection was lost, after 7 attempts "
        + "(...; 502; 500; 502; 500; the connection was lost)")
  }

  @Test func aLongerRetryAfterOverridesTheDelay() async {
    for (value, times) in [
      ("3", [0.0, 3]), ("1", [0, 2]), ("nonsense", [0, 2]), ("60", [0, 60]), ("61", [0]),
      ("Sun, 06 Nov 1994 08:49:47 GMT", [0, 10]), ("Sunday, 06-Nov-94 08:49:47 GMT", [0, 10]),
      ("Sun Nov  6 08:49:47 1994", [0, 10]), ("Sun, 06 Nov 1994 08:40:00 GMT", [0, 2]),
      ("Mon, 07 Nov 1994 08:49:47 GMT", [0]),
    ] {
      let fixture = RetryFixture(.delayed(.seconds(2), limit: 1)) { _, _ in
        .response(503, ["Retry-After": value])
      }
      _ = await fixture.outcome()
      #expect(fixture.seconds == times, "\(value)")
    }
  }

  @Test func retryAfterDatesAreRelativeToTheCurrentTime() async {
    let fixture = RetryFixture(.delayed(.seconds(4), limit: 2)) { _, _ in
      .response(503, ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"])
    }
    _ = await fixture.outcome()
    #expect(fixture.seconds == [0, 10, 14])
  }

  @Test func aClosureReceivesTheAttemptAndItsOutcome() async throws {
    let seen = Log<String>()
    let policy = RetryPolicy.custom { attempt in
      let outcome = attempt.response.map { "\($0.status)" } ?? "\(attempt.error)"
      seen.append("\(attempt.number) \(outcome) \(attempt.retryAfter.map { "\($0)" } ?? "-")")
      return attempt.number < 3 ? .after(.seconds(-1)) : .stop
    }
    let fixture = RetryFixture(policy) { number, _ in
      switch number {
      case 1: .response(418, ["Retry-After": "900"])
      case 2: [.failure(TransportFailure(code: .tlsUntrusted))]
      default: .response(404)
      }
    }
    #expect(try await fixture.outcome().get().status == 404)
    #expect(
      seen.entries == [
        "1 418 900.0 seconds",
        "2 GET https://a.example/x: the server's certificate is not trusted -", "3 404 -",
      ])
    #expect(fixture.seconds == [0, 0, 0])
  }

  @Test func aLimitRaisedLaterApplies() async {
    var policy = RetryPolicy.immediate(limit: 1)
    policy.limit = 3
    policy.statuses = [418]
    let fixture = RetryFixture(policy) { _, _ in .response(418) }
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 4)
  }

  @Test func thePolicyOfTheExchangeOverridesTheClients() async {
    for (own, count) in [(RetryPolicy.never, 1), (.immediate(limit: 1), 2)] {
      let fixture = RetryFixture(.immediate(limit: 5)) { _, _ in .response(503) }
      _ = await fixture.outcome(retry: own)
      #expect(fixture.seconds.count == count)
    }
  }

  @Test func anIdempotencyKeyPerCallMakesAPostRetryable() async throws {
    let fixture = RetryFixture(.immediate(limit: 2).withIdempotencyKey()) { _, _ in .response(503) }
    _ = await fixture.outcome(.post)
    _ = await fixture.outcome(.post)
    _ = await fixture.outcome(.get)
    let keys = fixture.transport.requests.map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 9 && Set(keys[0..<3]).count == 1 && Set(keys[3..<6]).count == 1)
    #expect(UUID(uuidString: try #require(keys[0])) != nil && keys[0] != keys[3])
    #expect(keys[6] == nil)
  }

  @Test func theKeyOfTheRequestIsKept() async {
    let fixture = RetryFixture(.immediate(limit: 1).withIdempotencyKey()) { _, _ in .response(503) }
    _ = await fixture.outcome(.post, ["idempotency-key": "mine"])
    #expect(fixture.transport.requests.map { $0.headers["Idempotency-Key"] } == ["mine", "mine"])
  }

  @Test func cancellationDuringTheDelayStopsTheTimer() async {
    let fixture = RetryFixture(.delayed(.seconds(2), limit: 5)) { _, _ in .response(503) }
    let promise = fixture.send()
    await fixture.time.advance(by: .seconds(3))
    #expect(fixture.time.scheduledCount == 1)
    promise.cancel()
    #expect(fixture.time.scheduledCount == 0)
    await fixture.time.run()
    #expect(fixture.seconds == [0, 2] && promise.isCancelled)
  }

  @Test func cancellationDuringAnAttemptCancelsItAndStartsNoOther() async {
    let fixture = RetryFixture(.immediate(limit: 5)) { number, _ in number < 3 ? .response(503) : []
    }
    let promise = fixture.send()
    #expect(fixture.seconds.count == 3)
    promise.validate().toData().cancel()
    await fixture.time.run()
    #expect(fixture.transport.cancelled == 1 && fixture.seconds.count == 3)
  }

  @Test func aThousandImmediateAttemptsDoNotGrowTheStack() async {
    let fixture = RetryFixture(.immediate(limit: 10_000)) { _, _ in .response(503) }
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 10_001)
  }

  /// A redirect, whose target cannot be reached without a network.
  @Test func aRetryThatTheClientRejectsAfterItHasSentEndsWithItsError() async throws {
    struct Refusal: Interceptor {
      let count = Counter()

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        guard count.add() > 1 else { return next(exchange) }
        exchange.state.markRejectedLocally(hasSent: true)
        return .rejected(NetworkError(.notConnectedToInternet))
      }
    }
    let time = TestScheduler()
    let retry = RetryStage(policy: .immediate(limit: 5), budget: nil, scheduler: time)
    let transport = FakeTransport { _ in .response(503) }
    let promise = Pipeline([retry, Refusal()])
      .send(Exchange(HTTPRequest(url: RetryFixture.url), over: transport))
    await time.run()
    let error = try #require(await promise.result.failure(as: NetworkError.self))
    #expect(error.code == .notConnectedToInternet && error.attempts == 2)
    #expect(error.history.map { "\($0.outcome)".hasPrefix("unfinished") } == [false, false])
  }

  @Test func aCallTimeoutListsTheAttempts() async throws {
    let fixture = RetryFixture(
      .delayed(.seconds(2), limit: 9),
      around: { [DeadlineStage(phase: .call, scheduler: $0) { _ in .seconds(5) }] }
    ) { number, _ in number < 3 ? .response(503) : [] }
    let error = try #require(await fixture.outcome().failure(as: NetworkError.self))
    #expect(
      error.description == "GET https://a.example/x: the call timed out, after 3 "
        + "attempts (503; 2 s later 503; 2 s later unfinished)")
    #expect(error.history.map(\.duration) == [.zero, .zero, .seconds(1)])
    #expect(fixture.transport.cancelled == 1)
  }
}
