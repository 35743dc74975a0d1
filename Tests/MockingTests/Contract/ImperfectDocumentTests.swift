import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts

/// Documents that do not keep the specification, which are served with warnings.
@Suite(.gated)
struct ImperfectDocumentTests {
  private static let json = #"{"200": {description: A, content: {application/json: {example: 1}}}}"#

  private static func document(_ paths: String, _ components: String = "{}") -> String {
    """
    openapi: 3.0.3
    info: {title: A, version: "1"}
    paths: \(paths)
    components: \(components)
    """
  }

  /// Returns the warnings of a document, which are the errors of a strict contract.
  private static func mistakes(_ text: String) throws -> [ContractIssue] {
    let warnings = try Contract(text: text).warnings
    #expect(warnings.allSatisfy { $0.isMistake })
    let error = #expect(throws: ContractError.self) { try Contract(text: text, isStrict: true) }
    #expect(error?.issues == warnings)
    return warnings
  }

  private static func response(
    _ contract: Contract, _ target: String, _ method: HTTPMethod = .get
  ) async throws -> (status: Int?, body: String) {
    let url = try #require(URL(string: "https://a.test" + target))
    let record = await MockTransport(contract: contract).perform(
      HTTPRequest(method: method, url: url))
    return (record.head?.status, String(decoding: record.body, as: UTF8.self))
  }

  @Test(arguments: [
    (
      "{type: strin, minLength: 3}", "/type",
      "expected a type: null, boolean, integer, number, string, array, object; ignored"
    ),
    ("{required: true}", "/required", "expected an array of strings; ignored"),
    ("{minLength: -1}", "/minLength", "expected an integer of at least 0; ignored"),
    ("{maximum: a}", "/maximum", "expected a number; ignored"),
    ("{multipleOf: 0}", "/multipleOf", "expected a number greater than 0; ignored"),
    ("{pattern: 1}", "/pattern", "expected a string; ignored"),
    ("{enum: a}", "/enum", "expected an array; ignored"),
    ("{properties: []}", "/properties", "expected an object of schemas; ignored"),
    ("{allOf: []}", "/allOf", "expected an array of schemas; ignored"),
    (
      "{type: array, items: []}", "/items",
      "expected a schema: an object or a Boolean; any value is allowed"
    ),
    (
      "{$ref: '#/components/schemas/B'}", "/$ref",
      "the reference #/components/schemas/B leads nowhere; any value is allowed"
    ),
    (
      "{$ref: 'https://127.0.0.1:1/b.yaml'}", "/$ref",
      "the reference https://127.0.0.1:1/b.yaml leads nowhere, because nothing is read from the network; "
        + "any value is allowed"
    ),
    (
      "{oneOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: t, mapping: {b: '#/b'}}}",
      "/discriminator/mapping/b", "the reference #/b leads nowhere; ignored"
    ),
  ])
  func aMistakeInASchemaIsIgnored(schema: String, pointer: String, message: String) async throws {
    let reference = "{$ref: '#/components/schemas/S'}"
    let text = Self.document(
      "{/a: {get: {responses: {'200': {description: A, content: {application/json: {schema: \(reference)}}}}}}}",
      "{schemas: {A: {type: object}, S: \(schema)}}")
    let mistakes = try Self.mistakes(text)
    #expect(mistakes.map(\.message) == [message])
    #expect(mistakes.map(\.pointer) == ["/components/schemas/S" + pointer])
    #expect(mistakes.map(\.line) == [4])
    let response = try await Self.response(try Contract(text: text), "/a")
    #expect(response.status == 200 && !response.body.isEmpty)
  }

  @Test(arguments: [
    (
      "{parameters: [{name: b}], responses: \(json)}",
      "expected the member in: query, header, path or cookie; the parameter is ignored"
    ),
    (
      "{parameters: [{in: query}], responses: \(json)}",
      "expected the member name; the parameter is ignored"
    ),
    (
      "{parameters: [{name: b, in: query, style: matrix}], responses: \(json)}",
      "expected a style for query: form, spaceDelimited, pipeDelimited, deepObject; it is form"
    ),
    (
      "{parameters: [{$ref: '#/b'}], responses: \(json)}",
      "the reference #/b leads nowhere; ignored"
    ),
    ("{parameters: {}, responses: \(json)}", "expected an array; ignored"),
    (
      "{requestBody: {}, responses: \(json)}", "the member content is missing; any body is accepted"
    ),
    (
      "{requestBody: {$ref: '#/b'}, responses: \(json)}",
      "the reference #/b leads nowhere; any body is accepted"
    ),
    (
      "{responses: {'200': {content: {description: A, application/json: {example: 1}}}}}",
      "description is not a media type; ignored"
    ),
    (
      "{responses: {'200': {content: {$ref: '#/components/x-b'}}}}",
      "a $ref must not stand in content; it is followed"
    ),
    (
      "{responses: {'200 ': \(json.dropFirst(8).dropLast())}}",
      "a status has no spaces; read as 200"
    ),
    (
      "{responses: {'200': \(json.dropFirst(8).dropLast()), ok: {}}}",
      "expected a status such as 200 or 2XX, or default; left out"
    ),
    (
      "{security: [{b: []}], responses: \(json)}",
      "there is no security scheme b; its credentials are not checked"
    ),
    (
      "{servers: [{}], responses: \(json)}", "expected the member url; ignored"
    ),
  ])
  func aMistakeInAnOperationIsNotItsEnd(operation: String, message: String) async throws {
    let text = Self.document(
      "{/a: {get: \(operation)}}", "{x-b: {application/json: {example: 1}}}")
    #expect(try Self.mistakes(text).map(\.message) == [message])
    let response = try await Self.response(try Contract(text: text), "/a")
    #expect(response.status == 200 && response.body == "1")
  }

  @Test func aResponseThatIsMissingHasNoBody() async throws {
    for (responses, message) in [
      ("{}", "expected an object with at least one response; the status is 200, without a body"),
      ("{'200': {$ref: '#/b'}}", "the reference #/b leads nowhere; it has no body"),
      ("{'200': {content: {array: {}}}}", "array is not a media type; ignored"),
    ] {
      let text = Self.document("{/a: {get: {responses: \(responses)}}}")
      #expect(try Self.mistakes(text).map(\.message) == [message])
      let response = try await Self.response(try Contract(text: text), "/a")
      #expect(response.status == 200 && response.body.isEmpty)
    }
  }

  @Test func aMisspelledMemberIsNamed() throws {
    let response = "{responses: \(Self.json)}"
    let text = Self.document(
      "{/a: {get: \(response), gett: {}, POST: {}, x-b: 1, summary: A}, /b: {get: {respones: {}}}}")
    #expect(
      try Self.mistakes(text).map { "\($0.pointer): \($0.message)" } == [
        "/paths/~1a/gett: gett is neither a method nor another member of a path; ignored",
        "/paths/~1a/POST: a method has small letters, such as post; ignored",
        "/paths/~1b/get/responses: expected an object with at least one response; respones is not a "
          + "member of OpenAPI; the status is 200, without a body",
      ])
  }

  @Test func theOnlyBodyWithANameThatIsNoMediaTypeIsJSON() async throws {
    let text = Self.document(
      "{/a: {get: {responses: {'200': {content: {array: {schema: {enum: [7]}}}}}}}}")
    #expect(
      try Self.mistakes(text).map(\.message) == [
        "array is not a media type; read as application/json"
      ])
    #expect(try await Self.response(try Contract(text: text), "/a").body == "7")
  }

  @Test(arguments: [
    ("openapi: 3.0.3", ["the member info is missing; the title is openapi, and the version 1"]),
    (
      "openapi: '3.1'\ninfo: {title: A, version: '1'}",
      ["expected a version in quotation marks, such as 3.1.0; read as 3.1"]
    ),
    (
      "openapi: 3.0\ninfo: {title: A, version: 1.0}",
      [
        "expected a version in quotation marks, such as 3.1.0; read as 3.0",
        "expected a string; read as \"1.0\"",
      ]
    ),
    ("openapi: 3.0.3\ninfo: {title: A}", ["the member version is missing; \"1\" is assumed"]),
  ])
  func theHeadOfADocumentIsNotNecessary(head: String, messages: [String]) async throws {
    let text = head + "\npaths: {/a: {get: {responses: \(Self.json)}}}\n"
    #expect(try Self.mistakes(text).map(\.message) == messages)
    #expect(try await Self.response(try Contract(text: text), "/a").body == "1")
  }

  @Test func openAPI32IsReadAs31() throws {
    let text =
      "openapi: 3.2.0\ninfo: {title: A, version: '1'}\npaths: {/a: {get: {responses: \(Self.json)}}}"
    let warnings = try Contract(text: text, isStrict: true).warnings
    #expect(warnings.map(\.message) == ["read as 3.1; the additions of 3.2 are ignored"])
  }

  @Test func anUnknownSecuritySchemeIsReportedOnce() throws {
    let operation = "{get: {security: [{b: []}], responses: \(Self.json)}}"
    let mistakes = try Self.mistakes(Self.document("{/a: \(operation), /b: \(operation)}"))
    #expect(mistakes.map(\.pointer) == ["/paths/~1a/get/security/0/b"])
  }

  @Test func anUndeclaredParameterOfThePathIsAString() async throws {
    let text = Self.document("{'/g/{gid}': {get: {responses: \(Self.json)}}}")
    let mistakes = try Self.mistakes(text)
    #expect(
      mistakes.map(\.message) == ["the parameter {gid} of the path is not declared; it is a string"]
    )
    #expect(mistakes.map(\.pointer) == ["/paths/~1g~1{gid}/get"])
    let contract = try Contract(text: text)
    #expect(try await Self.response(contract, "/g/x").body == "1")
    #expect(EndpointSource(contract).text.contains("var gid: String"))
  }

  /// A required parameter that no request can have would refuse all requests.
  @Test func aParameterThatThePathLacksIsIgnored() async throws {
    let parameter = "{name: b, in: path, required: true, schema: {type: integer}}"
    let contract = try Contract(
      text: Self.document("{/a: {get: {parameters: [\(parameter)], responses: \(Self.json)}}}"),
      isStrict: true)
    #expect(
      contract.warnings.map(\.message) == [
        "the path parameter b does not occur in the path; ignored"
      ])
    #expect(try await Self.response(contract, "/a").status == 200)
  }

  @Test func pathsThatDifferInNamesOnlyAreOnePath() async throws {
    func item(_ method: String, _ name: String, _ type: String, _ example: String) -> String {
      """
      \(method): {parameters: [{name: \(name), in: path, required: true, schema: {type: \(type)}}], \
      responses: {"200": {description: A, content: {application/json: {example: \(example)}}}}}
      """
    }
    let text = Self.document(
      "{'/g/{id}': {\(item("get", "id", "string", "first"))}, '/g/{a}': {\(item("get", "a", "string", "second")), "
        + "\(item("delete", "a", "integer", "deleted"))}}")
    let mistakes = try Self.mistakes(text)
    #expect(
      mistakes.map(\.message) == [
        "the path matches the same requests as /g/{id}; they are one path, and the first one's operations "
          + "precede", "GET of the same path is above; left out",
      ])
    let contract = try Contract(text: text)
    #expect(contract.operations.map { "\($0)" } == ["GET /g/{id}", "DELETE /g/{id}"])
    #expect(try await Self.response(contract, "/g/x").body == "\"first\"")
    #expect(try await Self.response(contract, "/g/7", .delete).body == "\"deleted\"")
    #expect(try await Self.response(contract, "/g/x", .delete).status == 422)
  }

  @Test func aPathWithAQueryIsMatchedByIt() async throws {
    func item(_ example: String) -> String {
      #"{get: {responses: {"200": {description: A, content: {application/json: {example: \#(example)}}}}}}"#
    }
    let text = Self.document(
      "{'/i.php?method=A': \(item("a")), '/i.php?method=B&v=1': \(item("b")), '/i.php': \(item("c")), "
        + "'/i.php?method=B': \(item("d"))}")
    #expect(
      try Self.mistakes(text).map(\.message) == [
        "a path has no query; requests are matched by ?method=A",
        "a path has no query; requests are matched by ?method=B&v=1",
        "a path has no query; requests are matched by ?method=B",
      ])
    let contract = try Contract(text: text)
    let table = OperationTable(contract.content)
    for (query, body) in [
      ("?method=A", "a"), ("?v=1&method=B", "b"), ("?method=B&v=2", "d"), ("?method=C", "c"),
      ("", "c"),
    ] {
      #expect(try await Self.response(contract, "/i.php" + query).body == "\"\(body)\"")
      let index = try #require(table.find(.get, "/i.php" + query)?.index)
      let media = contract.content.operations[index].responses.first?.content.first
      #expect(media?.examples.first?.value == .string(body))
    }
    #expect(EndpointSource(contract).text.contains(#".get("i.php?method=A")"#))
    let only = try Contract(text: Self.document("{'/i.php?method=A': \(item("a"))}"))
    #expect(OperationTable(only.content).find(.get, "/i.php?method=B") == nil)
  }

  @Test func aQuestionMarkWithoutAQueryIsLeftOut() async throws {
    let text = Self.document("{'/a?': {get: {responses: \(Self.json)}}}")
    #expect(
      try Self.mistakes(text).map(\.message) == ["a path has no query; the ? is left out of it"])
    #expect(try await Self.response(try Contract(text: text), "/a").status == 200)
  }

  @Test func theExpressionsOfAQueryAreOneMistake() async throws {
    let path = "/a{?x,y}/b{&z}" + String(repeating: "{?q}", count: 20_000)
    let text = Self.document("{'\(path)': {get: {responses: \(Self.json)}}}")
    let mistakes = try Self.mistakes(text).map(\.message)
    #expect(
      mistakes == [
        "a path has no query; {?x,y}, {&z}, "
          + Array(repeating: "{?q}", count: 8).joined(separator: ", ")
          + " is left out of it"
      ])
    #expect(try await Self.response(try Contract(text: text), "/a/b").status == 200)
  }

  /// Documents of several files share the members of schemas so.
  @Test func aReferenceInPropertiesIsFollowed() throws {
    let text = Self.document(
      "{/a: {get: {responses: {'200': {description: A, content: {application/json: {schema: "
        + "{$ref: '#/components/schemas/S'}}}}}}}}",
      "{x-b: {n: {type: integer}}, schemas: {S: {type: object, properties: {$ref: '#/components/x-b'}}}}"
    )
    #expect(
      try Self.mistakes(text).map(\.message) == [
        "the keyword properties has no reference; it is followed, and members beside it are ignored"
      ])
    let content = try Contract(text: text).content
    let schema = try #require(content.operations.first?.successSchema)
    #expect(content.program.memberSchemas(of: schema).keys.sorted() == ["n"])
    #expect(!content.violations(of: ["n": "x"], schema, .response).isEmpty)
  }

  @Test(arguments: [
    ("/a?id={id}", "/a?id=7", "/a?id=x"), ("/a{?id}", "/a?id=7", "/a?id=x"),
  ])
  func aVariableOfTheQueryIsAParameter(path: String, valid: String, invalid: String) async throws {
    let location = path.contains("=") ? "path" : "query"
    let parameter = "{name: id, in: \(location), required: true, schema: {type: integer}}"
    let contract = try Contract(
      text: Self.document(
        "{'\(path)': {get: {parameters: [\(parameter)], responses: \(Self.json)}}}"))
    #expect(try await Self.response(contract, valid).status == 200)
    #expect(try await Self.response(contract, invalid).status == 422)
  }

  @Test func anOperationIDThatOccursTwiceIsThatOfTheFirstOperation() throws {
    let operation = "{get: {operationId: x, responses: \(Self.json)}}"
    let text = Self.document("{/a: \(operation), /b: \(operation)}")
    #expect(
      try Self.mistakes(text).map(\.message) == ["the operationId x occurs twice; ignored"])
    #expect(try Contract(text: text).operations.map(\.id) == ["x", nil])
  }

  @Test func aDocumentOfWhichNothingCanBeServedIsAnError() {
    let text = Self.document("{/a: {$ref: '#/b'}}")
    let error = #expect(throws: ContractError.self) { try Contract(text: text) }
    #expect(
      error?.issues.map(\.message) == [
        "no operation can be served", "the reference #/b leads nowhere; left out",
      ])
  }

  @Test func pathsAndComponentsMayBeFiles() async throws {
    let folder = TemporaryFolder()
    _ = try folder.file(
      "paths.yaml",
      "/a: {get: {responses: {'200': {description: A, content: {application/json: {schema: "
        + "{$ref: 'api.yaml#/components/schemas/S'}}}}}}}")
    _ = try folder.file("schemas.yaml", "S: {$ref: '#/T'}\nT: {type: integer, enum: [7]}")
    let file = try folder.file(
      "api.yaml", Self.document("{$ref: 'paths.yaml'}", "{schemas: {$ref: 'schemas.yaml'}}"))
    let contract = try Contract(contentsOf: file)
    #expect(
      contract.warnings.map(\.message) == [
        "a $ref must not stand in paths; it is followed",
        "a $ref must not stand in schemas; it is followed",
      ])
    #expect(try await Self.response(contract, "/a").body == "7")
  }

  @Test(arguments: ["{$ref: '#/components/schemas'}", "{$ref: '#/components/x-b/T'}"])
  func aCircleOfReferencesOfComponentsEnds(schemas: String) throws {
    let text = Self.document(
      "{/a: {get: {responses: {'200': {description: A, content: {application/json: {schema: "
        + "{$ref: '#/components/schemas/S'}}}}}}}}",
      "{x-b: {$ref: '#/components/schemas'}, schemas: \(schemas)}")
    #expect(try Contract(text: text).warnings.contains { $0.message.contains("leads nowhere") })
  }

  @Test func aFileThatIsMissingIsAWarning() throws {
    let folder = TemporaryFolder()
    let file = try folder.file(
      "api.yaml",
      Self.document(
        "{/a: {get: {responses: \(Self.json)}}}", "{schemas: {A: {$ref: '../a.yaml#/A'}}}"))
    let warnings = try Contract(contentsOf: file).warnings
    #expect(warnings.count == 2 && warnings.allSatisfy(\.isMistake))
    #expect(warnings.contains { $0.message.contains("leads out of the folder of the document") })
    #expect(
      warnings.contains {
        $0.message == "the reference ../a.yaml#/A leads nowhere; any value is allowed"
      })
  }

  @Test func aSyntaxErrorInAFileIsAnError() throws {
    let folder = TemporaryFolder()
    _ = try folder.file("a.yaml", "A: [")
    let file = try folder.file(
      "api.yaml",
      Self.document(
        "{/a: {get: {responses: \(Self.json)}}}", "{schemas: {A: {$ref: 'a.yaml#/A'}}}"))
    let error = #expect(throws: ContractError.self) { try Contract(contentsOf: file) }
    #expect(error?.issues.first?.file.lastPathComponent == "a.yaml")
  }

  @Test func aDocumentMayHaveMoreThanAThousandFiles() throws {
    let folder = TemporaryFolder()
    let count = 1_200
    for index in 0..<count { _ = try folder.file("s\(index).yaml", "{type: string}") }
    let schemas = (0..<count).map { "S\($0): {$ref: 's\($0).yaml'}" }.joined(separator: ", ")
    let file = try folder.file(
      "api.yaml",
      Self.document("{/a: {get: {responses: \(Self.json)}}}", "{schemas: {\(schemas)}}"))
    let contract = try Contract(contentsOf: file)
    #expect(contract.warnings.isEmpty && contract.files.count == count + 1)
  }
}
