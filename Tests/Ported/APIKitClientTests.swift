import Dispatch
import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// APIKit: clients.
@Suite(.gated)
struct APIKitClientTests {
  private struct SomeRequest: RequestConvertible {
    static let baseURL = "http://api.github.com/"
    var path: RequestPath = "users"
    var request: Request { .get(path, headers: ["X-Sample": "1"]) }
  }

  @Test("K1: a request of JSON, with done and catch", arguments: [200, 500])
  func json(_ status: Int) async throws {
    let server = try MockServer { Route(.get, "/users", .json(["name": "Ada"], status: status)) }
    let (names, failures) = (Log<String?>(), Log<any Error>())
    let shared = Networking<Request>(to: server)
    // sample K1
    let request = SomeRequest()
    shared.request(any: request).validate().toJson()
      .done { json in
        names.append(json["name"].string)
      }
      .fail { error in
        failures.append(error)
      }
    // end
    if status == 200 {
      #expect(await names.entries(1) == ["Ada"] && failures.entries.isEmpty)
    } else {
      #expect((await failures.entries(1).first as? NetworkError)?.code == .unacceptableStatus(500))
      #expect(names.entries.isEmpty)
    }
  }

  @Test("K1b: statuses from 200 to 399 are accepted, and others become errors")
  func acceptedStatuses() async throws {
    let server = try MockServer {
      Route(.get, "/{status}") { request in
        .json(["reason": "because"], status: Int(request.path["status"]) ?? 500)
      }
    }
    struct Problem: Decodable { let reason: String }
    @Sendable func handleErrorResponse(_ error: NetworkError) -> any Error {
      TestError((try? error.decodeBody(Problem.self))?.reason ?? "\(error)")
    }
    let client = Networking<Request>(to: server)
    client.baseURL = .of("http://api.github.com/")
    let requests = [200, 226, 300, 399, 400, 503].map { Request.get("\($0)") }
    // sample K1b
    let promises = requests.map { request in
      client.request(request).validate(statusCodes: 200...399).toJson()
        .recover(NetworkError.self) { error -> JSON in throw handleErrorResponse(error) }
    }
    // end
    for promise in promises[..<4] { #expect(try await promise.value["reason"] == "because") }
    for promise in promises[4...] {
      #expect(await promise.result.failure(as: TestError.self) == TestError("because"))
    }
  }

  @Test("K2: the queue of requests is blocked and released") func queue() async throws {
    let server = try sampleServer()
    let client = Networking<Request>(to: server)
    // sample K2
    client.suspend()

    // end
    let blocked = client.request(any: SomeRequest())
    _ = try await Networking<Request>(to: server).request(any: SomeRequest(path: "other")).value
    #expect(blocked.isPending && server.receivedRequests.map(\.target) == ["/other"])
    // sample K2
    client.resume()
    // end
    #expect(try await blocked.value.status == 200)
    #expect(server.receivedRequests.map(\.target) == ["/other", "/users"])
  }

  @Test("K3: a log of the header fields and parameters when requests start and end")
  func traffic() async throws {
    let server = try sampleServer()
    let log = Log<NetworkLogEntry>()
    var configuration = NetworkingConfiguration.isolated
    // sample K3
    configuration.logging = LoggingConfiguration(.verbose, to: ClosureLogger { log.append($0) })
    let client = Networking<Request>(to: server, configuration: configuration)
    // end
    client.baseURL = .of("http://api.github.com/")
    _ = try await client.request(.post("users", json: ["name": "Ada"])).value
    var entries = log.entries
    while entries.last?.event.isFinal != true { entries = await log.entries(entries.count + 1) }
    let sending = try #require(
      entries.first { if case .sending = $0.event.kind { true } else { false } })
    #expect(sending.description.contains("POST http://api.github.com/users: sending"))
    #expect(sending.description.contains("Content-Type: application/json"))
    #expect(sending.description.contains(#"{"name":"Ada"}"#))
    #expect(entries.last?.description.contains("finished with 200") == true)
  }

  @Test("K4: a configuration of the base URL and a secret is switched while the client runs")
  func config() async throws {
    // sample K4
    enum API {
      nonisolated(unsafe) static var config: Config = .default

      enum Config {
        case `default`, staging, staging02

        var baseURL: URL {
          switch self {
          case .default: .of("http://google.com")
          case .staging: .of("http://staging.google.com")
          case .staging02: .of("http://staging-02.google.com")
          }
        }

        var headerAuthSecretKey: String {
          switch self {
          case .default: "ya"
          case .staging: "ya-staging"
          case .staging02: "ya-staging-02"
          }
        }
      }
    }
    // end
    enum Endpoint: RequestConvertible {
      case search
      static var baseURL: URL { API.config.baseURL }
      static var headers: HTTPHeaders { ["X-Secret": API.config.headerAuthSecretKey] }
      var request: Request { .get("search") }
    }
    let server = try sampleServer()
    let client = Networking<Endpoint>(to: server)
    var hosts: [String?] = []
    for config in [API.Config.default, .staging, .staging02] {
      API.config = config
      hosts.append(try await client.request(.search).value.url.host())
    }
    #expect(hosts == ["google.com", "staging.google.com", "staging-02.google.com"])
    #expect(
      server.receivedRequests.map { $0.headers["X-Secret"] }
        == ["ya", "ya-staging", "ya-staging-02"])
  }

  // sample K12
  private enum API {
    static let shared: Networking<Request> = {
      var configuration = NetworkingConfiguration.isolated
      configuration.logging = .error
      let client = Networking<Request>(configuration: configuration)
      return client
    }()
  }
  // end

  @Test("K12: a shared client of the app") func sharedClient() async throws {
    let server = try sampleServer()
    let request = Request.get(.url(server.url.appending(path: "users")))
    #expect(try await API.shared.request(request).validate().value.status == 200)
    #expect(API.shared === API.shared && server.requestCount == 1)
  }

  @Test("K13: a queue for the handlers") func callbackQueue() async throws {
    let server = try sampleServer()
    let client = Networking<Request>(to: server)
    let called = Log<Void>()
    // sample K13
    let queue = DispatchQueue(label: "io.api.network_client.request_queue")
    client.callbackContext = .queue(queue)
    // end
    client.request(any: SomeRequest()).validate().done { _ in
      dispatchPrecondition(condition: .onQueue(queue))
      called.append(())
    }
    _ = await called.entries(1)
  }
}
