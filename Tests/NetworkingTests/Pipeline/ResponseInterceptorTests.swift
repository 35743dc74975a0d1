import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct ResponseInterceptorTests {
  private static let url = URL.of("https://a.example/x")

  private func send(
    _ interceptor: ResponseInterceptor, _ transport: any Transport, isIntercepted: Bool = true
  ) -> NetworkPromise {
    Pipeline([interceptor]).send(
      Exchange(HTTPRequest(url: Self.url), isIntercepted: isIntercepted, over: transport))
  }

  @Test func aFulfilledPromiseResendsTheRequest() async throws {
    let maintenance = Promise<Void>.pending(on: .inline)
    let count = Counter()
    let transport = FakeTransport { _ in .response(count.add() == 1 ? 503 : 200) }
    let call = send(
      ResponseInterceptor { result, request in
        #expect(request.url == Self.url)
        return (try? result.get().status) == 503 ? .resend(after: maintenance.promise) : .pass
      }, transport)
    #expect(count.value == 1 && call.isPending)
    maintenance.resolver.fulfill()
    #expect(try await call.value.status == 200 && count.value == 2)
  }

  @Test func aRejectedPromiseFailsTheRequest() async {
    let transport = FakeTransport { _ in .response(503) }
    let call = send(
      ResponseInterceptor { _, _ in .resend(after: .rejected(TestError("for good"))) }, transport)
    #expect(await call.result.failure(as: TestError.self) == TestError("for good"))
  }

  @Test func theOutcomeAtTheLimitIsTheResult() async throws {
    let transport = FakeTransport { _ in .response(503) }
    let interceptor = ResponseInterceptor(limit: 3) { _, _ in .resend(after: .fulfilled(())) }
    #expect(try await send(interceptor, transport).value.status == 503)
    #expect(transport.requests.count == 4)
  }

  @Test func errorsAreInterceptedAndCanBeRetried() async throws {
    let transport = FakeTransport { _ in [.failure(TransportFailure(code: .dnsFailed))] }
    let kept = Response(head: HTTPResponseHead(status: 203), request: HTTPRequest(url: Self.url))
    let call = send(
      ResponseInterceptor { result, _ in
        result.failure(as: NetworkError.self)?.code == .dnsFailed ? .respond(kept) : .pass
      }, transport)
    #expect(try await call.value.status == 203)
    let passed = send(ResponseInterceptor { _, _ in .pass }, transport)
    #expect(await passed.result.failure(as: NetworkError.self)?.code == .dnsFailed)
  }

  @Test func thrownErrorsRejectAndOtherRequestsPassThrough() async throws {
    let transport = FakeTransport { _ in .response(503) }
    let thrower = ResponseInterceptor { _, _ in throw TestError("thrown") }
    #expect(await send(thrower, transport).result.failure(as: TestError.self) != nil)
    #expect(try await send(thrower, transport, isIntercepted: false).value.status == 503)
  }

  @Test func cancellationCancelsThePendingPromise() async {
    let waiting = Promise<Void>.pending(on: .inline)
    let transport = FakeTransport { _ in .response(503) }
    let call = send(ResponseInterceptor { _, _ in .resend(after: waiting.promise) }, transport)
    call.cancel()
    #expect(waiting.promise.isCancelled && transport.requests.count == 1)
  }
}
