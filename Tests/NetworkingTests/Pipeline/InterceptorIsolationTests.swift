import Dispatch
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingInterceptors

/// Closures of interceptors that are written in the code of an actor.
@Suite(.gated)
@MainActor
struct InterceptorIsolationTests {
  private let log = MainActorLog<String>()
  private let time = TestScheduler()
  /// Reports in its status whether the request was started on the main queue.
  private let transport = FakeTransport { _ in .response(isOnMainQueue ? 500 : 200) }

  private func send(_ path: String = "/", _ stages: any Interceptor...) -> NetworkPromise {
    let url = URL(string: "https://a.example\(path)") ?? .of("https://a.example/")
    return Pipeline(stages).send(Exchange(HTTPRequest(url: url), over: transport))
  }

  /// Returns a client in virtual time.
  private func client(over transport: any Transport) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example")
    client.callbackContext = .inline
    return client
  }

  // MARK: Requests

  @Test func adaptersRunOnTheirActorAndTheRequestLeavesIt() async throws {
    let adapters = [
      RequestAdapter { request in
        log.append("value")
        return request
      },
      RequestAdapter { request in
        log.append("promise")
        return Promise.fulfilled(request)
      },
      RequestAdapter { request in
        await Task.yield()
        log.append("task")
        return request
      },
    ]
    for adapter in adapters { #expect(try await send("/", adapter).value.status == 200) }
    #expect(log.entries == ["value", "promise", "task"] && log.isOfMainQueue)
  }

  @Test func aPromiseThatSettlesOnTheActorDoesNotKeepTheRequestThere() async throws {
    let adapter = RequestAdapter { request in
      Promise.fulfilled(request).then { request in
        log.append("then")
        return request
      }
    }
    #expect(try await send("/", adapter).value.status == 200)
    #expect(log.isOfMainQueue)
  }

  @Test func anInjectorOfFieldsRunsOnItsActor() async throws {
    let injector = HeaderInjector { request in
      log.append(request.url.path)
      return ["X-Count": "\(log.entries.count)"]
    }
    #expect(try await send("/a", injector).value.status == 200)
    #expect(transport.requests[0].headers["X-Count"] == "1" && log.isOfMainQueue)
    let invalid = HeaderInjector { _ in ["X-Count": "\(log.entries.count)\r\n"] }
    let error = await send("/b", invalid).result.failure(as: NetworkError.self)
    #expect(error?.code == .invalidHeader && transport.requests.count == 1)
  }

  @Test func requestsKeepTheirOrder() async throws {
    let adapter = RequestAdapter { request in
      log.append(request.url.path)
      return request
    }
    let paths = (0..<100).map { "/\($0)" }
    let calls = paths.map { send($0, adapter) }
    for call in calls { _ = try await call.value }
    #expect(log.entries == paths && transport.requests.map(\.url.path) == paths)
  }

  @Test func aStageThatBlocksDelaysNoOtherStep() async {
    let (started, gate) = (Log<Void>(), DispatchSemaphore(value: 0))
    let blocking = FakeTransport { _ in
      started.append(())
      gate.wait()
      return .response(200)
    }
    let adapters = (0..<2).map { _ in
      RequestAdapter { request in
        log.append(request.url.path)
        return request
      }
    }
    let slow = Pipeline([adapters[0]]).send(
      Exchange(HTTPRequest(url: .of("https://a.example/slow")), over: blocking))
    _ = await started.entries(1)
    let quick = await send("/quick", adapters[1]).result
    gate.signal()
    #expect((try? quick.get().status) == 200)
    #expect((try? await slow.value.status) == 200)
    #expect(log.entries == ["/slow", "/quick"])
  }

  @Test func anErrorOfTheActorReachesTheOuterStagesOffTheActor() async {
    struct Observer: Interceptor {
      let places: Log<Bool>

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        next(exchange).always(on: .inline) { _ in places.append(isOnMainQueue) }
      }
    }
    let observer = Observer(places: Log())
    let adapter = RequestAdapter { (_: HTTPRequest) throws -> HTTPRequest in
      log.append("throw")
      throw TestError("unsigned")
    }
    let result = await send("/", observer, adapter).result
    #expect(result.failure(as: TestError.self) == TestError("unsigned"))
    #expect(observer.places.entries == [false] && log.isOfMainQueue)
    #expect(transport.requests.isEmpty)
  }

  @Test func aRequestThatIsCancelledBeforeTheActorRunsIsNotAdapted() async {
    let adapter = RequestAdapter { request in
      log.append("adapt")
      return request
    }
    // This test occupies the actor until it waits.
    let call = send("/", adapter)
    call.cancel()
    #expect(await call.result.error is CancellationError)
    await mainQueueHasRun()
    #expect(log.entries.isEmpty && transport.requests.isEmpty)
  }

  @Test func virtualTimeWaitsForTheActor() async {
    let client = client(over: transport)
    client.interceptors = [
      RequestAdapter { request in
        log.append("call")
        return request
      }
    ]
    client.interceptors[.hop] = [
      HeaderInjector { _ in
        log.append("hop")
        return [:]
      }
    ]
    let call = client.request(.get("x"))
    await time.advance(by: .zero)
    #expect(call.fulfilledValue?.status == 200 && log.entries == ["call", "hop"])
  }

  private actor Signer {
    private(set) var count = 0

    func adapter() -> RequestAdapter {
      RequestAdapter { request in
        self.count += 1
        var request = request
        request.headers["X-Number"] = "\(self.count)"
        return request
      }
    }
  }

  @Test func anAdapterOfAnotherActorRunsThere() async throws {
    let signer = Signer()
    let adapter = await signer.adapter()
    let calls = (0..<100).map { send("/\($0)", adapter) }
    // A request may continue on the caller's thread, if the adapter returns before the caller goes on.
    for call in calls { _ = try await call.value }
    #expect(await signer.count == 100)
    #expect(transport.requests.map { $0.headers["X-Number"] } == (1...100).map { "\($0)" })
  }

  // MARK: Responses

  @Test func aDecisionIsMadeOnItsActor() async throws {
    let count = Counter()
    let transport = FakeTransport { _ in .response(count.add() == 1 ? 503 : 200) }
    let interceptor = ResponseInterceptor { result, request in
      log.append("\(request.url.path) \((try? result.get().status) ?? 0)")
      return log.entries.count == 1 ? .resend(after: .fulfilled(())) : .pass
    }
    let call = Pipeline([interceptor]).send(
      Exchange(HTTPRequest(url: .of("https://a.example/x")), over: transport))
    #expect(try await call.value.status == 200)
    #expect(log.entries == ["/x 503"] && log.isOfMainQueue)
  }

  // MARK: Refreshes and holds

  @MainActor
  private final class Session {
    var token = "old"
  }

  @Test(arguments: [false, true])
  func aRefreshRunsOnItsActor(isAsync: Bool) async throws {
    let session = Session()
    let transport = FakeTransport { request in
      .response(request.headers["X-Token"] == "new" ? 200 : 401)
    }
    let refresh =
      isAsync
      ? RefreshInterceptor { _ in
        await Task.yield()
        log.append("refresh")
        session.token = "new"
      }
      : RefreshInterceptor { _ in
        log.append("refresh")
        session.token = "new"
        return Promise.fulfilled(())
      }
    let pipeline = Pipeline([refresh, HeaderInjector { _ in ["X-Token": session.token] }])
    let calls = (0..<10).map { _ in
      pipeline.send(Exchange(HTTPRequest(url: .of("https://a.example/x")), over: transport))
    }
    for call in calls { #expect(try await call.value.status == 200) }
    #expect(log.entries == ["refresh"] && log.isOfMainQueue)
  }

  @Test(arguments: [false, true])
  func aRequestOfARefreshThatWouldWaitForItselfIsRejected(isAsync: Bool) async {
    let client = client(over: FakeTransport { _ in .response(401) })
    client.interceptors = [
      isAsync
        ? RefreshInterceptor { _ in _ = try await client.request(.get("token")).value }
        : RefreshInterceptor { _ in client.request(.get("token")) }
    ]
    let call = client.request(.get("x"))
    let error = await call.result.failure(as: NetworkError.self)
    #expect(
      error?.code == .unacceptableStatus(401) && error?.request?.url.hasSuffix("/token") == true)
    client.interceptors = []
  }

  @Test func theWorkOfAHoldRunsOnItsActor() async throws {
    let barrier = PipelineBarrier()
    let gate = GatedTransport()
    let call = Pipeline([barrier]).send(
      Exchange(HTTPRequest(url: .of("https://a.example/x")), over: gate))
    let held = barrier.hold(draining: true) {
      log.append("after the request")
      return Promise.fulfilled(1)
    }
    gate.respond(200)
    // This test occupies the actor until it waits.
    #expect(log.entries.isEmpty)
    #expect(try await held.value == 1)
    _ = try await call.value
    barrier.hold {
      log.append("at once")
      return Promise.fulfilled(2)
    }
    #expect(log.entries == ["after the request", "at once"] && log.isOfMainQueue)
  }
}
