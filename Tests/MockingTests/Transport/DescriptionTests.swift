import Foundation
import Mocking
import MockingOAuth2
import MockingTemplates
import NetworkingOAuth2
import NetworkingStreams
import Promises
import TestGate
import TestSupport
import Testing

/// The texts of values that programs hold and print.
@Suite(.gated)
struct DescriptionTests {
  /// A type whose values have neither internals nor secrets in their texts.
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let make: @Sendable () throws -> any Sendable

    init(_ text: String, _ make: @escaping @Sendable () throws -> any Sendable) {
      self.text = text
      self.make = make
    }

    var testDescription: String { text }
  }

  private static let routes = [
    Route(.get, "/s3cret", .status(404)), Route(.post, "/a", .text("s3cret")),
  ]

  private static func client() -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.headers = ["X-Api-Key": "s3cret"]
    let client = Networking<Request>(
      transport: MockTransport(routes: routes), configuration: configuration)
    client.baseURL = .of("https://ann:s3cret@api.example.com")
    return client
  }

  static let rows = [
    Row("Networking<Request>") { client() },
    Row("NetworkingConfiguration(logging: info, monitors: 0)") {
      var configuration = NetworkingConfiguration()
      configuration.secretNames = ["s3cret"]
      configuration.logging = .info
      return configuration
    },
    Row("LoggingConfiguration(error)") { LoggingConfiguration.error },
    Row("HTTPCache") { HTTPCache() },
    Row("CookieJar(0 cookies)") { CookieJar() },
    Row("ServerSentEvents") { client().events(of: .get("s3cret")) },
    Row("ResponseLines") { client().lines(of: .get("s3cret")) },
    Row("JSONLines<JSON>") { client().jsonLines(of: .get("s3cret"), as: JSON.self) },
    Row("Pages<Response>") { client().pages(of: .get("s3cret"), next: .link) },
    Row("NetworkEvents") { client().events },
    Row("OAuth2Session(app, ann)") {
      OAuth2Session(
        OAuth2Client(id: "app", secret: "s3cret"), store: .memory, account: "ann",
        transport: MockTransport(routes: []))
    },
    Row("MockProvider<Request>(closure, requests: 0)") {
      MockProvider<Request> { _ in .text("s3cret") }
    },
    Row("MockProvider<Request>(routes: 2, requests: 0)") { MockProvider<Request>(routes: routes) },
    Row("MockTransport(routes: 2, requests: 0)") { MockTransport(routes: routes) },
    Row("MockRoutes(routes: 2)") { MockTransport(routes: routes).routes },
    Row("RequestJournal(requests: 0)") { MockTransport(routes: routes).journal },
    Row("Mock(404)") { Mock.text("s3cret", status: 404).header("Set-Cookie", "id=s3cret") },
    Row("Mock(connectionLost)") { Mock.failure(.connectionLost) },
    Row("Mock(URLError)") { Mock.failure(URLError(.unknown, userInfo: ["a": "s3cret"])) },
    Row("Mock(sequence)") { Mock.sequence(.text("s3cret"), .status(204)) },
    Row("Mock(weighted)") { Mock.weighted((1, .text("s3cret")), (1, .failure(.connectionLost))) },
    Row("Mock(template)") { Mock.template(json: ["a": "s3cret {{ path.id }}"]) },
    Row("AuthorizationServerSettings(clients: 1, users: 1)") {
      var settings = AuthorizationServerSettings()
      settings.clients = ["app": .confidential(secret: "s3cret")]
      settings.users = ["ann": "s3cret"]
      return settings
    },
    Row("MockAuthorizationServer(https://login.example)") {
      try MockAuthorizationServer(port: nil)
    },
  ]

  @Test(arguments: rows)
  func aValueIsShownWithoutItsInternals(_ row: Row) throws {
    let value = try row.make()
    var dumped = ""
    dump(value, to: &dumped)
    #expect("\(value)" == row.text)
    #expect(!String(reflecting: value).contains("s3cret") && !dumped.contains("s3cret"))
    // A session has two children, the identifier and the account.
    #expect(dumped.split(separator: "\n").count <= 3)
  }

  @Test func aServerAndItsRequestsAreShownWithoutSecrets() async throws {
    let server = try MockServer { Route(.post, "/a", .status(200)) }
    defer { server.stop() }
    let client = Networking<Request>(sessionConfiguration: .ephemeral)
    client.baseURL = server.url
    let request = Request.post("a?token=s3cret", headers: ["Cookie": "id=s3cret"])
    _ = try await client.request(request).value
    #expect("\(server)" == "MockServer(\(server.url.absoluteString), routes: 1, requests: 1)")
    let received = try #require(server.receivedRequests.first)
    var dumped = ""
    dump(received, to: &dumped)
    #expect("\(received)" == "POST /a?token=***" && !dumped.contains("s3cret"))
  }
}
