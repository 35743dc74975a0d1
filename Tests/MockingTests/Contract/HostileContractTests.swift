import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources

/// Documents and requests that would occupy the program for ever, or run code of the document.
@Suite(.gated)
struct HostileContractTests {
  private static func contract(_ schemas: String, _ schema: String) throws -> Contract {
    try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Pet shop, version: "2"}
        paths:
          /pets:
            post:
              operationId: addPet
              requestBody:
                content: {application/x-www-form-urlencoded: {schema: \(schema)}}
              responses:
                "200": {description: A pet, content: {application/json: {schema: \(schema)}}}
                default: {description: Any other}
        components: {schemas: {\(schemas)}}
        """)
  }

  /// The check of a value has a number of branches that is exponential in the number of schemas.
  @Test func anIDThatIsHardToMakeNeedsALimitedNumberOfSteps() throws {
    let schemas = (0..<20).map {
      "S\($0): {oneOf: [{$ref: '#/components/schemas/S\($0 + 1)'}, "
        + "{allOf: [{$ref: '#/components/schemas/S\($0 + 1)'}]}]}"
    }
    let contract = try Self.contract(
      (schemas + ["S20: {type: string}"]).joined(separator: ", "),
      "{$ref: '#/components/schemas/S0'}")
    let schema = try #require(contract.content.operations[0].successSchema)
    let ids = SampledIDs(schema, of: contract.content, seed: 1, known: [])
    for _ in 0..<3 { _ = ids.next() }
    #expect(ids.workCount < 4 * SampledIDs.maximumWork)
  }

  /// Sends a form to the contract.
  private static func post(
    _ contract: Contract, _ form: String, _ headers: HTTPHeaders = [:]
  ) async throws -> ExchangeRecord {
    let transport = MockTransport(contract: contract)
    var fields = headers
    fields["Content-Type"] = "application/x-www-form-urlencoded"
    let url = try #require(URL(string: "http://api.example.com/pets"))
    return await transport.perform(
      HTTPRequest(method: .post, url: url, headers: fields, body: .data(Data(form.utf8))))
  }

  @Test(arguments: ["anyOf", "oneOf", "allOf"])
  func aSchemaThatRefersToItselfManyTimesEnds(keyword: String) async throws {
    let references = Array(repeating: "{$ref: '#/components/schemas/A'}", count: 20)
      .joined(separator: ", ")
    let contract = try Self.contract(
      "A: {\(keyword): [\(references), {type: object}]}", "{$ref: '#/components/schemas/A'}")
    #expect(try await Self.post(contract, "a=1").head != nil)
    #expect(!EndpointSource(contract).text.isEmpty)
    let store = ResourceStore()
    _ = contract.statefulRoutes(seed: 0, validatesRequests: true, in: store)
  }

  // MARK: Values without end

  private static let node = "{$ref: '#/components/schemas/A'}"

  /// Makes the body of the response, and counts the work.
  private static func sample(
    _ contract: Contract, maximumWork: Int = 1_000_000
  ) throws -> (isValid: Bool, work: Int) {
    let response = try #require(contract.content.operations.first?.responses.first)
    let schema = try #require(response.content.first?.schema)
    var work = 0
    let sample = SchemaSampler.sample(
      schema, of: contract.content, seed: 1, maximumWork: maximumWork, counting: &work)
    return (sample.isValid, work)
  }

  @Test(arguments: [
    "{type: object, required: [l, r], properties: {l: \(node), r: \(node)}}",
    "{type: object, required: [b], properties: {b: {$ref: '#/components/schemas/B'}}}",
    "{type: array, minItems: 2, items: \(node)}", "{type: array, contains: \(node)}",
    "{type: array, minItems: 2, prefixItems: [{type: string}, \(node)]}",
    "{allOf: [{type: object, required: [n], properties: {n: \(node)}}, {minProperties: 2}]}",
    "{oneOf: [{type: object, required: [n], properties: {n: \(node)}}, \(node)]}",
  ])
  func aSchemaThatRequiresItselfIsAWarning(schema: String) throws {
    let other = "B: {type: array, minItems: 3, items: \(Self.node)}"
    let contract = try Self.contract("A: \(schema), \(other)", Self.node)
    #expect(
      contract.warnings.map(\.pointer).filter { $0 != "/components/schemas/B" } == [
        "/components/schemas/A"
      ])
    #expect(contract.warnings.allSatisfy { $0.message.contains("without end") })
    let sample = try Self.sample(contract)
    #expect(!sample.isValid && sample.work < 20_000)
  }

  @Test(arguments: [
    "{type: object, properties: {l: \(node), r: \(node)}}",
    "{type: [object, 'null'], required: [l, r], properties: {l: \(node), r: \(node)}}",
    "{required: [l, r], properties: {l: \(node), r: \(node)}}",
    "{type: object, required: [n], properties: {n: {type: array, items: \(node)}}}",
    "{type: object, required: [n], properties: {n: {oneOf: [\(node), {type: string}]}}}",
    "{oneOf: [{type: object, required: [n], properties: {n: \(node)}}, {type: string}]}",
  ])
  func aRecursiveSchemaWithAnEndHasAValue(schema: String) throws {
    let contract = try Self.contract("A: \(schema)", Self.node)
    #expect(contract.warnings.isEmpty)
    #expect(try Self.sample(contract).isValid)
  }

  /// The other members of an object, and the empty array, are values.
  @Test(arguments: [
    "{type: object, required: [a], properties: {a: {type: string}, n: \(node)}}",
    "{type: array, items: \(node)}",
  ])
  func anOptionalValueWithoutEndIsLeftOut(schema: String) throws {
    let contract = try Self.contract(
      "A: {type: object, required: [n], properties: {n: \(Self.node)}}", schema)
    #expect(contract.warnings.map(\.pointer) == ["/components/schemas/A"])
    #expect(try Self.sample(contract).isValid)
  }

  @Test(arguments: [
    // Each level has two values of the next one.
    (0..<24).map { level in
      let next = "{$ref: '#/components/schemas/\(level == 23 ? "A" : "S\(level + 1)")'}"
      return "S\(level): {type: object, required: [l, r], properties: {l: \(next), r: \(next)}}"
    }.joined(separator: ", ") + ", A: {type: string}",
    "S0: {type: array, minItems: 1000, items: {type: string, minLength: 100000}}",
    "S0: {type: array, minItems: 1000, items: {type: string, pattern: '^([ab]?){900}c{500}$'}}",
    "S0: {type: array, minItems: 1000, items: {type: string, pattern: '^\\p{Co}{900}$'}}",
    "S0: {type: array, minItems: 1000, items: {const: LONG}}",
  ])
  func theWorkForASampleIsBounded(schemas: String) throws {
    let schemas = schemas.replacing("LONG", with: String(repeating: "a", count: 100_000))
    let contract = try Self.contract(schemas, "{$ref: '#/components/schemas/S0'}")
    #expect(contract.warnings.isEmpty)
    // The last text is made to its end.
    let work = try Self.sample(contract, maximumWork: 200_000).work
    #expect(work >= 200_000 && work < 350_000)
  }

  /// The work of a check is a part of the answer.
  @Test(arguments: [(30, 200), (60, 422)])
  func aValueThatIsTooComplexIsAViolation(count: Int, status: Int) async throws {
    let contract = try Self.contract(
      "", "{type: object, additionalProperties: {type: string, format: regex}}")
    let form = (0..<count).map { "a\($0)=" + String(repeating: "a", count: 10_000) }
    let record = try await Self.post(contract, form.joined(separator: "&"))
    #expect(record.head?.status == status)
  }

  // MARK: Sizes and numbers

  @Test(arguments: [((32 << 20) - 2, 200), ((32 << 20) - 1, 413)])
  func aBodyThatIsTooLargeForASchemaIsNotParsed(length: Int, status: Int) async throws {
    let contract = try Self.contract("A: {}", "{type: object}")
    let record = try await Self.post(contract, "a=" + String(repeating: "a", count: length))
    #expect(record.head?.status == status)
  }

  @Test func manySchemasWithManyReferencesEnd() async throws {
    let schemas = (0..<10).map { number in
      let next = "{$ref: '#/components/schemas/S\(number + 1)'}"
      return "S\(number): {oneOf: [\(Array(repeating: next, count: 50).joined(separator: ","))]}"
    }
    let contract = try Self.contract(
      (schemas + ["S10: {type: object, properties: {a: {type: array, items: {type: string}}}}"])
        .joined(separator: ", "), "{$ref: '#/components/schemas/S0'}")
    let program = contract.content.program
    let media = try #require(contract.content.operations.first?.body?.content.first?.schema)
    #expect(program.types(of: media) == [.object])
    #expect(Array(program.memberSchemas(of: media).keys) == ["a"])
    #expect(!EndpointSource(contract).text.isEmpty)
  }

  @Test func aReferenceToItselfBesideMembersHasSwiftCode() throws {
    let contract = try Self.contract(
      """
      Node: {$ref: '#/components/schemas/Node', properties: {a: {type: string}}}, \
      A: {$ref: '#/components/schemas/B', properties: {b: {type: string}}}, \
      B: {$ref: '#/components/schemas/A', properties: {c: {type: string}}}
      """,
      "{type: object, properties: {n: {$ref: '#/components/schemas/Node'}, "
        + "m: {$ref: '#/components/schemas/A'}}}")
    #expect(EndpointSource(contract).text.contains("struct"))
  }

  @Test func noTextOfADocumentBecomesSwiftCode() throws {
    for end in ["\\n", "\\r", "\\r\\n", "\\u2028", "\\u000B", "\\u0085"] {
      let text = { (path: String) in
        """
        openapi: 3.1.0
        info: {title: "a\(end)public let title = 1\(end)//", version: "1\(end)let version = 1"}
        servers: [{url: "https://a.example/\(end)let server = 1"}]
        paths:
          "\(path)":
            get:
              operationId: "get\(end)let id = 1"
              summary: "a\(end)let summary = 1"
              parameters:
                - {name: "p\(end)let parameter = 1", in: query, schema: {type: string}}
              responses: {"200": {description: "a\(end)let description = 1"}}
        """
      }
      let contract = try Contract(text: text("/a"))
      // The characters that end a line for the compiler.
      let lines = EndpointSource(contract).text.split { ["\n", "\r", "\r\n"].contains($0) }
      for line in lines {
        let code = line.trimmingCharacters(in: .whitespaces)
        #expect(!code.hasPrefix("let ") && !code.hasPrefix("public let title"), "\(code)")
      }
      // A path with such a character is refused, or is one line.
      guard let other = try? Contract(text: text("/a\(end)let path = 1\(end)//")) else { continue }
      #expect(!EndpointSource(other).text.contains("\nlet path"))
    }
  }

  @Test func manyFieldsOfAFormAreAList() async throws {
    let contract = try Self.contract(
      "", "{type: object, properties: {a: {type: array, items: {type: string}, maxItems: 3}}}")
    #expect(try await Self.post(contract, "a=1&a=2&b=3&a=4").head?.status == 200)
    let many = Array(repeating: "a=1", count: 100_000).joined(separator: "&")
    #expect(try await Self.post(contract, many).head?.status == 422)
  }

  @Test(arguments: [("code=101", 404), ("code=100", 404), ("code=204", 204), ("code=599", 599)])
  func aPreferredStatusIsFinal(prefer: String, status: Int) async throws {
    let contract = try Self.contract("", "{type: object}")
    let record = try await Self.post(contract, "a=1", ["Prefer": prefer])
    #expect(record.head?.status == status)
  }

  @Test(arguments: ["/dev/zero", "pipe", "."])
  func aReferenceToNoRegularFileIsAnError(path: String) throws {
    let folder = TemporaryFolder()
    #expect(mkfifo(folder.url("pipe").path, 0o600) == 0)
    let file = folder.url("api.yaml")
    try Data(
      """
      openapi: 3.1.0
      info: {title: Pets, version: "1"}
      paths: {/a: {$ref: "\(path)#/a"}}
      """.utf8
    ).write(to: file)
    #expect(throws: ContractError.self) { try Contract(contentsOf: file) }
  }
}
