import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors

@Suite(.gated)
struct PipelineBarrierTests {
  private let barrier = PipelineBarrier()
  private let gate = GatedTransport()

  private func send(_ name: String, isIntercepted: Bool = true) -> NetworkPromise {
    let request = HTTPRequest(
      url: .of("https://a.example/x"), headers: ["Authorization": name])
    return Pipeline([barrier]).send(
      Exchange(request, isIntercepted: isIntercepted, over: gate))
  }

  @Test func newRequestsWaitAndContinueInOrder() async throws {
    let work = Promise<Int>.pending(on: .inline)
    let before = send("before")
    barrier.hold(while: work.promise)
    let calls = (0..<100).map { send("\($0)") }
    #expect(gate.tokens == ["before"])
    work.resolver.fulfill(1)
    #expect(gate.tokens == ["before"] + (0..<100).map { "\($0)" })
    for _ in 0...100 { gate.respond(200) }
    for call in calls + [before] { #expect(try await call.value.status == 200) }
  }

  @Test func aFailureReleasesWaitingRequests() {
    let work = Promise<Int>.pending(on: .inline)
    barrier.hold(while: work.promise)
    let call = send("a")
    work.resolver.reject(TestError("failed"))
    #expect(gate.tokens == ["a"] && call.isPending)
  }

  @Test func theBarrierCanWaitForRequestsInFlight() async throws {
    let calls = [send("a"), send("b")]
    let work = Promise<Int>.pending(on: .inline)
    let log = Log<String>()
    let held = barrier.hold(draining: true) {
      log.append("begun")
      return work.promise
    }
    let later = send("later")
    gate.respond(200)
    #expect(log.entries == [])
    gate.respond(404)
    #expect(log.entries == ["begun"] && gate.tokens == ["a", "b"])
    work.resolver.fulfill(7)
    #expect(try await held.value == 7 && gate.tokens == ["a", "b", "later"])
    gate.respond(200)
    for call in calls + [later] { _ = try await call.value }
    #expect(try await barrier.hold(draining: true) { .fulfilled(8) }.value == 8)
  }

  @Test func aCancelledRequestInFlightIsNotAwaited() async throws {
    let call = send("a")
    let held = barrier.hold(draining: true) { .fulfilled(1) }
    #expect(held.isPending)
    call.cancel()
    #expect(try await held.value == 1 && gate.cancelled.value == 1)
  }

  @Test func aRequestCancelledAtTheBarrierIsNotSent() async throws {
    let work = Promise<Int>.pending(on: .inline)
    barrier.hold(while: work.promise)
    let calls = [send("a"), send("b")]
    calls[0].validate().toData().cancel()
    work.resolver.fulfill(1)
    #expect(gate.tokens == ["b"])
    gate.respond(200)
    _ = try await calls[1].value
    #expect(try await barrier.hold(draining: true) { .fulfilled(2) }.value == 2)
  }

  @Test func theLastOfSeveralHoldsReleasesRequests() {
    let works = (0..<3).map { _ in Promise<Int>.pending(on: .inline) }
    for work in works { barrier.hold(while: work.promise) }
    let call = send("a")
    works[2].resolver.fulfill(0)
    works[0].resolver.fulfill(0)
    #expect(gate.tokens == [])
    works[1].promise.cancel()
    #expect(gate.tokens == ["a"] && call.isPending)
  }

  @Test func cancellationEndsAHold() {
    let inFlight = send("a")
    let held = barrier.hold(draining: true) { () -> Promise<Int> in .fulfilled(1) }
    let call = send("b")
    held.cancel()
    #expect(gate.tokens == ["a", "b"] && call.isPending && inFlight.isPending)
  }

  @Test func aThrowingBodyEndsTheHold() async {
    let held = barrier.hold { () -> Promise<Int> in throw TestError("no") }
    #expect(await held.result.failure(as: TestError.self) == TestError("no"))
    _ = send("a")
    #expect(gate.tokens == ["a"])
  }

  @Test func requestsWithoutInterceptionPassTheBarrier() {
    let work = Promise<Int>.pending(on: .inline)
    barrier.hold(while: work.promise)
    _ = send("a", isIntercepted: false)
    #expect(gate.tokens == ["a"])
    work.resolver.fulfill(1)
  }

  @Test func manyConcurrentRequestsAreAllSentAndCounted() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let work = Promise<Int>.pending(on: .inline)
    let calls = Log<NetworkPromise>()
    DispatchQueue.concurrentPerform(iterations: 1_000) { index in
      switch index {
      case 200: barrier.hold(while: work.promise)
      case 600: work.resolver.fulfill(1)
      default:
        let call = Pipeline([barrier]).send(
          Exchange(HTTPRequest(url: .of("https://a.example/x")), over: transport))
        if index % 3 == 0 { call.cancel() }
        calls.append(call)
      }
    }
    for call in calls.entries { _ = await call.result }
    #expect(try await barrier.hold(draining: true) { .fulfilled(3) }.value == 3)
  }
}
