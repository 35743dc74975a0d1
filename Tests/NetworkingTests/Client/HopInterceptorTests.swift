import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct HopInterceptorTests {
  /// Records requests and responses.
  private struct HopRecorder: Interceptor {
    let log = Log<String>()

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      log.append("\(exchange.request.url.path) out")
      return next(exchange).always(on: .inline) { result in
        if case .success(let response) = result { log.append("\(response.status) in") }
      }
    }
  }

  private let recorder = HopRecorder()
  private let time = TestScheduler()

  private func client(
    _ transport: any Transport, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    change(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example")
    client.callbackContext = .inline
    client.interceptors[.hop] = [recorder]
    return client
  }

  @Test func eachHopOfARedirectIsIntercepted() async throws {
    let transport = FakeTransport { request in
      request.url.path == "/a" ? .response(302, ["Location": "/b"]) : .response(200)
    }
    let call = HopRecorder()
    let client = client(transport)
    client.interceptors.append(call)
    #expect(try await client.request(.get("a")).value.status == 200)
    #expect(recorder.log.entries == ["/a out", "302 in", "/b out", "200 in"])
    #expect(call.log.entries == ["/a out", "200 in"])
  }

  @Test func eachAttemptIsIntercepted() async throws {
    let tries = Counter()
    let transport = FakeTransport { _ in .response(tries.add() < 3 ? 503 : 200) }
    let client = client(transport) { $0.retry = .delayed(.seconds(1), limit: 2) }
    let promise = client.request(.get("a"))
    await time.run()
    #expect(try await promise.value.attempts.count == 3)
    #expect(
      recorder.log.entries == ["/a out", "503 in", "/a out", "503 in", "/a out", "200 in"])
  }

  @Test func interceptorsSeeCredentialsAndCookies() async throws {
    struct Reader: Interceptor {
      let log = Log<HTTPHeaders>()

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        log.append(exchange.request.headers)
        return next(exchange)
      }
    }
    let transport = FakeTransport { _ in .response(200, ["Set-Cookie": "a=1; Path=/"]) }
    let jar = CookieJar()
    let client = client(transport) { $0.cookies = .jar(jar) }
    client.authenticate(bearerToken: "t")
    let reader = Reader()
    client.interceptors[.hop] = [reader]
    for _ in 1...2 { _ = try await client.request(.get("a")).value }
    #expect(reader.log.entries.map { $0["Authorization"] } == ["Bearer t", "Bearer t"])
    #expect(reader.log.entries.map { $0["Cookie"] } == [nil, "a=1"])
    #expect(reader.log.entries == transport.requests.map(\.headers))
  }

  @Test func addedFieldsApplyToOneHopOnly() async throws {
    let transport = FakeTransport { request in
      request.url.path == "/a" ? .response(307, ["Location": "/b"]) : .response(200)
    }
    let client = client(transport)
    client.interceptors[.hop] = [
      RequestAdapter { request in
        var request = request
        request.headers.add("of \(request.url.path)", for: "X-Signature")
        return request
      }
    ]
    let response = try await client.request(.get("a")).value
    #expect(
      transport.requests.map { $0.headers.values(for: "X-Signature") } == [["of /a"], ["of /b"]])
    #expect(response.request.headers["X-Signature"] == "of /b")
  }

  @Test(arguments: [NetworkError.Phase.call, .attempt])
  func aStuckInterceptorIsNamedByTheTimeoutThatEndsIt(_ phase: NetworkError.Phase) async {
    struct Stuck: Interceptor {
      let name = "the signer"
      let promise: NetworkPromise

      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise { promise }
    }
    let transport = FakeTransport { _ in .response(200) }
    let client = client(transport) {
      if phase == .call { $0.callTimeout = .seconds(5) } else { $0.attemptTimeout = .seconds(5) }
    }
    let never = NetworkPromise.pending(on: .inline)
    client.interceptors[.hop] = [Stuck(promise: never.promise)]
    let promise = client.request(.get("a"))
    await time.run()
    let error = await promise.result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(phase))
    #expect(error?.reason == "the interceptor the signer has not called back")
    #expect(never.promise.isCancelled && transport.requests.isEmpty)
  }

  @Test func anInterceptorCanRespondAndChangesApplyToLaterCalls() async throws {
    struct Cached: Interceptor {
      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        .fulfilled(Response(head: HTTPResponseHead(status: 203), request: exchange.request))
      }
    }
    let transport = FakeTransport { _ in .response(200) }
    let client = client(transport)
    client.suspend()
    let before = client.request(.get("a"))
    client.interceptors.append(Cached(), at: .hop)
    let after = client.request(.get("a"))
    client.resume()
    #expect(try await before.value.status == 200)
    #expect(try await after.value.status == 203)
    #expect(transport.requests.count == 1)
  }
}
