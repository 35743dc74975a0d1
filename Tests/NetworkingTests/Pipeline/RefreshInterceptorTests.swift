import Dispatch
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct RefreshInterceptorTests {
  @Test func fiveHundredCallersShareOneRefresh() async throws {
    let fixture = RefreshFixture()
    let calls = fixture.send(500)
    #expect(fixture.started.value == 1)
    fixture.end(.success("new"))
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(fixture.started.value == 1)
    #expect(fixture.sent.entries.filter { $0 == "old" }.count == 500)
    #expect(fixture.sent.entries.filter { $0 == "new" }.count == 500)
  }

  @Test func aFailedRefreshFailsAllCallersOnceWithItsError() async {
    let fixture = RefreshFixture()
    let errors = Log<String>()
    let calls = fixture.send(500)
    for call in calls { call.fail(on: .inline) { errors.append("\($0)") } }
    fixture.end(.failure(TestError("denied")))
    for call in calls {
      #expect(await call.result.failure(as: TestError.self) == TestError("denied"))
    }
    #expect(errors.entries == .init(repeating: "TestError(denied)", count: 500))
    #expect(fixture.started.value == 1 && fixture.sent.entries.count == 500)
  }

  @Test func requestsDuringTheEndOfARefreshNeitherHangNorStartAnother() async throws {
    for _ in 0..<20 {
      let fixture = RefreshFixture()
      let first = fixture.send()
      let others = Log<NetworkPromise>()
      DispatchQueue.concurrentPerform(iterations: 64) { index in
        if index == 32 { fixture.end(.success("new")) } else { others.append(fixture.send()) }
      }
      for call in others.entries + [first] { #expect(try await call.value.status == 200) }
      #expect(fixture.started.value == 1)
    }
  }

  @Test func aRequestSentBeforeTheRefreshEndedStartsNoOther() async throws {
    let gate = GatedTransport()
    let fixture = RefreshFixture()
    let slow = fixture.send(fixture.exchange(over: gate))
    let quick = fixture.send()
    fixture.end(.success("new"))
    #expect(try await quick.value.status == 200)
    gate.respond(401)
    #expect(gate.tokens == ["old", "new"])
    gate.respond(200)
    #expect(try await slow.value.status == 200 && fixture.started.value == 1)
  }

  @Test func aRequestSentBeforeTheRefreshFailedFailsWithItsError() async {
    let gate = GatedTransport()
    let fixture = RefreshFixture()
    let slow = fixture.send(fixture.exchange(over: gate))
    let quick = fixture.send()
    fixture.end(.failure(TestError("denied")))
    gate.respond(401)
    #expect(await slow.result.failure(as: TestError.self) == TestError("denied"))
    #expect(await quick.result.failure(as: TestError.self) == TestError("denied"))
    #expect(fixture.started.value == 1)
  }

  @Test func aRequestCreatedBeforeAndSentAfterTheRefreshHasTheNewCredentials() async throws {
    let fixture = RefreshFixture()
    let waiting = fixture.exchange()
    let first = fixture.send()
    fixture.end(.success("new"))
    #expect(try await first.value.status == 200)
    #expect(try await fixture.send(waiting).value.status == 200)
    #expect(fixture.sent.entries == ["old", "new", "new"])
  }

  @Test func aSecondUnauthorizedResponseIsTheResult() async throws {
    let fixture = RefreshFixture()
    let call = fixture.send()
    fixture.end(.success("useless"))
    let response = try await call.value
    #expect(response.status == 401 && fixture.started.value == 1)
    #expect(fixture.sent.entries == ["old", "useless"])
    let error = await call.validate().result.failure(as: NetworkError.self)
    #expect(
      error?.attempts == 2
        && error?.body.map { String(decoding: $0, as: UTF8.self) } == "no useless")
    #expect(error?.description.contains("after 2 attempts (401; 401)") == true)
  }

  @Test func theRequestOfTheRefreshIsNotIntercepted() async throws {
    let fixture = RefreshFixture()
    let response = try await fixture.send(fixture.exchange(false)).value
    #expect(response.status == 401 && fixture.started.value == 0)
  }

  @Test func anErrorThrownByTheRefreshIsItsFailure() async {
    let fixture = RefreshFixture { _ in throw TestError("no token") }
    for _ in 0..<2 {
      #expect(await fixture.send().result.failure(as: TestError.self) == TestError("no token"))
    }
    #expect(fixture.started.value == 2)
  }

  @Test func aCancelledRefreshFailsItsCallers() async {
    let fixture = RefreshFixture { _ in .rejected(CancellationError()) }
    #expect(await fixture.send().result.error is CancellationError)
    #expect(fixture.started.value == 1)
  }

  @Test func cancellingTheLastCallerCancelsTheRefresh() async throws {
    let fixture = RefreshFixture()
    let calls = fixture.send(3)
    calls[0].cancel()
    calls[1].validate().toData().cancel()
    #expect(fixture.cancelled.value == 0)
    calls[2].cancel()
    #expect(fixture.cancelled.value == 1)
    // The next request starts a new refresh with its own outcome.
    let next = fixture.send()
    fixture.end(.success("ignored"))
    #expect(fixture.started.value == 2)
    fixture.end(.success("new"))
    #expect(try await next.value.status == 200)
  }

  @Test func oneRemainingCallerKeepsTheRefresh() async throws {
    let fixture = RefreshFixture()
    let calls = fixture.send(100)
    for call in calls.dropLast() { call.cancel() }
    #expect(fixture.cancelled.value == 0)
    fixture.end(.success("new"))
    #expect(try await calls[99].value.status == 200)
    #expect(fixture.sent.entries.count == 101)
  }

  @Test(arguments: [false, true])
  func aCallerThatArrivesDuringTheCancellationIsNotCancelled(holdsRequests: Bool) async throws {
    for _ in 0..<200 {
      let fixture = RefreshFixture(holdsRequests: holdsRequests)
      let leaving = fixture.send()
      let staying = Log<NetworkPromise>()
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { leaving.cancel() } else { staying.append(fixture.send()) }
      }
      // If there are two refreshes, the first one is cancelled.
      for _ in 0..<2 { fixture.end(.success("new")) }
      #expect(try await staying.entries[0].value.status == 200)
    }
  }

  // MARK: Held requests

  @Test func heldRequestsAreSentOnceAfterTheRefresh() async throws {
    let fixture = RefreshFixture(holdsRequests: true)
    let calls = [fixture.send()] + fixture.send(100)
    let passing = try await fixture.send(fixture.exchange(false)).value
    #expect(passing.status == 401 && fixture.sent.entries == ["old", "old"])
    fixture.end(.success("new"))
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(fixture.sent.entries.count == 103 && fixture.started.value == 1)
    #expect(fixture.sent.entries.dropFirst(2).allSatisfy { $0 == "new" })
    #expect(try await fixture.send().value.status == 200)
  }

  @Test func heldRequestsFailWithTheErrorOfTheRefresh() async {
    let fixture = RefreshFixture(holdsRequests: true)
    let calls = [fixture.send(), fixture.send()]
    fixture.end(.failure(TestError("denied")))
    for call in calls {
      #expect(await call.result.failure(as: TestError.self) == TestError("denied"))
    }
    #expect(fixture.sent.entries == ["old"])
    // A request after the failure is sent.
    let next = fixture.send()
    fixture.end(.failure(TestError("again")))
    #expect(await next.result.failure(as: TestError.self) == TestError("again"))
    #expect(fixture.started.value == 2)
  }

  @Test func aHeldRequestKeepsTheRefreshUntilItIsCancelled() async throws {
    let fixture = RefreshFixture(holdsRequests: true)
    let first = fixture.send()
    let held = fixture.send()
    first.cancel()
    #expect(fixture.cancelled.value == 0)
    held.cancel()
    #expect(fixture.cancelled.value == 1 && fixture.sent.entries == ["old"])
  }

  @Test func withoutTheSwitchARequestIsSentDuringTheRefresh() async throws {
    let fixture = RefreshFixture()
    let calls = [fixture.send(), fixture.send()]
    #expect(fixture.sent.entries == ["old", "old"])
    fixture.end(.success("new"))
    for call in calls { #expect(try await call.value.status == 200) }
  }

  @Test func cancellationDuringTheResendCancelsTheRequest() async {
    let gate = GatedTransport()
    let fixture = RefreshFixture()
    let call = fixture.send(fixture.exchange(over: gate))
    gate.respond(401)
    fixture.end(.success("new"))
    #expect(gate.tokens == ["old", "new"])
    call.cancel()
    #expect(gate.cancelled.value == 1 && fixture.cancelled.value == 0)
  }
}

@Suite(.gated)
struct RefreshMachineTests {
  private let sessions = CallSessions(.init(ClientSettings()))

  private func kind(_ action: RefreshMachine.Action) -> String {
    switch action {
    case .start(let number): "start \(number)"
    case .join: "join"
    case .resend: "resend"
    case .fail(let error): "fail \(error)"
    }
  }

  @Test func theFirstCallerStartsOthersJoinAndLateCallersResend() {
    var machine = RefreshMachine()
    let first = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    let second = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    machine.ended(1, nil)
    let late = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    let fresh = machine.requestRejected(sentIn: 1, of: sessions) { .fulfilled(()) }
    #expect(machine.isInProgress(2) && !machine.isInProgress(1))
    #expect([first, second, late, fresh].map(kind) == ["start 1", "join", "resend", "start 2"])
  }

  @Test func afterAFailureLateCallersFailAndNewCallersStartAnother() {
    var machine = RefreshMachine()
    let first = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    machine.ended(1, TestError("denied"))
    let late = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    let fresh = machine.requestRejected(sentIn: 1, of: sessions) { .fulfilled(()) }
    machine.ended(2, nil)
    let later = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    #expect(
      [first, late, fresh, later].map(kind)
        == ["start 1", "fail TestError(denied)", "start 2", "resend"])
  }

  @Test func aRefreshOfAnEndedSessionHasNoOutcomeAndNoCallers() {
    var machine = RefreshMachine()
    var settings = ClientSettings()
    settings.session = UserSession()
    let ended = CallSessions(.init(settings))
    _ = machine.requestRejected(sentIn: 0, of: ended) { .fulfilled(()) }
    settings.session.end()
    #expect(machine.current == nil && machine.isInProgress(1))
    let late = machine.requestRejected(sentIn: 0, of: ended) { .fulfilled(()) }
    let next = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    machine.ended(1, TestError("of another user"))
    #expect(machine.epoch == 0 && machine.current != nil)
    machine.ended(2, nil)
    #expect(machine.epoch == 1 && machine.failure(since: 0) == nil)
    #expect(kind(next) == "start 2" && kind(late).contains("session"))
  }

  @Test func anAbandonedRefreshHasNoOutcome() {
    var machine = RefreshMachine()
    _ = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    machine.abandoned(1)
    machine.ended(1, nil)
    let next = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    machine.abandoned(1)
    machine.ended(1, nil)
    let joined = machine.requestRejected(sentIn: 0, of: sessions) { .fulfilled(()) }
    #expect(machine.epoch == 0 && [next, joined].map(kind) == ["start 2", "join"])
  }
}
