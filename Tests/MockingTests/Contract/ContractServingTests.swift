import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources

@Suite(.gated)
struct ContractServingTests {
  private struct Reply {
    let status: Int
    let headers: HTTPHeaders
    let body: Data
    var json: JSON { (try? JSON(parsing: body)) ?? .null }
    var errors: [JSON] { json["errors"].array ?? [] }
  }

  /// Sends a request with a key to a contract in memory.
  private static func send(
    _ method: HTTPMethod = .get, _ target: String, _ headers: HTTPHeaders = ["X-Key": "k"],
    body: String? = nil, seed: UInt64 = 0, contract: Contract? = nil, overrides: [Route] = []
  ) async throws -> Reply {
    let contract = try contract ?? ContractFixture.contract()
    let transport = MockTransport(contract: contract, seed: seed, overrides: overrides)
    let url = try #require(URL(string: "http://api.example.com" + target))
    let record = await transport.perform(
      HTTPRequest(
        method: method, url: url, headers: headers,
        body: body.map { .data(Data($0.utf8)) } ?? .none))
    let head = try #require(record.head)
    return Reply(status: head.status, headers: head.headers, body: record.body)
  }

  private static func post(
    _ body: String, type: String = "application/json", _ more: HTTPHeaders = [:]
  ) async throws -> Reply {
    var headers: HTTPHeaders = ["X-Key": "k", "Content-Type": type]
    for field in more { headers[field.name] = field.value }
    return try await send(.post, "/v1/pets", headers, body: body)
  }

  // MARK: Matching

  @Test(arguments: [
    ("/v1/pets/7", 200), ("/v1/pets/mine", 204), ("/v1/pets/x", 422),
    ("/v1/reports/2025-7.pdf", 204),
    ("/v1/reports/2025-17.pdf", 422),
  ])
  func aConcretePathComesBeforeATemplatedOne(target: String, status: Int) async throws {
    #expect(try await Self.send(.get, target).status == status)
  }

  @Test func aPathThatIsNotEncodedMatches() async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths: {"/a > % b": {get: {responses: {"204": {description: A}}}}}
        """)
    #expect(try await Self.send(.get, "/a%20%3E%20%25%20b", contract: contract).status == 204)
  }

  @Test func overridesTakePrecedence() async throws {
    let route = Route(.get, "/v1/pets/{id}", .status(503))
    #expect(try await Self.send(.get, "/v1/pets/7", overrides: [route]).status == 503)
  }

  // MARK: Requests

  @Test func credentialsAreRequired() async throws {
    let reply = try await Self.send(.get, "/v1/pets", [:])
    #expect(reply.status == 401)
    #expect(reply.headers["Content-Type"] == "application/problem+json")
    #expect(reply.headers["WWW-Authenticate"] == "ApiKey realm=\"Pets\"")
    #expect(reply.errors.first?["in"] == "security")
  }

  @Test(arguments: [
    ("type: http, scheme: bearer", "Bearer realm=\"Schemes\""),
    ("type: http, scheme: basic", "Basic realm=\"Schemes\""),
    ("type: apiKey, in: query, name: key", "ApiKey realm=\"Schemes\""),
  ])
  func aRefusalNamesTheScheme(scheme: String, challenge: String) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Schemes, version: "1"}
        security: [{a: []}]
        paths: {/a: {get: {responses: {"204": {description: A}}}}}
        components: {securitySchemes: {a: {\(scheme)}}}
        """)
    let reply = try await Self.send(.get, "/a", [:], contract: contract)
    #expect(reply.status == 401)
    #expect(reply.headers["WWW-Authenticate"] == challenge)
  }

  /// Both parts of the credentials are in the Base64 form.
  @Test(arguments: [
    ("Basic dXNlcjpwYXNz", 204), ("basic dTo=", 204), ("Basic dXNlcg==", 401),
    ("Basic user:pass", 401),
    ("Basic ", 401), ("Bearer dXNlcjpwYXNz", 401),
  ])
  func credentialsOfBasicAreDecoded(credentials: String, status: Int) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Schemes, version: "1"}
        security: [{a: []}]
        paths: {/a: {get: {responses: {"204": {description: A}}}}}
        components: {securitySchemes: {a: {type: http, scheme: basic}}}
        """)
    let reply = try await Self.send(
      .get, "/a", ["Authorization": credentials], contract: contract)
    #expect(reply.status == status)
  }

  @Test(arguments: [
    (["204"], 422, 400), (["204", "422"], 422, 422), (["204", "400"], 400, 400),
    (["204", "400", "422"], 422, 400), (["204", "4XX"], 422, 400), (["204", "default"], 422, 400),
  ])
  func theDocumentChoosesTheStatusOfAViolation(
    codes: [String], violation: Int, malformed: Int
  ) async throws {
    let responses = codes.map { "\"\($0)\": {description: A}" }.joined(separator: ", ")
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths:
          /a:
            post:
              parameters: [{name: n, in: query, schema: {type: integer}}]
              requestBody: {content: {application/json: {schema: {type: object}}}}
              responses: {\(responses)}
        """)
    for (query, body, status) in [
      ("1", "[]", violation), ("x", "{}", violation), ("1", "{", malformed),
    ] {
      let reply = try await Self.send(
        .post, "/a?n=\(query)", ["Content-Type": "application/json"], body: body, contract: contract
      )
      #expect(reply.status == status, "\(query) \(body)")
    }
  }

  @Test(arguments: [
    ("limit=5", []), ("limit=0", ["/limit"]), ("limit=x", ["/limit"]), ("limit=", ["/limit"]),
    ("tags=a,b%2Cc", []), ("filter[age]=3", []), ("filter%5Bage%5D=x", ["/filter#/age"]),
    ("limit=1000&filter[age]=x", ["/limit", "/filter#/age"]), ("other=1", []),
  ])
  func parametersAreReadByTheirStyle(query: String, places: [String]) async throws {
    let reply = try await Self.send(.get, "/v1/pets?" + query)
    #expect(reply.status == (places.isEmpty ? 200 : 422), "\(reply.json)")
    let found = reply.errors.map { "/\($0["name"].string ?? "")\($0["pointer"].string ?? "")" }
    #expect(found == places, "\(reply.json)")
    #expect(reply.errors.allSatisfy { $0["in"] == "query" })
  }

  @Test(arguments: [
    ("tags=", "a=1", 204), ("tags=a", "list=1&a=1", 204), ("least=", "a=1", 422),
    ("tags=", "", 422),
  ])
  func anEmptyListHasNoText(query: String, form: String, status: Int) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Lists, version: "1"}
        paths:
          /a:
            post:
              parameters:
                - {name: tags, in: query, schema: {type: array, items: {type: string}}}
                - {name: least, in: query, schema: {type: array, minItems: 1, items: {type: string}}}
              requestBody:
                content:
                  application/x-www-form-urlencoded:
                    schema:
                      type: object
                      required: [a, list]
                      properties: {a: {type: integer}, list: {type: array, items: {type: integer}}}
              responses: {"204": {description: A}}
        """)
    let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
    let reply = try await Self.send(
      .post, "/a?" + query, headers, body: form, contract: contract)
    #expect(reply.status == status, "\(reply.json)")
  }

  @Test func aHeaderFieldIsChecked() async throws {
    let reply = try await Self.send(.get, "/v1/pets", ["X-Key": "k", "X-Trace": "no"])
    #expect(reply.errors.first?["in"] == "header")
    #expect(reply.errors.first?["name"] == "X-Trace")
  }

  @Test func eachViolationOfABodyIsNamed() async throws {
    let reply = try await Self.post(#"{"name": "a", "kind": "cow", "born": "soon", "x": 1}"#)
    #expect(reply.status == 422)
    #expect(
      Set(reply.errors.compactMap { $0["pointer"].string }) == ["#/name", "#/kind", "#/born", "#"])
    #expect(
      reply.errors.contains { $0["detail"] == "the body: the member x is not allowed" },
      "\(reply.json)")
  }

  @Test(arguments: [
    ("{", "application/json", 400), ("", "application/json", 422), ("{}", "text/plain", 415),
    (#"{"name": "Tom"}"#, "application/json; charset=utf-8", 201),
  ])
  func theBodyMustHaveItsContentType(body: String, type: String, status: Int) async throws {
    #expect(try await Self.post(body, type: type).status == status)
  }

  @Test(arguments: [
    ("application/x-www-form-urlencoded", 204), ("text/plain", 204), ("application/json", 422),
    ("application/octet-stream", 422),
  ])
  func noBytesAreAnEmptyFormOrText(type: String, status: Int) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Forms, version: "1"}
        paths:
          /a:
            post:
              requestBody:
                required: true
                content:
                  application/x-www-form-urlencoded: {schema: {type: object}}
                  text/plain: {schema: {type: string}}
                  application/json: {schema: {type: object}}
                  application/octet-stream: {}
              responses: {"204": {description: A}}
        """)
    let reply = try await Self.send(
      .post, "/a", ["Content-Type": type], body: "", contract: contract)
    #expect(reply.status == status, "\(reply.json)")
  }

  @Test func aValueIsNeverInTheMessage() async throws {
    let reply = try await Self.post(#"{"name": "ok", "kind": "s3cr3t-value"}"#)
    #expect(!String(decoding: reply.body, as: UTF8.self).contains("s3cr3t"))
  }

  // MARK: Responses

  @Test func aBodyIsMadeFromTheSchemaAndKeepsIt() async throws {
    let contract = try ContractFixture.contract()
    let operation = try #require(contract.content.operations.first)
    let schema = try #require(operation.responses.first?.content.first?.schema)
    for seed in UInt64(0)..<50 {
      let reply = try await Self.send(.get, "/v1/pets", seed: seed, contract: contract)
      #expect(
        contract.content.violations(of: reply.json, schema, .response).isEmpty, "\(reply.json)")
      #expect(reply.headers["X-Total"].flatMap { Int($0) } != nil)
    }
  }

  @Test func theSameSeedMakesTheSameBody() async throws {
    let first = try await Self.send(.get, "/v1/pets", seed: 7)
    #expect(try await Self.send(.get, "/v1/pets", seed: 7).body == first.body)
    #expect(try await Self.send(.get, "/v1/pets", seed: 8).body != first.body)
  }

  @Test func anExampleComesBeforeASample() async throws {
    let body = #"{"name": "Tom"}"#
    #expect(try await Self.post(body).json == ["id": 7, "name": "Tom", "kind": "cat"])
    let dynamic = try await Self.post(body, type: "application/json", ["Prefer": "dynamic=true"])
    #expect(dynamic.json["id"].int != 7)
    let named = try await Self.post(body, type: "application/json", ["Prefer": "example=wrong"])
    #expect(named.json == ["id": "x"])
    let missing = try await Self.post(body, type: "application/json", ["Prefer": "example=none"])
    #expect(missing.status == 404)
  }

  /// An example of another response would hide the violation.
  @Test(arguments: [
    ("code=422, example=long", 422, "long"), ("code=422", 422, nil),
    ("code=204, example=long", 422, nil), ("code=422, example=none", 404, nil),
  ])
  func aViolationHasThePreferredExampleOfItsStatus(
    prefer: String, status: Int, message: String?
  ) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths:
          /a:
            get:
              parameters: [{name: n, in: query, schema: {type: integer}}]
              responses:
                "204": {description: A}
                "422":
                  description: A
                  content:
                    application/json:
                      schema: {type: object, properties: {message: {type: string}}}
                      examples: {short: {value: {message: short}}, long: {value: {message: long}}}
        """)
    let reply = try await Self.send(.get, "/a?n=x", ["Prefer": prefer], contract: contract)
    #expect(reply.status == status)
    #expect(reply.json["message"].string == message)
  }

  @Test(arguments: [("", 500), ("example=good", 200), ("example=bad", 500), ("dynamic=true", 200)])
  func anInvalidExampleCanBeAnError(prefer: String, status: Int) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths:
          /a:
            get:
              responses:
                "200":
                  description: A
                  content:
                    application/json:
                      schema: {type: integer}
                      examples: {bad: {value: x}, good: {value: 1}}
        """)
    let strict = contract.refusingInvalidExamples()
    #expect(
      try await Self.send(.get, "/a", ["Prefer": prefer], contract: strict).status == status)
    #expect(try await Self.send(.get, "/a", ["Prefer": prefer], contract: contract).status == 200)
  }

  @Test(arguments: [
    ("code=409", 409), ("code=\"404\"", 404), ("code=500", 404), ("respond-async, code=409", 409),
  ])
  func preferSelectsAResponse(prefer: String, status: Int) async throws {
    let isPost = status == 409
    let reply =
      isPost
      ? try await Self.post(#"{"name": "Tom"}"#, type: "application/json", ["Prefer": prefer])
      : try await Self.send(.get, "/v1/pets/1", ["Prefer": prefer])
    #expect(reply.status == status)
  }

  @Test(arguments: [
    ("text/csv", "text/csv"), ("*/*", "application/json"),
    ("text/*, application/json;q=0.5", "text/csv"),
    ("application/json;q=0, */*", "text/csv"),
  ])
  func theMediaTypeIsNegotiated(accept: String, type: String) async throws {
    let reply = try await Self.send(.get, "/v1/pets", ["X-Key": "k", "Accept": accept])
    #expect(reply.headers["Content-Type"] == type)
  }

  @Test func anUnacceptableMediaTypeIsAProblem() async throws {
    #expect(
      try await Self.send(.get, "/v1/pets", ["X-Key": "k", "Accept": "image/png"]).status == 406)
  }

  @Test func aServerRespondsLikeATransport() async throws {
    let contract = try ContractFixture.contract()
    let server = try MockServer(contract: contract, seed: 3)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try await client.send("GET /v1/pets/5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let text = try await client.receiveAll()
    let reply = try await Self.send(.get, "/v1/pets/5", [:], seed: 3, contract: contract)
    #expect(text.hasSuffix(String(decoding: reply.body, as: UTF8.self)))
  }

  /// A length of 0 would say that GET has no body.
  @Test(
    arguments: [
      ("/a", false, "Content-Length: 12\r\n"), ("/a", true, "Content-Length: "),
      ("/b", false, "Transfer-Encoding: chunked\r\n"),
    ])
  func anOperationOfHEADHasTheLengthOfGET(
    path: String, isStateful: Bool, field: String
  ) async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        paths:
          /a:
            get: {responses: {"200": {description: A, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/A"}}, example: [{"id":"a"}]}}}}}
            head: {responses: {"200": {description: A}}}
            post: {requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}, responses: {"201": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}
          /a/{id}:
            get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {"200": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}
          /b: {head: {responses: {"200": {description: A}}}}
        components: {schemas: {A: {type: object, required: [id], properties: {id: {type: string}}}}}
        """)
    let server = try MockServer(contract: contract, store: isStateful ? ResourceStore() : nil)
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try await client.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let head = try await client.receiveAll()
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains(field))
    #expect(!head.contains("Content-Length: 0\r\n"))
  }

  @Test func namesTell() async throws {
    let reply = try await Self.send(
      .get, "/v1/pets", ["X-Key": "k", "Prefer": "dynamic=true"], seed: 2)
    let owners = (reply.json.array ?? []).map { $0["owner"] }.filter { !$0.isNull }
    try #require(!owners.isEmpty)
    for owner in owners {
      #expect(owner["firstName"].string?.first?.isUppercase == true)
      #expect(owner["city"].string?.first?.isUppercase == true)
    }
  }
}
