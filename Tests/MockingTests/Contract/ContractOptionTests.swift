import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingRecordings

/// The options for the responses of a contract, and those of a request.
@Suite(.gated)
struct ContractOptionTests {
  private static let notes = """
    openapi: 3.1.0
    info: {title: Notes, version: "1"}
    paths:
      /notes/{id}:
        parameters:
          - {name: id, in: path, required: true, schema: {type: integer}}
          - {name: all, in: query, style: form, explode: true, schema: {type: object, additionalProperties: false}}
        get:
          responses:
            "200":
              description: A note
              content:
                application/json:
                  schema: {type: object, required: [id], properties: {id: {type: integer, minimum: 100}}}
                  examples: {first: {value: {id: 100}}, second: {value: {id: 200}}}
            "404": {description: None, content: {text/plain: {example: none}}}
    """

  private static func text(
    _ target: String, _ headers: HTTPHeaders = [:], validates: Bool = true, dynamic: Bool = false,
    more: String = ""
  ) async throws -> String {
    let contract = try Contract(text: more.isEmpty ? notes : "\(notes)\n        \(more)")
    return await MockTransport(
      contract: contract, validatesRequests: validates, dynamic: dynamic
    ).response(target, headers)
  }

  @Test func theQueryHasThePreferencesOfTheField() async throws {
    #expect(try await Self.text("/notes/1?__code=404") == "404 none")
    #expect(try await Self.text("/notes/1?__example=second") == #"200 {"id":200}"#)
    #expect(try await Self.text("/notes/1?__dynamic=false") == #"200 {"id":100}"#)
    let dynamic = try await Self.text("/notes/1", ["Prefer": "dynamic=true"])
    #expect(try await Self.text("/notes/1?__dynamic=true") == dynamic)
    // The field wins.
    #expect(
      try await Self.text("/notes/1?__example=second", ["Prefer": "example=first"])
        == #"200 {"id":100}"#)
    // Other members are validated.
    #expect(try await Self.text("/notes/1?_code=404").hasPrefix("422"))
  }

  @Test(arguments: [
    ("?__code=abc", "", "__code=abc is not understood; the allowed values: 200, 404"),
    ("", "code=abc", "Prefer: code=abc is not understood; the allowed values: 200, 404"),
    ("?__dynamic=maybe", "", "__dynamic=maybe is not understood; the allowed values: true, false"),
    (
      "?__code=404&__example=one", "",
      "there is no example with the preferred name; there are example"
    ),
    ("?__code=500&__example=one", "", "the response has no examples in the document"),
  ])
  func aPreferenceThatCannotBeMetIsRefused(
    query: String, prefer: String, detail: String
  ) async throws {
    let text = try await Self.text(
      "/notes/1" + query, prefer.isEmpty ? [:] : ["Prefer": prefer],
      more: #""500": {description: E, content: {application/json: {schema: {type: object}}}}"#)
    #expect(text.hasPrefix(detail.contains("understood") ? "400 " : "404 "), "\(text)")
    #expect(text.contains(detail.replacing("200, 404", with: "200, 404, 500")), "\(text)")
  }

  @Test func anExampleWithoutANameHasOne() async throws {
    #expect(try await Self.text("/notes/1?__code=404&__example=example") == "404 none")
    // A valid preference of the field wins over a query that cannot be parsed.
    #expect(try await Self.text("/notes/1?__code=x", ["Prefer": "code=404"]) == "404 none")
    #expect(try await Self.text("/notes/1?__dynamic") == Self.text("/notes/1?__dynamic=true"))
  }

  @Test func bodiesAreDynamicByAnOption() async throws {
    let dynamic = try await Self.text("/notes/1", dynamic: true)
    #expect(dynamic == (try await Self.text("/notes/1?__dynamic=true")))
    #expect(try await Self.text("/notes/1?__dynamic=false", dynamic: true) == #"200 {"id":100}"#)
  }

  @Test func invalidRequestsReceiveAResponseByAnOption() async throws {
    #expect(try await Self.text("/notes/x").hasPrefix("422"))
    #expect(try await Self.text("/notes/x", validates: false) == #"200 {"id":100}"#)
  }

  // MARK: Media types

  /// The media types of a response by the first one of a list that a client accepts.
  @Test(arguments: [
    ("application/json", "application/hal+json"), ("application/xml", "application/atom+xml"),
    ("text/html, application/json;q=0.5", "application/hal+json"),
    ("application/hal+json;q=0.5, application/json", "application/hal+json"),
    ("application/json;q=0, */*", "application/hal+json"), ("text/csv", "text/csv"),
    ("application/json;q=0", "406"), ("text/xml", "406"), ("application/cbor", "406"),
  ])
  func aSuffixSatisfiesTheTypeOfItsSyntax(accept: String, expected: String) async throws {
    let types = ["application/hal+json", "application/atom+xml", "text/csv"]
    #expect(try await Self.mediaType(types, accept) == expected)
    // A type that the client names comes before one with its suffix.
    let all = ["application/vnd.a+json", "application/json"]
    #expect(try await Self.mediaType(all, "application/json") == "application/json")
    #expect(try await Self.mediaType(all, "*/*") == "application/vnd.a+json")
  }

  private static func mediaType(_ types: [String], _ accept: String) async throws -> String {
    let content = types.map { "\($0): {schema: {type: object}}" }.joined(separator: ", ")
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Types, version: "1"}
        paths: {/a: {get: {responses: {"200": {description: A, content: {\(content)}}}}}}
        """)
    let record = await MockTransport(contract: contract).perform(
      HTTPRequest(method: .get, url: URL.of("http://a.example.com/a"), headers: ["Accept": accept]))
    guard record.head?.status == 200 else { return "\(record.head?.status ?? 0)" }
    return record.head?.headers["Content-Type"] ?? ""
  }

  // MARK: Violations as errors

  private static func enforced(_ body: String, _ target: String) async throws -> (
    String, requests: Int
  ) {
    let contract = try Contract(text: notes)
    let monitor = ContractMonitor(contract)
    let origin = FakeTransport { _ in .response(200, ["Content-Type": "application/json"], body) }
    let route = Route.forwarding(
      to: URL.of("https://api.example.com"), over: monitor.enforcing(origin))
    let transport = MockTransport(routes: [contract.refusal(), route])
    return (await transport.response(target), origin.requests.count)
  }

  @Test func aResponseThatViolatesTheContractIsA502() async throws {
    let (text, _) = try await Self.enforced(#"{"id": 5}"#, "/notes/1")
    #expect(text.hasPrefix("502 "))
    #expect(text.contains("does not keep the contract"))
    #expect(try await Self.enforced(#"{"id": 500}"#, "/notes/1").0 == #"200 {"id": 500}"#)
  }

  @Test func aRequestThatViolatesTheContractIsNotForwarded() async throws {
    let (text, requests) = try await Self.enforced(#"{"id": 500}"#, "/notes/x")
    #expect(text.hasPrefix("422 "))
    #expect(requests == 0)
    // A path that the contract does not have is forwarded.
    #expect(try await Self.enforced("{}", "/other").requests == 1)
  }

  @Test func theBodiesOfRefusalsAreMadeOnce() throws {
    let content = try Contract(text: Self.notes).content
    let gate = ContractGate(content)
    let match = try #require(OperationTable(content).find(.get, "/notes/x"))
    #expect(gate.responder(match) === gate.responder(match))
  }

  // MARK: Conditions

  @Test func aConditionIsAJSONSchema() async throws {
    let schema: JSON = [
      "type": "object", "required": ["n"], "properties": ["n": ["$ref": "#/$defs/positive"]],
      "$defs": ["positive": ["type": "integer", "minimum": 1]],
    ]
    let transport = MockTransport(routes: [
      Route(.post, "/a", .text("yes")).where(try .jsonSchema(schema)),
      Route(.post, "/a", .text("no")),
    ])
    #expect(await transport.response(.post, "/a", body: #"{"n": 1}"#) == "200 yes")
    for body in [#"{"n": 0}"#, "{}", "x", ""] {
      #expect(await transport.response(.post, "/a", body: body) == "200 no")
    }
    let error = #expect(throws: JSONSchemaError.self) {
      try RequestCondition.jsonSchema(["properties": ["a": ["type": "integr"]]])
    }
    #expect(error?.pointer.hasPrefix("/properties/a") == true)
    // A condition makes no assumption.
    #expect(error?.reason.hasPrefix("expected a type: ") == true)
    #expect(error?.reason.contains(";") == false)
  }
}
