import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The header fields and the format that an endpoint of another type has from the endpoint type of its
/// client, also when it is sent from the store.
@Suite(.gated)
struct InheritedDefaultsTests {
  /// An API with secrets and a format.
  private enum KeyAPI: RequestConvertible {
    case list, partner
    static let baseURL = URL(string: "https://api.example.com/v1/")
    var baseURL: URL? { self == .partner ? URL(string: "https://partner.example/") : nil }
    static let headers = ["X-Api-Key": "s3cret"]
    static let queryFormat = QueryFormat.php
    var request: Request { self == .partner ? Part().request : .get("list") }
  }

  /// An endpoint of a server of its own, with a secret of the same name.
  private struct Elsewhere: RequestConvertible {
    static let baseURL = URL(string: "https://other.example/")
    var headers: HTTPHeaders = [:]
    var request: Request { Part().request }
  }

  /// An endpoint of the server of the client.
  private struct Part: RequestConvertible {
    var request: Request {
      .post(
        "notes", parameters: ["t": ["x"]], contentType: .formURLEncoded, .storedOffline)
    }
  }

  /// An endpoint whose base URL is `nil` at the first reading only.
  private struct Moving: RequestConvertible {
    let readings = Counter()
    var baseURL: URL? { readings.add() == 1 ? nil : URL(string: "https://other.example/") }
    var request: Request { .get("notes") }
  }

  private let temporary = TemporaryStore()
  private let server = SwitchableServer()

  private func client(_ server: SwitchableServer) throws -> Networking<KeyAPI> {
    var configuration = NetworkingConfiguration.plain
    configuration.offline = .store(try temporary.open())
    let client = Networking<KeyAPI>(transport: server.transport, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  @Test func aBaseURLThatChangesDoesNotGetTheSecretsOfTheClientsType() async throws {
    let client = try client(server)
    server.behavior = .responds(200)
    let endpoint = Moving()
    _ = try await client.request(any: endpoint).value
    #expect(server.requests.map(\.url.host) == ["api.example.com"])
    #expect(server.requests.map { $0.headers["X-Api-Key"] } == ["s3cret"])
    #expect(endpoint.readings.value == 1)
  }

  @Test func afterARelaunchAnotherServerDoesNotGetTheSecretsOfTheClientsType() async throws {
    _ = await (try client(server)).request(any: Elsewhere(headers: ["X-Api-Key": "own"])).result
    let later = SwitchableServer(.responds(201))
    let kept = try await client(later).replay().value.kept
    #expect((kept.first?.error as? NetworkError)?.code == .offlineCredentialsMissing)
    #expect(later.requests.isEmpty && kept.count == 1)
  }

  @Test func afterARelaunchAServerOfOneCaseDoesNotGetTheSecretsOfTheType() async throws {
    _ = await (try client(server)).request(.partner).result
    let later = SwitchableServer(.responds(201))
    let kept = try await client(later).replay().value.kept
    #expect((kept.first?.error as? NetworkError)?.code == .offlineCredentialsMissing)
    #expect(later.requests.isEmpty && kept.count == 1)
  }

  @Test func afterARelaunchAnEndpointWithoutABaseURLGetsTheSecretsOfTheClientsType() async throws {
    _ = await (try client(server)).request(any: Part()).result
    let later = SwitchableServer(.responds(201))
    #expect(try await client(later).replay().value.delivered.count == 1)
    #expect(later.requests.map { $0.headers["X-Api-Key"] } == ["s3cret"])
    #expect(later.requests.map(\.body) == server.requests.map(\.body))
  }

  @Test func aReplayKeepsTheFormatOfTheRequest() async throws {
    _ = await (try client(server)).request(any: Elsewhere()).result
    let later = SwitchableServer(.responds(201))
    #expect(try await client(later).replay().value.delivered.count == 1)
    #expect(later.requests.map(\.body) == server.requests.map(\.body))
    #expect(later.requests.first?.body == .data(Data("t%5B%5D=x".utf8)))
  }

  @Test(arguments: ["https://api.example.com/v2/", "https://other.example/"])
  func aRequestThatTheProgramHasStoredGetsTheSecretsForTheOriginOfTheClient(
    _ baseURL: String
  ) async throws {
    try temporary.open().add(
      .post("notes", headers: ["X-Api-Key": "old"]), baseURL: URL(string: baseURL))
    let later = SwitchableServer(.responds(201))
    let report = try await client(later).replay().value
    let isOwn = baseURL.contains("api.example.com")
    #expect(report.delivered.count == (isOwn ? 1 : 0) && report.kept.count == (isOwn ? 0 : 1))
    #expect(later.requests.map { $0.headers["X-Api-Key"] } == (isOwn ? ["s3cret"] : []))
  }
}
