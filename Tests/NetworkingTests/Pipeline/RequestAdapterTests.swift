import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct RequestAdapterTests {
  private let transport = FakeTransport { _ in .response(404, [:], "none") }

  private func send(_ stages: any Interceptor..., headers: HTTPHeaders = [:]) -> NetworkPromise {
    Pipeline(stages).send(
      Exchange(HTTPRequest(url: .of("https://a.example/x"), headers: headers), over: transport))
  }

  @Sendable private static func marked(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers.add("1", for: "X-Mark")
    return request
  }

  @Test func adaptersChangeARequestSynchronouslyByPromiseAndByTask() async throws {
    let stages: [RequestAdapter] = [
      RequestAdapter { Self.marked($0) },
      RequestAdapter { request in Promise.fulfilled(Self.marked(request)) },
      RequestAdapter { request in
        await Task.yield()
        return Self.marked(request)
      },
    ]
    _ = try await send(stages[0], stages[1], stages[2]).value
    #expect(transport.requests[0].headers.values(for: "X-Mark") == ["1", "1", "1"])
  }

  @Test func synchronousStepsWithoutAnActorAddNoHop() {
    let stages: [any Interceptor] = [
      RequestAdapter { Self.marked($0) }, HeaderInjector { _ in ["X-Field": "1"] },
      ResponseInterceptor { _, _ in .pass },
    ]
    for stage in stages { #expect(send(stage).fulfilledValue?.status == 404) }
  }

  @Test func anErrorThrownByAnAdapterRejectsAndSendsNothing() async {
    let error = TestError("unsigned")
    let stages: [RequestAdapter] = [
      RequestAdapter { (_: HTTPRequest) throws -> HTTPRequest in throw error },
      RequestAdapter { (_: HTTPRequest) -> Promise<HTTPRequest> in .rejected(error) },
      RequestAdapter { (_: HTTPRequest) async throws -> HTTPRequest in throw error },
    ]
    for stage in stages { #expect(await send(stage).result.failure(as: TestError.self) == error) }
    #expect(transport.requests.isEmpty)
  }

  @Test func cancellationCancelsThePromiseOfAnAdapter() {
    let pending = Promise<HTTPRequest>.pending(on: .inline)
    send(RequestAdapter { _ in pending.promise }).cancel()
    #expect(pending.promise.isCancelled && transport.requests.isEmpty)
  }

  @Test func missingFieldsAreAdded() async throws {
    let injector = HeaderInjector { request in ["X-Path": request.url.path, "Accept": "text/plain"]
    }
    _ = try await send(injector, headers: ["accept": "image/png"]).value
    let headers = transport.requests[0].headers
    #expect(headers["X-Path"] == "/x" && headers.values(for: "Accept") == ["image/png"])
  }

  @Test func anInvalidFieldIsRejected() async {
    let injector = HeaderInjector { _ in ["X": "a\r\nb"] }
    let error = await send(injector).result.failure(as: NetworkError.self)
    #expect(error?.code == .invalidHeader && transport.requests.isEmpty)
  }

  private struct Recorder: NetworkPlugin {
    let log: Log<String>

    func prepare(_ request: HTTPRequest) throws -> HTTPRequest {
      log.append("prepare")
      return RequestAdapterTests.marked(request)
    }

    func willSend(_ request: HTTPRequest) {
      log.append("willSend \(request.headers.count)")
    }

    func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) {
      log.append("didReceive \((try? result.get().status) ?? 0)")
    }

    func process(
      _ result: Result<Response, any Error>, of request: HTTPRequest
    ) throws -> Response {
      log.append("process")
      throw TestError("processed")
    }
  }

  @Test func pluginHooksRunOnceInOrder() async {
    let log = Log<String>()
    let result = await send(Recorder(log: log)).result
    #expect(result.failure(as: TestError.self) == TestError("processed"))
    #expect(log.entries == ["prepare", "willSend 1", "didReceive 404", "process"])
  }

  @Test func aPluginSeesTheEndOfACancelledRequestAndProcessesNothing() {
    let log = Log<String>()
    let silent = FakeTransport { _ in [] }
    let call = Pipeline([Recorder(log: log)]).send(
      Exchange(HTTPRequest(url: .of("https://a.example/x")), over: silent))
    call.cancel()
    #expect(silent.cancelled == 1)
    #expect(log.entries == ["prepare", "willSend 1", "didReceive 0"])
  }

  private struct Idle: NetworkPlugin {}

  @Test func aPluginWithoutHooksChangesNothing() async throws {
    let response = try await send(Idle()).value
    #expect(response.status == 404 && transport.requests[0].headers.isEmpty)
  }
}
