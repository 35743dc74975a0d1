import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// Middleware that observes, modifies, cancels and holds requests.
@Suite(.gated)
struct ConduitMiddlewareTests {
  private let server: MockServer
  private let mySessionClient: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.get, "/kittens", .json(["name": "Jingles"]))
      Route(.get, "/slow") { _ in .text("...").delayed(by: .milliseconds(200)) }
    }
    mySessionClient = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  @Test("C7: middleware that logs each outbound request")
  func logging() async throws {
    // sample C7
    struct LoggingRequestPipelineMiddleware: NetworkPlugin {
      let log = Log<String>()
      func willSend(_ request: HTTPRequest) { log.append("Outbound request: \(request)") }
    }
    let middleware = LoggingRequestPipelineMiddleware()
    mySessionClient.interceptors = [middleware]
    // end
    _ = try await mySessionClient.request(.get("kittens")).validate().value
    #expect(middleware.log.entries == ["Outbound request: GET \(server.url)/kittens"])
  }

  @Test("C7b: middleware that modifies a request, and middleware that cancels it")
  func modification() async throws {
    // sample C7b
    let language = RequestAdapter { request in
      var request = request
      request.headers["Accept-Language"] = "cat"
      return request
    }
    let cancellation = RequestAdapter { request in
      guard request.url.path != "/slow" else { throw CancellationError() }
      return request
    }
    mySessionClient.interceptors = [language, cancellation]
    // end
    _ = try await mySessionClient.request(.get("kittens")).validate().value
    let cancelled = await mySessionClient.request(.get("slow")).result
    #expect(cancelled.error is CancellationError)
    #expect(server.receivedRequests.map { $0.headers["Accept-Language"] } == ["cat"])
  }

  @Test("C7c: middleware that freezes the pipeline")
  func freezing() async throws {
    let work = Promise<Void>.pending()
    // sample C7c
    let barrier = PipelineBarrier()
    mySessionClient.interceptors.append(barrier)
    barrier.hold(while: work.promise)
    // end
    let waiting = mySessionClient.request(.get("kittens")).validate()
    _ = try await mySessionClient.request(.get("kittens", .notIntercepted)).value
    #expect(waiting.isPending && server.requestCount == 1)
    work.resolver.fulfill()
    _ = try await waiting.value
    #expect(server.requestCount == 2)
  }

  @Test("C7d: the outgoing queue is emptied")
  func emptying() async throws {
    mySessionClient.suspend()
    let waiting = (1...3).map { _ in mySessionClient.request(.get("kittens")) }
    // sample C7d
    mySessionClient.cancelAllRequests()
    // end
    mySessionClient.resume()
    for promise in waiting { #expect(await promise.result.error is CancellationError) }
    #expect(server.requestCount == 0)
  }

  @Test("C7e: middleware that waits for the requests that are out")
  func draining() async throws {
    let barrier = PipelineBarrier()
    mySessionClient.interceptors.append(barrier)
    let out = mySessionClient.request(.get("slow"))
    _ = try await server.takeRequest().value
    // sample C7e
    let migrated = barrier.hold(draining: true) {
      mySessionClient.request(.get("kittens", .notIntercepted)).validate()
    }
    // end
    let isEndOfOthers = migrated.map { _ in out.isFulfilled }
    let later = mySessionClient.request(.get("kittens"))
    #expect(try await isEndOfOthers.value)
    _ = try await later.value
    #expect(server.receivedRequests.map(\.target) == ["/slow", "/kittens", "/kittens"])
  }
}
