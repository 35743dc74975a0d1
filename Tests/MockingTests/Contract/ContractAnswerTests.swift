import Foundation
import Networking
import NetworkingXML
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

/// The bodies of responses keep their schemas, whatever the document has beside them.
@Suite(.gated)
struct ContractAnswerTests {
  /// Returns a responder for the only operation of a document.
  private static func responder(
    _ responses: String, security: String = "[]", schemas: String = "{}", title: String = "Answers"
  ) throws -> ContractResponder {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: '\(title)', version: "1"}
        security: [\(security)]
        paths: {/a: {get: {responses: \(responses)}}}
        components:
          schemas: \(schemas)
          securitySchemes:
            bearer: {type: http, scheme: bearer}
            basic: {type: http, scheme: basic}
            digest: {type: http, scheme: digest}
            key: {type: apiKey, in: header, name: X-Key}
        """)
    let operation = try #require(contract.content.operations.first)
    return ContractResponder(
      operation, at: ContractPath("/a"), of: contract.content, seed: 1, validates: true)
  }

  private static func request(_ headers: HTTPHeaders = [:]) -> ReceivedRequest {
    ReceivedRequest(
      method: .get, target: "/a", path: ReceivedPath(text: "/a"), headers: headers, trailers: [:],
      body: Data(), bodyByteCount: 0, version: "1.1", connection: 0, exchange: 0, time: .zero)
  }

  private static func send(
    _ headers: HTTPHeaders = [:], to responder: ContractResponder
  ) throws -> (mock: Mock, text: String) {
    let mock = responder.respond(to: request(headers))
    guard case .data(let data) = mock.body else { return (mock, "") }
    return (mock, String(decoding: data, as: UTF8.self))
  }

  private static func success(_ content: String) -> String {
    "{'200': {description: A, content: \(content)}}"
  }

  // MARK: Samples

  /// Each schema has a value that the first choice of its alternatives, members and examples misses.
  @Test(arguments: [
    "{type: array, minItems: 1, items: {enum: [c], oneOf: [{const: a}, {const: b}, {const: c}]}}",
    "{type: object, required: [a], properties: {a: {const: 1}}, "
      + "anyOf: [{properties: {a: {const: 2}}, required: [a]}, {properties: {a: {const: 1}}}]}",
    "{enum: [a, bb, ccc, dddd, eeeee, ffffff], minLength: 6}",
    "{enum: [1, 2, 3, 4, 5, 6, 7, 8], not: {maximum: 7}}",
    "{type: object, properties: {gender: {type: string, maxLength: 1, enum: [F1, M1]}}}",
    "{type: object, properties: {a: {type: array, minItems: 1, items: {type: integer, enum: [b]}}}}",
    "{allOf: [{properties: {a: {type: string}}, additionalProperties: false}, "
      + "{type: object, properties: {b: {type: string}}}]}",
    "{oneOf: [{type: object, properties: {a: {type: string}}}, "
      + "{type: object, properties: {a: {type: string}, b: {type: integer}}}]}",
    "{oneOf: [{type: object, properties: {a: {type: array, items: {properties: {b: {type: string}}}}}}, "
      + "{type: object, properties: {a: {type: array, items: {properties: {c: {type: integer}}}}}}]}",
    "{type: object, required: [k], properties: {k: {enum: [a, b]}}, "
      + "if: {properties: {k: {const: a}}}, then: {required: [x]}, else: {required: [y]}}",
  ])
  func aBodyKeepsASchemaThatFewValuesKeep(schema: String) throws {
    for seed in UInt64(0)..<20 {
      let sample = try SchemaFixture.sample(schema, seed: seed)
      #expect(sample.isValid, "\(sample.value): \(sample.violations)")
    }
  }

  @Test func theDiscriminatorKeepsTheValuesOfItsMember() throws {
    let schemas = """
      {Cat: {type: object, required: [type], properties: {type: {enum: [cat]}}}, \
      Dog: {type: object, required: [type], properties: {type: {enum: [dog]}}}}
      """
    for mapping in ["", ", mapping: {dog: '#/components/schemas/Dog'}"] {
      let responder = try Self.responder(
        Self.success(
          """
          {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/Cat'}, \
          {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: type\(mapping)}}}}
          """), schemas: schemas)
      let text = try Self.send(to: responder).text
      #expect([#"{"type":"cat"}"#, #"{"type":"dog"}"#].contains(text), "\(text)")
    }
  }

  @Test func aBodyThatNoValueKeepsIsSentWithAWarning() throws {
    let responder = try Self.responder(
      Self.success(
        """
        {application/json: {schema: {type: object, required: [id, a], properties: \
        {id: {type: integer}, a: {type: string, maxLength: 1, enum: [FEMALE]}}}}}
        """))
    let (mock, text) = try Self.send(to: responder)
    #expect(mock.status == 200)
    #expect(text.contains("\"id\""))
    #expect(mock.headers["Contract-Warning"]?.contains("/a: ") == true)
  }

  // MARK: Work

  /// A preferred status is a number of the client, of which the document has few.
  @Test func thousandsOfRequestsForASchemaWithoutAnEndTakeTheWorkOfOne() throws {
    let responder = try Self.responder(
      "{'200': {description: A, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}, "
        + "default: {description: B, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}",
      schemas:
        "{A: {type: object, required: [l, r], properties: {l: {$ref: '#/components/schemas/A'}, "
        + "r: {$ref: '#/components/schemas/A'}, n: {type: string}}}}")
    let (mock, text) = try Self.send(to: responder)
    #expect(mock.status == 200 && text.utf8.count < 1_000)
    for number in 0..<10_000 {
      let prefer = number.isMultiple(of: 2) ? "code=\(200 + number % 400)" : "example=e\(number)"
      let status = try Self.send(["Prefer": prefer], to: responder).mock.status
      #expect(status == (number.isMultiple(of: 2) ? 200 + number % 400 : 404))
    }
    #expect(responder.workCount < 20_000)
  }

  // MARK: Media types

  @Test(arguments: [
    ("", "text/csv"), ("*/*", "text/csv"), ("application/*", "application/json"),
    ("application/xml, */*;q=0.1", "application/xml"),
  ])
  func theFirstMediaTypeOfTheDocumentIsSentWithoutAWish(accept: String, type: String) throws {
    let responder = try Self.responder(
      Self.success("{text/csv: {example: 'a,b'}, application/json: {}, application/xml: {}}"))
    let headers: HTTPHeaders = accept.isEmpty ? [:] : ["Accept": accept]
    #expect(try Self.send(headers, to: responder).mock.headers["Content-Type"] == type)
  }

  @Test(arguments: [
    (
      "{type: object, xml: {name: pet}, properties: {id: {const: 7, xml: {attribute: true}}, n: {const: 'a<b'}}}",
      #"<pet id="7"><n>a&lt;b</n></pet>"#
    ),
    (
      "{type: object, xml: {name: a}, required: [b], properties: {b: {type: array, minItems: 2, maxItems: 2, items: {const: 1}}}}",
      "<a><b>1</b><b>1</b></a>"
    ),
    (
      """
      {type: object, xml: {name: a}, required: [b], properties: {b: {type: array, minItems: 1, maxItems: 1, \
      xml: {wrapped: true, name: list}, items: {const: 1, xml: {name: item}}}}}
      """,
      "<a><list><item>1</item></list></a>"
    ),
    (
      """
      {type: object, xml: {name: a, namespace: 'urn:a', prefix: p}, \
      properties: {b: {const: 1, xml: {prefix: p}}, c: {const: 2, xml: {prefix: q}}}}
      """,
      #"<p:a xmlns:p="urn:a"><p:b>1</p:b><c>2</c></p:a>"#
    ),
    (
      "{type: array, minItems: 1, maxItems: 1, items: {$ref: '#/components/schemas/Pet'}}",
      "<root><Pet><n>1</n></Pet></root>"
    ),
    (
      """
      {type: object, xml: {name: a, namespace: 'urn:a', prefix: p}, properties: {\
      b: {const: 1, xml: {attribute: true, namespace: 'urn:b', prefix: p}}, \
      c: {const: 2, xml: {attribute: true, namespace: 'urn:c', prefix: xml}}, \
      d: {const: 3, xml: {attribute: true, namespace: 'urn:a', prefix: p}}, \
      xmlns: {const: 4, xml: {attribute: true}}, ªx: {const: 5}}}
      """, #"<p:a xmlns:p="urn:a" b="1" c="2" p:d="3"><_x>5</_x></p:a>"#
    ),
    ("{$ref: '#/components/schemas/Pet'}", "<Pet><n>1</n></Pet>"),
    ("{const: 'a<b', xml: {name: c}}", "<c>a&lt;b</c>"),
  ])
  func aBodyOfXMLHasTheNamesOfItsSchema(schema: String, xml: String) throws {
    let responder = try Self.responder(
      Self.success("{application/xml: {schema: \(schema)}}"),
      schemas: "{Pet: {type: object, properties: {n: {const: 1}}}}")
    let text = try Self.send(to: responder).text
    #expect(text == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + xml)
  }

  @Test func aParserReadsTheTextsOfABodyOfXMLUnchanged() throws {
    let text = "\"a\" & <b>\r\n\tc '\u{7F}'"
    let value = JSON.string(text + "\u{1}\u{FFFE}").description
    let schema =
      "{type: object, xml: {name: a}, required: [b, c], "
      + "properties: {b: {const: \(value)}, c: {const: \(value), xml: {attribute: true}}}}"
    let responder = try Self.responder(Self.success("{application/xml: {schema: \(schema)}}"))
    let root = try XML.Document(parsing: Data(try Self.send(to: responder).text.utf8)).root
    #expect(root.first("b")?.string == text + "\u{FFFD}\u{FFFD}")
    #expect(root[attribute: "c"] == text + "\u{FFFD}\u{FFFD}")
  }

  @Test func onlyABodyThatIsNotMadeNeedsAPreparation() throws {
    let responder = try Self.responder(
      "{'200': {description: A, content: {application/json: {schema: {type: integer}}}}, "
        + "'404': {description: A, content: {application/json: {schema: {type: string}}}}}")
    #expect(responder.needsBody(for: Self.request()))
    _ = try Self.send(to: responder)
    #expect(!responder.needsBody(for: Self.request()))
    #expect(responder.needsBody(for: Self.request(["Prefer": "code=404"])))
    #expect(!responder.needsBody(for: Self.request(["Accept": "image/png"])))
  }

  @Test(arguments: [
    ("image/png", "image/png", [0x89, 0x50, 0x4E, 0x47] as [UInt8]),
    ("image/jpeg", "image/jpeg", [0xFF, 0xD8, 0xFF]),
    ("image/jpg", "image/jpg", [0xFF, 0xD8, 0xFF]),
    ("image/webp", "image/webp", Array("RIFF".utf8)),
    ("image/gif", "image/gif", Array("GIF89a".utf8)),
    ("image/svg+xml", "image/svg+xml", Array("<svg ".utf8)),
    ("image/*", "image/png", [0x89, 0x50, 0x4E, 0x47]),
  ])
  func anImageWithoutAnExampleCanBeShown(type: String, sent: String, start: [UInt8]) throws {
    let responder = try Self.responder(
      Self.success("{'\(type)': {schema: {type: string, format: binary}}}"))
    let mock = try Self.send(to: responder).mock
    guard case .data(let data) = mock.body else { throw TestFailure() }
    #expect(mock.headers["Content-Type"] == sent && data.starts(with: start))
  }

  private struct TestFailure: Error {}

  // MARK: Problems

  @Test(arguments: [
    ("{bearer: []}", "bearer (Authorization: Bearer)"),
    ("{basic: []}", "basic (Authorization: Basic with a user and a password)"),
    ("{key: []}, {bearer: []}", "key (the header field X-Key), or bearer (Authorization: Bearer)"),
  ])
  func aRequestWithoutCredentialsLearnsWhichToSend(security: String, names: String) throws {
    let responder = try Self.responder("{'204': {description: B}}", security: security)
    let problem = try JSON(parsing: Data(try Self.send(to: responder).text.utf8))
    #expect(problem["detail"].string == "expected credentials for \(names); any value is accepted")
  }

  @Test(arguments: [
    ("application/json: {example: unauthorized}", "\"unauthorized\""),
    ("text/plain: {example: unauthorized}", "unauthorized"),
    ("application/json: {example: {error: no}}", #"{"error":"no"}"#),
    ("application/json: {schema: {type: string}, example: unauthorized}", "\"unauthorized\""),
  ])
  func anErrorIsTheDocumentedExample(content: String, body: String) throws {
    let responder = try Self.responder(
      "{'401': {description: A, content: {\(content)}}, '204': {description: B}}",
      security: "{bearer: []}")
    let (mock, text) = try Self.send(to: responder)
    #expect(mock.status == 401 && text == body)
    #expect(
      mock.headers["Contract-Violation"]
        == "expected credentials for bearer (Authorization: Bearer)")
    #expect(mock.headers["WWW-Authenticate"] == "Bearer realm=\"Answers\"")
  }

  @Test(arguments: [
    ("{basic: []}, {bearer: []}", ["Basic realm=\"My API\"", "Bearer realm=\"My API\""]),
    ("{key: []}", ["ApiKey realm=\"My API\""]), ("{digest: []}", []),
    ("{digest: []}, {basic: [], key: []}", ["Basic realm=\"My API\"", "ApiKey realm=\"My API\""]),
  ])
  func aRefusalHasAChallengeForEachSchemeThatCanBeUsed(
    security: String, challenges: [String]
  ) throws {
    let responder = try Self.responder(
      "{'204': {description: B}}", security: security, title: "My \"API\\")
    let mock = try Self.send(to: responder).mock
    #expect(mock.headers.values(for: "WWW-Authenticate") == challenges)
  }

  // MARK: Kept responses

  /// The response to one request is not that to a request with other preferences.
  @Test func aKeptResponseHasItsPreferences() throws {
    let responder = try Self.responder(
      Self.success(
        "{application/json: {example: {id: 1}}, text/plain: {example: one}}}, "
          + "'404': {description: B, content: {application/json: {example: {id: 4}}}"))
    let responses: [(headers: HTTPHeaders, status: Int, text: String)] = [
      ([:], 200, #"{"id":1}"#),
      (["Accept": "text/plain"], 200, "one"),
      (["Accept": "application/json"], 200, #"{"id":1}"#),
      (["Accept": "text/plain;q=0.5, application/json"], 200, #"{"id":1}"#),
      (["Prefer": "code=404"], 404, #"{"id":4}"#),
      (["Accept": "application/json", "Prefer": "code=404"], 404, #"{"id":4}"#),
    ]
    for round in 1...3 {
      for (headers, status, text) in responses {
        let (mock, body) = try Self.send(headers, to: responder)
        #expect(mock.status == status, "round \(round), \(headers)")
        #expect(body == text, "round \(round), \(headers)")
      }
      #expect(try Self.send(["Accept": "image/png"], to: responder).mock.status == 406)
    }
  }

  /// The field `Location` of a response is below the path of its own request.
  @Test func aKeptResponseHasNoLocationOfAnotherRequest() throws {
    let responder = try Self.responder(
      "{'201': {description: A, headers: {Location: {schema: {type: string}}}, "
        + "content: {application/json: {example: {id: 1}}}}}")
    for path in ["/a", "/b", "/a"] {
      var request = Self.request()
      request.path = ReceivedPath(text: path)
      #expect(responder.respond(to: request).headers["Location"] == path + "/1")
    }
  }

  /// Values of `Accept` beyond the limit for kept responses have the same responses.
  @Test func manyValuesOfAcceptHaveTheirResponses() throws {
    let responder = try Self.responder(
      Self.success("{application/json: {example: {id: 1}}, text/plain: {example: one}}"))
    for number in 0..<200 {
      let json = ["Accept": "application/json, text/plain;q=0.\(100 + number)"] as HTTPHeaders
      #expect(try Self.send(json, to: responder).text == #"{"id":1}"#)
      let text = ["Accept": "text/plain, application/json;q=0.\(100 + number)"] as HTTPHeaders
      #expect(try Self.send(text, to: responder).text == "one")
    }
  }
}
