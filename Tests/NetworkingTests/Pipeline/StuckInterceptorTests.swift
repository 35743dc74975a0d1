import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors

/// The call deadline ends an interceptor that never completes, and the error names it.
@Suite(.gated)
struct StuckInterceptorTests {
  private struct Plain: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      next(exchange)
    }
  }

  private struct Stuck: Interceptor {
    let name = "the gatekeeper"
    let promise: Promise<Void>
    let isAfter: Bool

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      isAfter
        ? next(exchange).then(on: .inline) { response in promise.map { response } }
        : promise.then(on: .inline) { next(exchange) }
    }
  }

  private func reason(
    _ stages: [any Interceptor], _ transport: FakeTransport
  ) async -> String? {
    let time = TestScheduler()
    let deadline = DeadlineStage(phase: .call, scheduler: time) { _ in .seconds(5) }
    let call = Pipeline([deadline] + stages).send(
      Exchange(HTTPRequest(url: .of("https://a.example/x")), over: transport))
    await time.advance(by: .seconds(5))
    let error = await call.result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.call))
    return error?.reason
  }

  @Test(arguments: [false, true])
  func aStuckInterceptorIsNamedBeforeAndAfterTheNetwork(_ isAfter: Bool) async {
    let never = Promise<Void>.pending(on: .inline)
    let stuck = Stuck(promise: never.promise, isAfter: isAfter)
    let transport = FakeTransport { _ in .response(200) }
    let reason = await reason(
      [Plain(), RedirectStage(policy: .follow()), stuck, Plain()], transport)
    #expect(reason == "the interceptor the gatekeeper has not called back")
    #expect(never.promise.isCancelled && transport.requests.count == (isAfter ? 1 : 0))
  }

  @Test func aSilentServerIsNotAttributedToAnInterceptor() async {
    let reason = await reason([Plain(), Plain()], FakeTransport { _ in [] })
    #expect(reason == nil)
  }

  @Test func interceptorsOfTheExchangeRunInPlaceAndAreWatched() async {
    let never = Promise<Void>.pending(on: .inline)
    let time = TestScheduler()
    let stages: [any Interceptor] = [
      DeadlineStage(phase: .call, scheduler: time) { _ in .seconds(5) },
      InterceptorsStage(level: .call),
    ]
    let transport = FakeTransport { _ in .response(200) }
    let call = Pipeline(stages).send(
      Exchange(
        HTTPRequest(url: .of("https://a.example/x")),
        interceptors: [
          HeaderInjector { _ in ["X": "1"] }, Stuck(promise: never.promise, isAfter: true), Plain(),
        ], over: transport))
    await time.advance(by: .seconds(5))
    let error = await call.result.failure(as: NetworkError.self)
    #expect(error?.reason == "the interceptor the gatekeeper has not called back")
    #expect(transport.requests.map { $0.headers["X"] } == ["1"])
  }

  @Test func theDefaultNameIsTheTypeName() {
    #expect(Plain().name == "Plain" && PipelineBarrier().name == "PipelineBarrier")
    #expect(RequestAdapter(name: "signing") { $0 }.name == "signing")
  }
}
