import Foundation
import Dispatch
import Promises
import TestSupport
import Testing

@testable import Networking

@Suite(.timeLimit(.minutes(10)))
struct RefreshInterceptorTests {
  @Test func fiveHundredCallersAndOneRefresh() async throws {
    let stand = RefreshStand()
    let calls = stand.send(500)
    #expect(stand.started.value == 1)
    stand.end(.success("new"))
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(stand.started.value == 1)
    #expect(stand.sent.entries.filter { $0 == "old" }.count == 500)
    #expect(stand.sent.entries.filter { $0 == "new" }.count == 500)
  }

  @Test func aRefreshThatFailsFailsAllFiveHundredOnceWithItsError() async {
    let stand = RefreshStand()
    let errors = Log<String>()
    let calls = stand.send(500)
    for call in calls { call.fail(on: .inline) { errors.append("\($0)") } }
    stand.end(.failure(TestError("denied")))
    for call in calls {
      #expect(await call.result.failure(as: TestError.self) == TestError("denied"))
    }
    #expect(errors.entries == .init(repeating: "TestError(denied)", count: 500))
    #expect(stand.started.value == 1 && stand.sent.entries.count == 500)
  }

  @Test func whileItEndsNobodyHangsAndNobodyStartsAnother() async throws {
    for _ in 0..<20 {
      let stand = RefreshStand()
      let first = stand.send()
      let others = Log<NetworkPromise>()
      DispatchQueue.concurrentPerform(iterations: 64) { index in
        if index == 32 { stand.end(.success("new")) } else { others.append(stand.send()) }
      }
      for call in others.entries + [first] { #expect(try await call.value.status == 200) }
      #expect(stand.started.value == 1)
    }
  }

  @Test func whoWasSentBeforeItEndedStartsNoOther() async throws {
    let gate = GatedTransport()
    let stand = RefreshStand()
    let slow = stand.send(stand.exchange(over: gate))
    let quick = stand.send()
    stand.end(.success("new"))
    #expect(try await quick.value.status == 200)
    gate.answer(401)
    #expect(gate.tokens == ["old", "new"])
    gate.answer(200)
    #expect(try await slow.value.status == 200 && stand.started.value == 1)
  }

  @Test func whoWasSentBeforeItFailedFailsWithItsError() async {
    let gate = GatedTransport()
    let stand = RefreshStand()
    let slow = stand.send(stand.exchange(over: gate))
    let quick = stand.send()
    stand.end(.failure(TestError("denied")))
    gate.answer(401)
    #expect(await slow.result.failure(as: TestError.self) == TestError("denied"))
    #expect(await quick.result.failure(as: TestError.self) == TestError("denied"))
    #expect(stand.started.value == 1)
  }

  @Test func whoWasMadeBeforeAndIsSentAfterHasTheNewCredentials() async throws {
    let stand = RefreshStand()
    let waiting = stand.exchange()
    let first = stand.send()
    stand.end(.success("new"))
    #expect(try await first.value.status == 200)
    #expect(try await stand.send(waiting).value.status == 200)
    #expect(stand.sent.entries == ["old", "new", "new"])
  }

  @Test func aSecondRefusalIsTheAnswer() async throws {
    let stand = RefreshStand()
    let call = stand.send()
    stand.end(.success("useless"))
    let response = try await call.value
    #expect(response.status == 401 && stand.started.value == 1)
    #expect(stand.sent.entries == ["old", "useless"])
    let error = await call.validate().result.failure(as: NetworkError.self)
    #expect(
      error?.attempts == 2
        && error?.body.map { String(decoding: $0, as: UTF8.self) } == "no useless")
    #expect(error?.description.contains("after 2 attempts (401, 401)") == true)
  }

  @Test func theRefreshsOwnRequestPassesBy() async throws {
    let stand = RefreshStand()
    let response = try await stand.send(stand.exchange(false)).value
    #expect(response.status == 401 && stand.started.value == 0)
  }

  @Test func whatTheRefreshThrowsIsItsFailure() async {
    let stand = RefreshStand { _ in throw TestError("no token") }
    for _ in 0..<2 {
      #expect(await stand.send().result.failure(as: TestError.self) == TestError("no token"))
    }
    #expect(stand.started.value == 2)
  }

  @Test func aRefreshThatIsCancelledByItselfFailsWhoWaits() async {
    let stand = RefreshStand { _ in .rejected(CancellationError()) }
    #expect(await stand.send().result.error is CancellationError)
    #expect(stand.started.value == 1)
  }

  @Test func itIsCancelledWhenTheLastCallerHasGone() async throws {
    let stand = RefreshStand()
    let calls = stand.send(3)
    calls[0].cancel()
    calls[1].validate().toData().cancel()
    #expect(stand.cancelled.value == 0)
    calls[2].cancel()
    #expect(stand.cancelled.value == 1)
    // The next one starts another, whose outcome is its own.
    let next = stand.send()
    stand.end(.success("ignored"))
    #expect(stand.started.value == 2)
    stand.end(.success("new"))
    #expect(try await next.value.status == 200)
  }

  @Test func oneThatStaysKeepsItGoing() async throws {
    let stand = RefreshStand()
    let calls = stand.send(100)
    for call in calls.dropLast() { call.cancel() }
    #expect(stand.cancelled.value == 0)
    stand.end(.success("new"))
    #expect(try await calls[99].value.status == 200)
    #expect(stand.sent.entries.count == 101)
  }

  @Test func whoComesWhileTheLastOneGoesIsNotCancelledWithIt() async throws {
    for _ in 0..<200 {
      let stand = RefreshStand()
      let leaving = stand.send()
      let staying = Log<NetworkPromise>()
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { leaving.cancel() } else { staying.append(stand.send()) }
      }
      // Of two refreshes the first was broken off.
      for _ in 0..<2 { stand.end(.success("new")) }
      #expect(try await staying.entries[0].value.status == 200)
    }
  }

  @Test func cancellingTheSecondSendingCancelsIt() async {
    let gate = GatedTransport()
    let stand = RefreshStand()
    let call = stand.send(stand.exchange(over: gate))
    gate.answer(401)
    stand.end(.success("new"))
    #expect(gate.tokens == ["old", "new"])
    call.cancel()
    #expect(gate.cancelled.value == 1 && stand.cancelled.value == 0)
  }
}
