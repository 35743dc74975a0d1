import Foundation
import Mocking
import Networking
import NetworkingTransfers
import Promises
import TestGate
import TestSupport
import Testing

/// The refresh of tokens, the logout after a refresh that fails, and background sessions.
@Suite(.gated)
struct CaraRefreshTests {
  private let server: MockServer
  private let service: Networking<Request>
  private let users = Log<Void>()

  init() throws {
    server = try MockServer { [users] in
      Route(.get, "/user") { request in
        users.append(())
        return request.headers["Authorization"] == "Bearer t-2"
          ? .json(["name": "Ada"]) : .status(401)
      }
      Route(.post, "/refresh", .json(["token": "t-2"]))
      // A request that is sent after the end of a refresh would start another one.
      Route(.post, "/revoked") { _ in
        _ = await users.entries(5)
        return .status(400)
      }
    }
    service = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
    service.authenticate(bearerToken: "t-1")
  }

  @Test("A9: a refresh that fails tells the app that the user is logged out, once for all requests")
  func logout() async throws {
    let loggedOut = Log<Void>()
    // sample A9
    let refresh = RefreshInterceptor { [unowned service] _ in
      service.request(.post("revoked", .notIntercepted)).validate()
        .fail { _ in loggedOut.append(()) }
    }
    service.interceptors.append(refresh)
    // end
    let requests = (1...5).map { _ in service.request(.get("user")).validate() }
    for request in requests {
      let error = await request.result.failure(as: NetworkError.self)
      #expect(error?.code == .unacceptableStatus(400))
    }
    #expect(await loggedOut.entries(1).count == 1)
    try server.verify(.post, "/revoked")
  }

  @Test("A10: an expired token is refreshed once for all requests")
  func refresh() async throws {
    // sample A10
    let refresh = RefreshInterceptor { [unowned service] _ in
      service.request(.post("refresh", .notIntercepted)).validate().toJson()
        .tap { json in service.authenticate(bearerToken: json["token"].string ?? "") }
    }
    service.interceptors.append(refresh)
    // end
    let requests = (1...20).map { _ in service.request(.get("user")).validate() }
    #expect(try await when(requests).value.count == 20)
    try server.verify(.post, "/refresh")
  }

  @Test("A12: a background session")
  func backgroundSession() async throws {
    // sample A12
    let service = Networking<Request>(
      baseURL: server.url, sessionConfiguration: .background(identifier: "com.example.analytics"))
    @Sendable func application(
      handleEventsForBackgroundURLSession identifier: String,
      completionHandler: @escaping @Sendable () -> Void
    ) {
      service.handleBackgroundTransferEvents(identifier: identifier).always { _ in
        completionHandler()
      }
    }
    // end
    #if canImport(Darwin)
      #expect(SessionConfiguration.supportsBackgroundSessions)
    #else
      let handled = Log<Void>()
      application(handleEventsForBackgroundURLSession: "com.example.analytics") {
        handled.append(())
      }
      _ = await handled.entries(1)
      let error = await service.request(.get("user")).result.failure(as: NetworkError.self)
      #expect(error?.code == .unsupported && server.requestCount == 0)
    #endif
  }

  @Test("A14: an example with several requests, serializers, loggers and the reachability")
  func example() async throws {
    struct User: Codable, Sendable { var name: String }
    let log = Log<String>()
    let network = MockReachability(.reachable())
    service.authenticate(bearerToken: "t-2")
    // sample A14
    service.addMonitor { event in if event.isFinal { log.append("\(event.kind)") } }
    let reachability = NetworkReachability(monitor: network)
    let user = reachability.whenReachable()
      .then { [service] in service.request(.get("user")).validate().decode(User.self) }
    let token = service.request(.post("refresh")).validate().toJson()
    // end
    #expect(try await user.value.name == "Ada")
    #expect(try await token.value["token"] == "t-2")
    #expect(await log.entries(2).count == 2)
  }
}
