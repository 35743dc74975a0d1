import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts

/// The operations of a contract between a mock and a new backend.
@Suite(.gated)
struct ContractShadowTests {
  private static let url = URL.of("https://staging.example.com/v1/")

  private static func json(_ text: String, status: Int = 200) -> Mock {
    .data(Data(text.utf8), contentType: "application/json", status: status)
  }

  /// A client, its shadow, and the backend that the shadow asks.
  private struct Fixture {
    let shadow: ContractShadow
    let networking: Networking<Request>
    let backend: MockTransport

    init(_ mode: ContractShadow.Mode, @RouteBuilder _ routes: () -> [Route]) throws {
      backend = MockTransport(routes: routes)
      shadow = ContractShadow(try ContractFixture.contract(), over: backend, mode: mode)
      networking = Networking<Request>(transport: shadow)
      networking.baseURL = ContractShadowTests.url
    }

    func send(_ request: Request) async throws -> Response {
      try await networking.request(request).value
    }
  }

  @Test func theMockAnswersUnlessAnOperationIsReal() async throws {
    let fixture = try Fixture(.mocked) {
      Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":"Real"}"#))
    }
    let mocked = try await fixture.send(.get("pets/7"))
    #expect(!String(decoding: mocked.data, as: UTF8.self).contains("Real"))
    #expect(fixture.backend.receivedRequests.isEmpty)
    try fixture.shadow.setMode(.real, for: "getPet")
    let real = try await fixture.send(.get("pets/7"))
    #expect(String(decoding: real.data, as: UTF8.self).contains("Real"))
    #expect(fixture.shadow.readiness.rows.filter(\.isReady).map(\.operation.id) == ["getPet"])
  }

  @Test func aRequestWithoutAnOperationIsSentToTheBackend() async throws {
    let fixture = try Fixture(.mocked) { Route(.get, "/v1/owners", .text("real")) }
    #expect(try await fixture.send(.get("owners")).data == Data("real".utf8))
    #expect(fixture.shadow.report.undocumented.map(\.path) == ["/v1/owners"])
  }

  @Test func aShadowedRequestIsAnsweredByTheMockAndSentToTheBackend() async throws {
    let fixture = try Fixture(.shadowed) {
      Route(.post, "/v1/pets", Self.json(#"{"id":"x","nick":"T"}"#, status: 201))
    }
    let request = Request.post(
      "pets", parameters: ["name": "Tom"], headers: ["X-Key": "k"], contentType: .json)
    let response = try await fixture.send(request)
    #expect(response.status == 201)
    #expect(try JSON(parsing: response.data)["name"] == "Tom")
    #expect(fixture.backend.receivedRequests.map(\.json["name"]) == ["Tom"])
    let row = try #require(fixture.shadow.readiness.rows.first { $0.operation.id == "createPet" })
    #expect(row.isExercised && !row.isReady && row.mode == .shadowed)
    #expect(row.violations.map(\.pointer).sorted() == ["", "/id"])
    #expect(
      row.differences == [
        "/id: a number in the mock, a string in the backend", "/kind: only in the mock",
        "/name: only in the mock", "/nick: only in the backend",
      ])
  }

  @Test func aBackendThatFailsDoesNotDisturbTheClient() async throws {
    let fixture = try Fixture(.shadowed) { Route(.get, "/v1/pets/7", .failure(.cannotConnect)) }
    #expect(try await fixture.send(.get("pets/7")).status == 200)
    #expect(fixture.shadow.readiness.rows.allSatisfy { !$0.isExercised && $0.differences.isEmpty })
  }

  @Test func aStreamIsNotSentTwice() async throws {
    let fixture = try Fixture(.shadowed) { Route(.post, "/v1/pets", .status(201)) }
    let stream = BodyStream(once: AsyncStream<Data> { $0.finish() })
    let request = Request.upload(stream: stream, to: "pets", method: .post, headers: ["X-Key": "k"])
    _ = try await fixture.send(request)
    #expect(fixture.backend.receivedRequests.isEmpty)
  }

  @Test func anUnknownOperationIsAnErrorAndChangesNothing() throws {
    let fixture = try Fixture(.mocked) { Route(.get, "/a", .status(200)) }
    let error = #expect(throws: ContractShadow.UnknownOperationError.self) {
      try fixture.shadow.setMode(.real, for: "getPet", "getPets")
    }
    #expect(error?.description.hasPrefix("the contract has no operation getPets; it has ") == true)
    #expect(fixture.shadow.readiness.rows.allSatisfy { $0.mode == .mocked })
    try fixture.shadow.setMode(.real, for: "GET /pets/{id}")
    #expect(
      fixture.shadow.readiness.rows.filter { $0.mode == .real }.map(\.operation.id) == ["getPet"])
  }

  @Test func theReadinessIsATable() async throws {
    let fixture = try Fixture(.mocked) {
      Route(.get, "/v1/pets/7", Self.json(#"{"id":7,"name":"Tom"}"#))
      Route(.get, "/v1/pets/mine", .status(500))
    }
    try fixture.shadow.setMode(.real, for: "getPet", "GET /pets/mine")
    for path in ["pets/7", "pets/mine"] { _ = try await fixture.send(.get("\(raw: path)")) }
    #expect(
      "\(fixture.shadow.readiness)" == """
        not asked  mocked    GET /pets (listPets)
        not asked  mocked    POST /pets (createPet)
        not ready  real      GET /pets/mine
          response 500: expected the status 204, found 500
        not asked  mocked    GET /reports/{year}-{month}.pdf
        ready      real      GET /pets/{id} (getPet)
        1 of 5 operations ready
        """)
  }

  // MARK: Structure

  @Test(arguments: [
    ("1", "2.5", []),
    ("1", #""1""#, ["the value: a number in the mock, a string in the backend"]),
    ("[1,2]", "[3]", []),
    (
      #"[{"a":1},{"b":1}]"#, #"[{"a":1,"c":2}]"#,
      ["/*/b: only in the mock", "/*/c: only in the backend"]
    ),
    (#"[{"a":1},{"a":null}]"#, #"[{"a":null}]"#, []),
    (
      #"{"a":{"b":[true]}}"#, #"{"a":{"b":["x"]}}"#,
      ["/a/b/*: a Boolean in the mock, a string in the backend"]
    ),
    ("[]", #"[{"a":1}]"#, []),
    (#"{"a/b":1}"#, "{}", ["/a~1b: only in the mock"]),
  ])
  func structuresAreCompared(mock: String, backend: String, lines: [String]) throws {
    let mock = try JSON(parsing: Data(mock.utf8))
    let backend = try JSON(parsing: Data(backend.utf8))
    #expect(JSONStructure.differences(between: mock, and: backend) == lines)
  }
}
