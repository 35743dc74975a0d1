import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// APIKit: access tokens and injected header fields.
@Suite(.gated)
struct APIKitTokenTests {
  private let server: MockServer

  init() throws {
    server = try sampleServer()
  }

  private struct GitHubCall: RequestConvertible {
    static let baseURL = "http://api.github.com"
    let request: Request

    static let profile = GitHubCall(request: .get("profile"))
    // sample K8
    static let news = GitHubCall(request: .get("news", .withoutCredentials))
    // end
  }

  @Test("K8: the access token, except for endpoints that opt out") func optOut() async throws {
    let client = Networking<GitHubCall>(to: server)
    client.authenticate(bearerToken: "t-1")
    for call in [GitHubCall.profile, .news] { _ = try await client.request(call).validate().value }
    #expect(server.receivedRequests.map(\.target) == ["/profile", "/news"])
    #expect(server.receivedRequests.map { $0.headers["Authorization"] } == ["Bearer t-1", nil])
  }

  @Test("K8b: the access token only for endpoints that opt in") func optIn() async throws {
    struct GetProfile: GitHubRequestType {
      // sample K8b
      var request: Request { .get("profile", .withCredentials) }
      // end
    }
    struct GetNews: GitHubRequestType {
      var request: Request { .get("news") }
    }
    var configuration = NetworkingConfiguration.isolated
    // sample K8b
    configuration.sendsCredentials = false
    // end
    let client = Networking<Request>(to: server, configuration: configuration)
    client.baseURL = GetProfile.baseURL
    client.authenticate(bearerToken: "t-1")
    _ = try await client.request(any: GetProfile()).validate().value
    _ = try await client.request(any: GetNews()).validate().value
    #expect(server.receivedRequests.map(\.target) == ["/profile", "/news"])
    #expect(server.receivedRequests.map { $0.headers["Authorization"] } == ["Bearer t-1", nil])
  }

  @Test("K9: header fields are injected into all requests") func headerInjection() async throws {
    enum API { enum config { static let xAuthToken = "x-1" } }
    // sample K9
    let headerInjecting = HeaderInjector { request in
      [
        "x-auth-token": API.config.xAuthToken,
        "app-version": "1.2.3",
        "platform": "iOS",
      ]
    }
    let client = Networking<Request>(to: server)
    client.interceptors = [headerInjecting]
    // end
    for path in ["a", "b"] {
      _ = try await client.request(.get("http://api.github.com/\(path)")).value
    }
    #expect(server.requestCount == 2)
    for request in server.receivedRequests {
      #expect(request.headers["x-auth-token"] == "x-1" && request.headers["platform"] == "iOS")
      #expect(request.headers["app-version"] == "1.2.3")
    }
  }
}
