import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// The service: its configuration, its interceptor and the execution of requests.
@Suite(.gated)
struct CaraRequestsTests {
  struct User: Codable, Hashable, Sendable {
    var name: String
  }

  private let server: MockServer
  private let service: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.get, "/user", .json(["name": "Ada"]))
      Route(.get, "/slow") { _ in .text("...").delayed(by: .seconds(60)) }
      Route(.get, "/expired", .sequence(.status(401), .json(["name": "Ada"])))
      Route(.get, "/unavailable", .status(503))
      Route(.post, "/refresh", .status(401))
    }
    service = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  private var someConfiguration: NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.baseURL = server.url
    configuration.headers["X-App"] = "Cara"
    configuration.session = .ephemeral
    return configuration
  }

  @Test("A1: a service with a configuration")
  func configuration() async throws {
    // sample A1
    let configuration = someConfiguration
    let service = Networking<Request>(configuration: configuration)
    // end
    #expect(try await service.request(.get("user")).validate().value.status == 200)
    #expect(server.receivedRequests[0].headers["X-App"] == "Cara")
  }

  @Test("A2: a 401 is retried after a second, a 503 ends silently")
  func interceptor() async throws {
    // sample A2
    let interceptor = ResponseInterceptor { result, _ in
      switch try? result.get().status {
      case 401: return .resend(after: after(.seconds(1)))
      case 503: throw CancellationError()
      default: return .pass
      }
    }
    // end
    service.interceptors = [interceptor]
    let start = ContinuousClock.now
    #expect(
      try await service.request(.get("expired")).validate().decode(User.self).value.name == "Ada")
    #expect(ContinuousClock.now - start >= .seconds(1))

    let called = Counter()
    let unavailable = service.request(.get("unavailable")).done { _ in called.add() }
      .fail { _ in called.add() }
    #expect(await unavailable.result.error is CancellationError)
    #expect(called.value == 0 && server.requestCount == 3)
  }

  @Test("A2b: a request that is not intercepted")
  func notIntercepted() async throws {
    let intercepted = Counter()
    service.interceptors = [
      ResponseInterceptor { _, _ in
        intercepted.add()
        return .pass
      }
    ]
    // sample A2b
    let request = Request.post("refresh", .notIntercepted)
    // end
    #expect(try await service.request(request).value.status == 401)
    #expect(intercepted.value == 0)
    _ = try await service.request(.post("refresh")).value
    #expect(intercepted.value == 1)
  }

  @Test("A3: the execution of a request returns a task, which is cancelled")
  func task() async throws {
    let responses = Log<String>()
    // sample A3
    let request = Request.get("slow")
    let task = service.request(request).toString().done { response in
      responses.append(response)
    }
    // end
    let received = try await server.takeRequest().value
    task.cancel()
    #expect(await task.result.error is CancellationError)
    _ = try await server.closing(of: received).value
    #expect(responses.entries == [])
  }

  @Test("A3b: the completion runs on the queue that asked")
  func queue() async throws {
    let queue = DispatchQueue(label: "A3b")
    let mark = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: mark, value: true)
    let isOnQueue = Log<Bool>()
    // sample A3b
    service.request(.get("user")).toString().done(on: .queue(queue)) { _ in
      isOnQueue.append(DispatchQueue.getSpecific(key: mark) == true)
    }
    // end
    #expect(await isOnQueue.entries(1) == [true])
  }

  @Test("A15: async/await")
  func asynchronous() async throws {
    // sample A15
    let user = try await service.request(.get("user")).validate().decode(User.self).value
    // end
    #expect(user == User(name: "Ada"))
  }

  @Test("A16: the cache policy and the timeout of the configuration")
  func cacheAndTimeout() async throws {
    // sample A16
    var configuration = someConfiguration
    configuration.caching.lifetime = .seconds(60)
    configuration.attemptTimeout = .seconds(2)
    let service = Networking<Request>(configuration: configuration)
    // end
    let first = try await service.request(.get("user")).value
    let second = try await service.request(.get("user")).value
    #expect(first.source == .network && second.source == .cache)
    let error = await service.request(.get("slow")).result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.attempt))
  }
}
