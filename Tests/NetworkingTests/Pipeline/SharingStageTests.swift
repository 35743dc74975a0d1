import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The sharing stage in a pipeline, with a transport whose requests a test completes.
@Suite(.gated)
struct SharingStageTests {
  private let gate = GatedTransport()
  private let time = TestScheduler()
  private let stage = SharingStage(sharesAll: true)

  private func exchange(
    _ isShared: Bool? = nil, timeout: Duration? = nil, over transport: (any Transport)? = nil
  ) -> Exchange {
    Exchange(
      HTTPRequest(url: .of("https://a.example/x")), timeout: timeout, isShared: isShared,
      over: transport ?? gate)
  }

  private func send(
    _ exchange: Exchange? = nil, _ inner: [any Interceptor] = []
  ) -> NetworkPromise {
    let deadline = DeadlineStage(phase: .call, scheduler: time) { $0.timeout }
    return Pipeline([deadline, stage] + inner).send(exchange ?? self.exchange())
  }

  @Test func callersReceiveTheResponseInTheirOrder() async throws {
    let order = Log<Int>()
    let calls = (1...5).map { number in
      send().always(on: .inline) { _ in order.append(number) }
    }
    #expect(gate.tokens.count == 1 && stage.exchangeCount == 1)
    gate.respond(200)
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(order.entries == [1, 2, 3, 4, 5] && stage.exchangeCount == 0)
  }

  @Test(arguments: [0, 1, 2])
  func cancellingOneCallerDoesNotAffectTheOthers(_ leaver: Int) async throws {
    let calls = (0..<3).map { _ in send() }
    calls[leaver].cancel()
    #expect(calls[leaver].isCancelled && gate.cancelled.value == 0)
    gate.respond(200)
    for (number, call) in calls.enumerated() where number != leaver {
      #expect(try await call.value.status == 200)
    }
  }

  @Test func cancellingTheLastCallerCancelsTheExchangeAndTheNextStartsAnother() async throws {
    let calls = (0..<3).map { _ in send() }
    for (number, call) in calls.enumerated() {
      #expect(gate.cancelled.value == 0)
      call.map { _ in number }.cancel()
    }
    #expect(gate.cancelled.value == 1 && stage.exchangeCount == 0)
    let next = send()
    #expect(gate.tokens.count == 2)
    gate.respond(204)
    gate.respond(200)
    #expect(try await next.value.status == 200)
  }

  @Test func aFailureReachesAllCallersAndIsNotCached() async throws {
    let tries = Counter()
    let held = HeldInterceptor()
    let transport = FakeTransport { _ in
      tries.add() == 1 ? [.failure(TransportFailure(code: .connectionLost))] : .response(200)
    }
    let calls = (1...3).map { _ in send(exchange(over: transport), [held]) }
    held.release()
    for call in calls {
      #expect(await call.result.failure(as: NetworkError.self)?.code == .connectionLost)
    }
    #expect(try await send(exchange(over: transport), [held]).value.status == 200)
    #expect(tries.value == 2)
  }

  @Test func aResponseIsNotCached() async throws {
    let transport = FakeTransport { _ in .response(200) }
    for _ in 1...3 { _ = try await send(exchange(over: transport)).value }
    #expect(transport.requests.count == 3)
  }

  @Test func aRequestFromAHandlerOfTheResponseStartsANewExchange() async throws {
    let again = send().then(on: .inline) { _ in send() }
    gate.respond(200)
    #expect(gate.tokens.count == 2)
    gate.respond(201)
    #expect(try await again.value.status == 201)
  }

  @Test func theRequestsSettingOverridesTheClients() {
    _ = [true, true, nil, false, false].map { send(exchange($0)) }
    #expect(gate.tokens.count == 3)
    let reserved = SharingStage(sharesAll: false)
    let calls = [nil, nil, true, true, false].map {
      Pipeline([reserved]).send(exchange($0))
    }
    #expect(gate.tokens.count == 7)
    for call in calls { call.cancel() }
  }

  @Test func eachCallerHasItsOwnTimeout() async throws {
    let impatient = send(exchange(timeout: .seconds(1)))
    let patient = send(exchange(timeout: .seconds(60)))
    let unlimited = send()
    await time.advance(by: .seconds(1))
    let error = await impatient.result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.call))
    #expect(patient.isPending && unlimited.isPending && gate.cancelled.value == 0)
    await time.advance(by: .seconds(59))
    #expect(await patient.result.failure(as: NetworkError.self)?.code == .timedOut(.call))
    gate.respond(200)
    #expect(try await unlimited.value.status == 200)
  }

  @Test func allCallersReceiveTheSameAttempts() async throws {
    let tries = Counter()
    let transport = FakeTransport { _ in .response(tries.add() < 3 ? 503 : 200) }
    let retry = RetryStage(policy: .delayed(.seconds(5), limit: 3), scheduler: time)
    let first = send(exchange(over: transport), [retry])
    await time.advance(by: .seconds(5))
    let second = send(exchange(over: transport), [retry])
    let late = send(exchange(timeout: .seconds(1), over: transport), [retry])
    await time.run()
    let statuses = ["status(503)", "status(503)", "status(200)"]
    for call in [first, second] {
      let attempts = try await call.value.attempts
      #expect(attempts.map { "\($0.outcome)" } == statuses)
    }
    #expect(tries.value == 3)
    let error = await late.result.failure(as: NetworkError.self)
    #expect(error?.history.map(\.number) == [1, 2])
  }

  @Test func attemptsBeforeTheSharedExchangeAreIncluded() async throws {
    let tries = Counter()
    let transport = FakeTransport { _ in .response(tries.add() == 1 ? 401 : 200) }
    let again = ResponseInterceptor { result, _ in
      guard case .success(let response) = result, response.status == 401 else { return .pass }
      return .resend(after: .fulfilled(()))
    }
    let pipeline = Pipeline([again, stage, RetryStage(scheduler: time)])
    let response = try await pipeline.send(exchange(over: transport)).value
    #expect(response.attempts.map { "\($0.outcome)" } == ["status(401)", "status(200)"])
    #expect(response.attempts.map(\.number) == [1, 2])
  }

  @Test func aStuckInnerInterceptorIsNamedToEachCallerThatTimesOut() async {
    let held = HeldInterceptor()
    let calls = (1...2).map { _ in send(exchange(timeout: .seconds(5)), [held]) }
    await time.advance(by: .seconds(5))
    for call in calls {
      let error = await call.result.failure(as: NetworkError.self)
      #expect(error?.reason == "the interceptor HeldInterceptor has not called back")
    }
    #expect(gate.tokens.isEmpty && stage.exchangeCount == 0)
  }

  @Test func concurrentCallersAreEitherCancelledOrServedNeverBoth() async {
    for _ in 1...200 {
      let calls = Log<NetworkPromise>()
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        let call = send()
        calls.append(call)
        if number.isMultiple(of: 2) { call.cancel() } else if number == 3 { gate.respond(200) }
      }
      while stage.exchangeCount > 0 { gate.respond(200) }
      for call in calls.entries {
        let result = await call.result
        #expect(call.isCancelled || (try? result.get().status) == 200)
      }
    }
    #expect(stage.exchangeCount == 0)
  }
}

/// An interceptor that holds each exchange until it is released.
private struct HeldInterceptor: Interceptor {
  private let gate = Promise<Void>.pending(on: .inline)

  func release() { gate.resolver.fulfill() }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    gate.promise.then(on: .inline) { next(exchange) }
  }
}
