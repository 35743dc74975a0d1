import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingRecordings

/// OpenAPI documents that describe recordings.
@Suite(.gated)
struct InferredContractTests {
  private static func entry(
    _ method: String, _ target: String, _ status: Int = 200, body: String? = nil,
    request: String? = nil, headers: [HAR.Field] = []
  ) -> HAR.Entry {
    var sent = HAR.Request(
      method: method, url: "https://api.example.com" + target, headers: headers)
    if let request { sent.postData = HAR.PostData(mimeType: "application/json", text: request) }
    var content = HAR.Content()
    content.mimeType = "application/json"
    content.text = body
    content.size = body?.utf8.count ?? 0
    let fields = body == nil ? [] : [HAR.Field(name: "Content-Type", value: "application/json")]
    let response = HAR.Response(
      status: status, statusText: "", httpVersion: "HTTP/1.1", headers: fields, content: content,
      bodySize: -1)
    return HAR.Entry(startedDateTime: "", request: sent, response: response)
  }

  private static func document(_ entries: HAR.Entry...) -> (json: JSON, archive: HAR) {
    var archive = HAR()
    archive.log.entries = entries
    return (InferredContract(archive, title: "Pets").json, archive)
  }

  // MARK: Paths

  @Test(arguments: [
    ("/", "/"), ("/pets", "/pets"), ("/pets/7", "/pets/{petId}"),
    ("/v1/pets/7/toys/9", "/v1/pets/{petId}/toys/{toyId}"),
    ("/7/8", "/{id}/{id_}"), ("/categories/3", "/categories/{categoryId}"),
    ("/order-items/3", "/order-items/{orderItemId}"),
    ("/u/0b5e2c1a-9f5d-4c3e-8a5b-1f2e3d4c5b6a", "/u/{uId}"),
    ("/pets/mine", "/pets/mine"), ("/boxes/1", "/boxes/{boxId}"),
    ("/files/a8f3k2l9q0", "/files/{fileId}"), ("/users/***-3f2a9c/x", "/users/{userId}/x"),
    ("/api/v2/", "/api/v2/"), ("/a%7Bb", "/a%7Bb"),
    ("/users/ada%40example.com", "/users/{userId}"),
    ("/resets/QmFzZUxvbmdUb2tlbldpdGhvdXREaWdpdHM", "/resets/{resetId}"),
    ("/sessions/aKdPqWzXcVbNmLkJhGfDsA", "/sessions/{sessionId}"),
    ("/listOpenInvitationsOfUser", "/listOpenInvitationsOfUser"),
    ("/getHTTPStatusOfEndpoint", "/getHTTPStatusOfEndpoint"), ("/users/@me", "/users/@me"),
    ("/packages/@babel/core", "/packages/@babel/core"),
    ("/images/logo@2x.png", "/images/logo@2x.png"),
    ("/Customers-Without-Orders", "/Customers-Without-Orders"),
  ])
  func segmentsThatLookLikeIDsAreVariables(path: String, template: String) {
    #expect(InferredPath(path).template == template)
  }

  // MARK: Schemas

  @Test(arguments: [
    (["1", "2"], #"{"type":"integer"}"#),
    (["1", "2.5"], #"{"type":"number"}"#),
    ([#""a""#, "null"], #"{"type":["null","string"]}"#),
    (
      [#"{"a":1,"b":true}"#, #"{"a":2}"#],
      #"{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"}},"required":["a"],"type":"object"}"#
    ),
    (["[]"], #"{"items":{},"type":"array"}"#),
    (["[1]", #"["x"]"#], #"{"items":{"type":["integer","string"]},"type":"array"}"#),
    ([#""2026-01-01T00:00:00Z""#], #"{"format":"date-time","type":"string"}"#),
    ([#""2026-01-01""#, #""today""#], #"{"type":"string"}"#),
    ([#""0b5e2c1a-9f5d-4c3e-8a5b-1f2e3d4c5b6a""#], #"{"format":"uuid","type":"string"}"#),
  ])
  func aSchemaIsMergedFromSamples(samples: [String], expected: String) throws {
    var schema = InferredSchema()
    for sample in samples { schema.add(try JSON(parsing: Data(sample.utf8))) }
    #expect(String(decoding: try schema.json.data(), as: UTF8.self) == expected)
  }

  @Test func anObjectWhoseNamesAreIDsIsAMap() throws {
    var schema = InferredSchema()
    schema.add(
      .dictionary(Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", JSON.int($0)) })))
    #expect(schema.json["additionalProperties"] == ["type": "integer"])
    #expect(schema.json["properties"].isNull)
  }

  // MARK: Documents

  @Test func theExchangesOfARecordingKeepItsDocument() throws {
    let (json, archive) = Self.document(
      Self.entry(
        "GET", "/pets?limit=2&q=cat", body: #"[{"id":1,"name":"Tom"},{"id":2,"name":null}]"#),
      Self.entry("GET", "/pets?limit=3", body: "[]"),
      Self.entry("GET", "/pets/7", body: #"{"id":7,"name":"Tom"}"#),
      Self.entry("GET", "/pets/9", 404, body: #"{"error":"none"}"#),
      Self.entry("POST", "/pets", 201, body: #"{"id":8}"#, request: #"{"name":"Kit"}"#),
      Self.entry("DELETE", "/pets/8", 204))
    let contract = try Contract(text: String(decoding: json.data(), as: UTF8.self))
    #expect(contract.operations.count == 4)
    let report = contract.report(on: archive)
    #expect(report.isKept && report.exchangeCount == 6 && report.unexercised.isEmpty, "\(report)")
    let list = json["paths"]["/pets"]["get"]
    #expect(
      list["parameters"][0] == [
        "name": "limit", "in": "query", "required": true, "schema": ["type": "integer"],
      ])
    #expect(list["parameters"][1]["required"] == false)
    #expect(
      json["paths"]["/pets/{petId}"]["get"]["responses"].dictionary?.keys.sorted() == [
        "200", "404",
      ])
    #expect(json["paths"]["/pets"]["post"]["requestBody"]["required"] == true)
    #expect(json["servers"] == [["url": "https://api.example.com"]])
    var other = archive
    other.log.entries.append(Self.entry("GET", "/pets/7", body: #"{"id":"x","name":"Tom"}"#))
    #expect(contract.report(on: other).violations.map(\.pointer) == ["/id"])
  }

  @Test func aBodyThatOneRequestLacksIsOptional() {
    let (json, _) = Self.document(
      Self.entry("POST", "/pets", 201, request: #"{"name":"Kit"}"#),
      Self.entry("POST", "/pets", 201))
    #expect(json["paths"]["/pets"]["post"]["requestBody"]["required"] == false)
  }

  @Test(arguments: [nil, "text/plain"] as [String?])
  func theTypeOfABodyIsThatOfItsFieldOrOfTheArchive(_ field: String?) throws {
    let headers = field.map { [HAR.Field(name: "Content-Type", value: $0)] } ?? []
    let entry = Self.entry("POST", "/pets", 201, request: "{}", headers: headers)
    let request = try #require(CheckedExchange(entry)).request
    #expect(request.headers["Content-Type"] == field ?? "application/json")
  }

  @Test func examplesHaveNoSecrets() throws {
    let (json, _) = Self.document(
      Self.entry(
        "POST", "/login", body: #"{"access_token":"s3cret-1"}"#,
        request: #"{"password":"s3cret-2"}"#))
    let text = String(decoding: try json.data(), as: UTF8.self)
    #expect(!text.contains("s3cret"))
    #expect(
      json["paths"]["/login"]["post"]["responses"]["200"]["content"]["application/json"]["example"]
        .dictionary?.count == 1)
  }

  @Test func credentialsOfAllRequestsAreASecurityScheme() throws {
    let bearer = [HAR.Field(name: "Authorization", value: "Bearer ***-3f2a9c")]
    let (json, archive) = Self.document(
      Self.entry("GET", "/me", body: "{}", headers: bearer),
      Self.entry("GET", "/pets", body: "[]", headers: bearer),
      Self.entry("GET", "/pets", body: "[]"))
    #expect(json["paths"]["/me"]["get"]["security"] == [["bearer": []]])
    #expect(json["paths"]["/pets"]["get"]["security"].isNull)
    #expect(
      json["components"]["securitySchemes"]["bearer"] == ["type": "http", "scheme": "bearer"])
    let contract = try Contract(text: InferredContract(archive).text)
    #expect(contract.report(on: archive).isKept)
  }

  @Test func preflightRequestsAndFailuresAreLeftOut() {
    let (json, _) = Self.document(Self.entry("OPTIONS", "/pets", 204), Self.entry("GET", "/a", 0))
    #expect(json["paths"] == [:])
  }
}
