import Foundation
import Networking
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

/// The base URLs and header fields that endpoint types declare, in all accepted forms.
@Suite(.gated)
struct EndpointDeclarationTests {
  private enum Plain: RequestConvertible {
    case boards
    static let baseURL = URL.of("https://a.example/plain")
    static let headers = ["X-B": "2", "X-A": "1"]
    var request: Request { .get("boards") }
  }

  private enum Text: RequestConvertible {
    case boards
    static let baseURL = "https://a.example/text/"
    static let headers: [String: String]? = ["X-A": "1"]
    var request: Request { .get("boards") }
  }

  private enum OptionalText: RequestConvertible {
    case boards
    static let baseURL: String? = nil
    static let headers: HTTPHeaders? = nil
    var request: Request { .get("boards") }
  }

  private enum Validated: RequestConvertible {
    case boards
    static var baseURL: BaseURL { get throws { try BaseURL(host: "a.example", path: "validated") } }
    var request: Request { .get("boards") }
  }

  private enum ByInstance: RequestConvertible {
    case login
    case boards
    static let baseURL: String? = "https://a.example/type"
    static let headers = ["X-A": "type", "X-B": "type"]

    var baseURL: String? {
      switch self {
      case .login: "https://accounts.example/"
      case .boards: nil
      }
    }
    var headers: [String: String] { ["x-a": "instance"] }
    var request: Request { .get("boards") }
  }

  /// An endpoint whose values always have a base URL and header fields.
  private struct OnlyValues: RequestConvertible {
    let baseURL: URL
    var headers: [String: String]? { ["X-A": "value"] }
    var queryFormat: QueryFormat? { .php }
    var request: Request { .get("boards", parameters: ["t": ["x"]]) }
  }

  private enum Environment: BaseURLConvertible {
    case staging

    func asBaseURL() -> URL? { URL(string: "https://\(self).example/") }
  }

  private enum OwnType: RequestConvertible {
    case boards
    static let baseURL = Environment.staging
    var request: Request { .get("boards") }
  }

  private enum Undeclared: RequestConvertible {
    case boards
    var request: Request { .get("boards") }
  }

  private enum Misspelled: RequestConvertible {
    case boards
    static let baseUrl = URL(string: "https://a.example/")
    var request: Request { .get("boards") }
  }

  private enum Failing: RequestConvertible {
    case boards
    static var baseURL: URL? { get throws { throw TestError("no environment") } }
    var request: Request { .get("boards") }
  }

  private enum Malformed: RequestConvertible {
    case boards
    static let baseURL = ""
    var request: Request { .get("boards") }
  }

  private struct GetBoard: TypedEndpoint {
    typealias ResponseType = Int
    static let baseURL = "https://typed.example/"
    var request: Request { .get("board") }
  }

  private struct GetPart: TypedEndpoint {
    typealias ResponseType = Int
    var request: Request { .get("part") }
  }

  private let transport = FakeTransport { _ in .response(200, [:], "7") }

  private func client<Endpoint: RequestConvertible>(
    _ type: Endpoint.Type
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration.plain
    configuration.headers = [:]
    let client = Networking<Endpoint>(transport: transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  private func sent<Endpoint: RequestConvertible>(_ endpoint: Endpoint) async throws -> HTTPRequest
  {
    _ = try await client(Endpoint.self).request(endpoint).value
    return try #require(transport.requests.last)
  }

  private func failure(_ promise: NetworkPromise) async -> NetworkError? {
    await promise.result.failure(as: NetworkError.self)
  }

  @Test func baseURLsAndHeadersMayHaveDifferentTypes() async throws {
    let plain = try await sent(Plain.boards)
    #expect(plain.url.absoluteString == "https://a.example/plain/boards")
    #expect(plain.headers == ["X-A": "1", "X-B": "2"])
    let text = try await sent(Text.boards)
    #expect(text.url.absoluteString == "https://a.example/text/boards")
    #expect(text.headers == ["X-A": "1"])
    let validated = try await sent(Validated.boards)
    #expect(validated.url.absoluteString == "https://a.example/validated/boards")
  }

  @Test func instancePropertiesTakePrecedenceOverThoseOfTheType() async throws {
    let login = try await sent(ByInstance.login)
    #expect(login.url.absoluteString == "https://accounts.example/boards")
    #expect(login.headers == ["X-B": "type", "x-a": "instance"])
    #expect(
      try await sent(ByInstance.boards).url.absoluteString == "https://a.example/type/boards")
    let client = client(ByInstance.self)
    _ = try await client.request(ByInstance.login, .timeout(nil)).value
    #expect(transport.requests.last?.url.host == "accounts.example")
    let command = try client.curlCommand(for: .login)
    #expect(command.contains("https://accounts.example/boards"))
    #expect(command.contains("x-a: instance"))
  }

  @Test func propertiesOfValuesDefaultToThoseOfTheType() throws {
    #expect(try Plain.boards.baseURL == Plain.baseURL)
    #expect(Plain.boards.headers == Plain.headers)
    #expect(Plain.boards.queryFormat == nil)
    #expect(try Undeclared.boards.baseURL == nil && Undeclared.boards.headers.isEmpty)
    #expect(try GetPart().baseURL == nil && GetBoard().baseURL == "https://typed.example/")
  }

  @Test func onlyValuesMayHaveABaseURL() async throws {
    let sent = try await sent(OnlyValues(baseURL: .of("https://b.example/")))
    #expect(sent.url.absoluteString == "https://b.example/boards?t%5B0%5D=x")
    #expect(sent.headers == ["X-A": "value"])
    #expect(throws: (any Error).self) { try OnlyValues.baseURL }
    #expect(try OnlyValues.resolvedBaseURL() == nil && OnlyValues.resolvedHeaders().isEmpty)
    #expect(client(OnlyValues.self).baseURL == nil)
  }

  @Test func aTypeOfTheProgramCanBeABaseURL() async throws {
    let sent = try await sent(OwnType.boards)
    #expect(sent.url.absoluteString == "https://staging.example/boards")
  }

  @Test func aLiteralIsABaseURL() throws {
    let base: BaseURL = "https://api.example.com/v1"
    #expect(try base.resolve("boards").absoluteString == "https://api.example.com/v1/boards")
    #expect(try base == BaseURL(host: "api.example.com", path: "v1"))
  }

  @Test func aBaseURLOfTheClientOverridesAllOfThem() async throws {
    let plain = client(Plain.self)
    plain.baseURL = .of("https://staging.example/")
    _ = try await plain.request(.boards).value
    let failing = client(Failing.self)
    failing.baseURL = .of("https://staging.example/")
    _ = try await failing.request(.boards).value
    let instance = client(ByInstance.self)
    for change in [
      { instance.setBaseURL("https://staging.example") },
      { instance.setBaseURL(URL.of("https://staging.example")) },
    ] {
      instance.baseURL = nil
      change()
      _ = try await instance.request(.login).value
    }
    #expect(transport.requests.map(\.url.host) == Array(repeating: "staging.example", count: 4))
  }

  @Test func aFetchedEndpointUsesItsOwnBaseURLBeforeThatOfTheClient() async throws {
    let client = client(Text.self)
    #expect(try await client.fetch(GetBoard()).value == 7)
    #expect(try await client.fetch(GetPart()).value == 7)
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "https://typed.example/board", "https://a.example/text/part",
      ])
  }

  @Test func anErrorOfTheBaseURLRejectsTheRequest() async throws {
    let client = client(Failing.self)
    #expect(await client.request(.boards).result.failure() == TestError("no environment"))
    #expect(throws: TestError("no environment")) { try client.curlCommand(for: .boards) }
    client.baseURL = .of("https://a.example/")
    #expect(try await client.request(.boards).value.status == 200)
    client.baseURL = nil
    #expect(await client.request(.boards).result.failure() == TestError("no environment"))
    let malformed = await failure(self.client(Malformed.self).request(.boards))
    #expect(malformed?.code == .invalidURL)
    #expect(malformed?.reason == "the base URL \"\" is not a URL")
    #expect(transport.requests.count == 1)
  }

  @Test func anErrorForAMissingBaseURLNamesTheEndpoint() async {
    let declare = "the path is relative, and there is no base URL; declare static let baseURL in "
    let client = client(Undeclared.self)
    for promise in [
      client.request(.boards), client.request(Undeclared.boards, .notIntercepted),
    ] {
      let error = await failure(promise)
      #expect(error?.code == .invalidURL)
      #expect(error?.reason == declare + "Undeclared, or use Networking(baseURL:)")
      #expect(error?.request?.description == "GET boards")
    }
    let fetched = await client.fetch(GetPart()).result.failure(as: NetworkError.self)
    #expect(fetched?.reason == declare + "GetPart, or use Networking(baseURL:)")
    let optional = await failure(self.client(OptionalText.self).request(.boards))
    #expect(optional?.reason == declare + "OptionalText, or use Networking(baseURL:)")
    let misspelled = await failure(self.client(Misspelled.self).request(.boards))
    #expect(misspelled?.reason == declare + "Misspelled, or use Networking(baseURL:)")
    let plain = await failure(self.client(Request.self).request(.get("boards")))
    #expect(
      plain?.reason == "the path is relative, and there is no base URL; "
        + "use Networking(baseURL:), or an absolute URL")
    #expect(transport.requests.isEmpty)
  }
}
