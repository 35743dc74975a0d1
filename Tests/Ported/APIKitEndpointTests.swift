import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

// sample K5
protocol GitHubRequestType: RequestConvertible {
  var parameters: Parameters? { get }
}

extension GitHubRequestType {
  static var baseURL: URL { .of("http://api.github.com") }
  static var headers: HTTPHeaders { ["X-Client": "apikit"] }
  var parameters: Parameters? { nil }
}

struct GitHubRequest {
  struct User {
    struct GetProfile: GitHubRequestType, TypedEndpoint {
      typealias ResponseType = Profile
      let userID: String
      var request: Request { .get("/users/\(userID)", parameters: parameters) }
    }
  }
}

struct Profile: Decodable {
  let name: String
  let id: String
}
// end

/// APIKit: a type for each endpoint.
@Suite(.gated)
struct APIKitEndpointTests {
  private let server: MockServer
  /// A client without a base URL.
  private let client: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.get, "/users/{id}") { request in .json(["id": request.path["id"], "name": "Ada"]) }
    }
    client = Networking(to: server)
  }

  @Test("K5: a call is a struct, whose response is decoded as its type") func typed() async throws {
    let names = Log<String>()
    // sample K5
    client.fetch(GitHubRequest.User.GetProfile(userID: "some_user_id"))
      .done { profile in
        names.append("\(profile.id) \(profile.name)")
      }
      .fail { error in
        names.append("\(error)")
      }
    // end
    #expect(await names.entries(1) == ["some_user_id Ada"])
  }

  @Test("K5b: any endpoint without a type of its response is requested as JSON")
  func untyped() async throws {
    struct GetProfile: GitHubRequestType {
      let userID: String
      var request: Request { .get("/users/\(userID)") }
    }
    let names = Log<String?>()
    // sample K5b
    client.request(any: GetProfile(userID: "some_user_id")).validate().toJson()
      .done { json in
        names.append(json["name"].string)
      }
      .fail { error in
        names.append("\(error)")
      }
    // end
    #expect(await names.entries(1) == ["Ada"])
  }

  @Test("K5c: any endpoint has its own base URL and header fields") func ownBaseURL() async throws {
    client.baseURL = nil
    // sample K5c
    let response = client.request(any: GitHubRequest.User.GetProfile(userID: "7"))
    // end
    #expect(try await response.value.url.absoluteString == "http://api.github.com/users/7")
    #expect(server.receivedRequests.map { $0.headers["X-Client"] } == ["apikit"])
  }

  @Test("K5d: a client without a base URL fetches an endpoint that has one") func fetch()
    async throws
  {
    #expect(client.baseURL == nil)
    // sample K5d
    let profile = client.fetch(GitHubRequest.User.GetProfile(userID: "7"))
    // end
    #expect(try await profile.value.id == "7")
    #expect(server.receivedRequests.map { $0.headers["X-Client"] } == ["apikit"])
  }
}
