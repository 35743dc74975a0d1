import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

@Suite(.gated)
struct SchemaValidatorTests {
  // MARK: Errors

  @Test func aViolationHasItsPathsAndItsReason() throws {
    let schema: JSON = [
      "properties": ["a/b": ["items": ["type": "integer", "maximum": 5]]], "required": ["c"],
    ]
    let violations = SchemaFixture.violations(["a/b": [1, 9, "x"]], schema)
    #expect(
      violations.map(\.description) == [
        "/a~1b/1: expected a number at most 5", "/a~1b/2: expected an integer, found a string",
        "the value: the member c is missing",
      ])
    #expect(violations[0].schema.pointer == "/properties/a~1b/items")
    #expect(violations[0].keyword == "maximum")
  }

  @Test(arguments: [
    (
      "^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,}$", ["Password1"],
      ["password1", "Pass1", "PASSWORD1"]
    ),
    ("^(?!.*admin)[a-z]+$", ["user"], ["admin", "user1"]),
    ("^(?=(a|[)b]))..$", ["ab", ")a"], ["cb", "a"]), ("^(?!a)", ["b", ""], ["a"]),
    ("^(?=a)", ["ab"], ["ba"]), (#"^(?=\(a\))\S+$"#, ["(a)b"], ["a b", "(a) b"]),
  ])
  func lookAheadAtTheStartOfAPatternIsChecked(
    pattern: String, matching: [String], others: [String]
  ) {
    #expect(SchemaPattern(pattern).problem == nil)
    let schema: JSON = ["pattern": .string(pattern)]
    for text in matching { #expect(SchemaFixture.violations(.string(text), schema).isEmpty) }
    for text in others { #expect(!SchemaFixture.violations(.string(text), schema).isEmpty) }
  }

  @Test(arguments: ["^(?=a)b|c", "a(?=b)", "^(?=a)*b", "^(?<=a)b", "^(?=a(?=b))", "^(?=a"])
  func otherLookAroundIsReported(pattern: String) {
    #expect(SchemaPattern(pattern).problem != nil)
  }

  @Test func theNearestAlternativeIsReported() {
    let schema: JSON = [
      "anyOf": [
        ["type": "string"],
        ["properties": ["kind": ["const": "cat"], "lives": ["type": "integer"]]],
        [
          "properties": ["kind": ["const": "dog"], "tail": ["type": "integer"]],
          "required": ["tail"],
        ],
      ]
    ]
    let violations = SchemaFixture.violations(["kind": "dog", "tail": "long"], schema)
    #expect(violations.map(\.keyword) == ["anyOf", "type"])
    #expect(violations[0].message.contains("the nearest is anyOf/2"))
    #expect(violations[1].pointer == "/tail")
  }

  private static func animals(_ keyword: String) -> JSON {
    var schema: JSON = [
      "discriminator": ["propertyName": "kind", "mapping": ["d": "#/$defs/Dog"]],
      "$defs": ["Cat": ["required": ["lives"]], "Dog": ["required": ["tail"]]],
    ]
    schema[keyword] = [["$ref": "#/$defs/Cat"], ["$ref": "#/$defs/Dog"]]
    return schema
  }

  @Test(arguments: ["oneOf", "anyOf"])
  func theViolationsAreThoseOfTheAlternativeThatTheDiscriminatorSelects(keyword: String) {
    let schema = Self.animals(keyword)
    #expect(
      SchemaFixture.violations(["kind": "d"], schema).map(\.message) == [
        "the member tail is missing"
      ])
    #expect(SchemaFixture.violations(["kind": "cow"], schema).map(\.pointer) == ["/kind"])
    #expect(SchemaFixture.violations([:], schema).map(\.keyword) == ["discriminator"])
    #expect(SchemaFixture.violations(["kind": 1], schema).map(\.keyword) == ["discriminator"])
  }

  /// Source: OpenAPI 3.0.4, Discriminator Object.
  @Test(arguments: ["oneOf", "anyOf"])
  func aValueThatSelectsNoAlternativeIsCheckedLikeWithoutADiscriminator(keyword: String) {
    let schema = Self.animals(keyword)
    let valid: [JSON] = [
      ["kind": "Cat", "lives": 9], ["lives": 9], ["kind": "cow", "tail": 1],
    ]
    for value in valid {
      #expect(SchemaFixture.violations(value, schema).isEmpty, "\(value)")
    }
    // The alternatives restrict objects only, so that both match the number.
    #expect(SchemaFixture.violations(7, schema).isEmpty == (keyword == "anyOf"))
    #expect(
      SchemaFixture.violations(["lives": 9, "tail": 1], schema).isEmpty == (keyword == "anyOf"))
    // Of several matches, the discriminator selects one.
    #expect(SchemaFixture.violations(["kind": "d", "lives": 9, "tail": 1], schema).isEmpty)
  }

  /// Each level of the tree would otherwise be checked by all alternatives.
  @Test func aTreeWithADiscriminatorIsCheckedInLinearTime() {
    let kinds = ["Row", "Column", "Stack", "Grid", "List", "Card"]
    let node: JSON = [
      "oneOf": .array(kinds.map { ["$ref": .string("#/$defs/\($0)")] }),
      "discriminator": ["propertyName": "kind"],
    ]
    var definitions: [String: JSON] = ["Node": node]
    for kind in kinds {
      definitions[kind] = [
        "properties": [
          "kind": ["const": .string(kind)], "children": ["items": ["$ref": "#/$defs/Node"]],
        ]
      ]
    }
    var tree: JSON = ["kind": "Card"]
    for level in 0..<60 { tree = ["kind": .string(kinds[level % 6]), "children": [tree]] }
    let schema: JSON = ["$ref": "#/$defs/Node", "$defs": .dictionary(definitions)]
    #expect(SchemaFixture.violations(tree, schema, maximumStepCount: 1_000).isEmpty)
  }

  /// The annotation of one alternative says nothing about the others.
  @Test func aReadOnlyMemberOfOneAlternativeIsRequiredInAnother() throws {
    let schema: JSON = [
      "oneOf": [
        ["required": ["name"], "properties": ["id": ["readOnly": true]]],
        ["required": ["id"], "properties": ["id": ["type": "integer"]]],
      ]
    ]
    #expect(SchemaFixture.violations(["name": "x"], schema, direction: .request).isEmpty)
    #expect(!SchemaFixture.violations([:], schema, direction: .request).isEmpty)
    let animal: JSON = [
      "oneOf": [["$ref": "#/$defs/Cat"]], "discriminator": ["propertyName": "kind"],
      "$defs": ["Cat": ["required": ["id", "name"], "properties": ["id": ["readOnly": true]]]],
    ]
    #expect(
      SchemaFixture.violations(["kind": "Cat", "name": "x"], animal, direction: .request).isEmpty)
  }

  @Test func aDiscriminatorOfOneOfDoesNotHideAnyOf() {
    var schema = Self.animals("oneOf")
    schema["anyOf"] = [["required": ["name"]]]
    #expect(
      SchemaFixture.violations(["kind": "d", "tail": 1], schema).map(\.keyword) == [
        "anyOf", "required",
      ])
    #expect(SchemaFixture.violations(["kind": "d", "tail": 1, "name": "Rex"], schema).isEmpty)
  }

  @Test func theNumberOfViolationsIsBounded() {
    let value = JSON.array(Array(repeating: "x", count: 100_000))
    #expect(SchemaFixture.violations(value, ["items": ["type": "integer"]]).count == 100)
  }

  // MARK: Dialects

  @Test func openAPI30HasItsOwnKeywords() {
    let schema: JSON = [
      "type": "integer", "nullable": true, "minimum": 1, "exclusiveMinimum": true, "const": 5,
    ]
    func isValid(_ value: JSON) -> Bool {
      SchemaFixture.violations(value, schema, dialect: .openAPI30).isEmpty
    }
    #expect(isValid(.null) && isValid(2))
    #expect(!isValid(1) && !isValid("x"))
    let siblings: JSON = [
      "$ref": "#/definitions/A", "maximum": 1, "definitions": ["A": ["type": "integer"]],
    ]
    #expect(SchemaFixture.violations(5, siblings, dialect: .openAPI30).isEmpty)
    #expect(!SchemaFixture.violations(5, siblings).isEmpty)
  }

  /// Most programs that write documents mean it so.
  @Test(arguments: [
    "{$ref: '#/components/schemas/L', nullable: true}",
    "{nullable: true, allOf: [{$ref: '#/components/schemas/L'}]}",
    "{nullable: true, anyOf: [{$ref: '#/components/schemas/L'}, {type: object, maxProperties: 0}]}",
    "{nullable: true, oneOf: [{$ref: '#/components/schemas/L'}]}",
    "{type: object, nullable: true, allOf: [{$ref: '#/components/schemas/L'}]}",
    "{allOf: [{$ref: '#/components/schemas/M'}]}", "{$ref: '#/components/schemas/M'}",
  ])
  func nullableBesideOtherSchemasAllowsNull(schema: String) throws {
    func contract(_ version: String) throws -> (Contract, schema: Int) {
      let contract = try Contract(
        text: """
          openapi: \(version)
          info: {title: A, version: "1"}
          paths:
            /a:
              get:
                responses:
                  "200": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}
          components:
            schemas:
              A: {type: object, required: [l], properties: {l: \(schema)}}
              L: {type: object, required: [id, l], properties: {id: {type: integer}, l: \(schema)}}
              M: {$ref: "#/components/schemas/L", nullable: true}
          """)
      let media = contract.content.operations.first?.responses.first?.content.first
      return (contract, try #require(media?.schema))
    }
    let (new, index) = try contract("3.0.3")
    func isValid(_ value: JSON) -> Bool {
      new.content.violations(of: value, index, .response).isEmpty
    }
    #expect(isValid(["l": .null]) && isValid(["l": ["id": 1, "l": .null]]))
    #expect(!isValid(["l": 1]) && !isValid(["l": ["id": "x", "l": .null]]))
    #expect(SchemaSampler.sample(index, of: new.content, seed: 1).isValid)
    #expect(new.warnings.map { $0.message.contains("nullable") } == [true])
    if schema.hasPrefix("{$ref") { #expect(EndpointSource(new).text.contains("var l: L?\n")) }
    let (later, laterIndex) = try contract("3.1.0")
    #expect(!later.content.violations(of: ["l": .null], laterIndex, .response).isEmpty)
  }

  @Test func readOnlyMembersAreNotRequiredInRequests() {
    let schema: JSON = [
      "required": ["id", "secret"],
      "properties": ["id": ["readOnly": true], "secret": ["writeOnly": true]],
    ]
    #expect(SchemaFixture.violations(["secret": 1], schema, direction: .request).isEmpty)
    #expect(SchemaFixture.violations(["id": 1], schema, direction: .response).isEmpty)
    #expect(SchemaFixture.violations([:], schema).count == 2)
  }

  /// The annotation is in another schema than the list of required members.
  @Test(arguments: [
    ##"{"allOf": [{"required": ["id"]}, {"properties": {"id": {"$ref": "#/$defs/ID"}}}]}"##,
    ##"{"required": ["id"], "$ref": "#/$defs/A"}"##,
    ##"{"required": ["id"], "properties": {"id": {"$ref": "#/$defs/ID"}}}"##,
    ##"{"required": ["id"], "properties": {"id": {"allOf": [{"$ref": "#/$defs/ID"}]}}}"##,
    ##"{"allOf": [{"$ref": "#/$defs/A"}, {"allOf": [{"required": ["id"]}]}]}"##,
  ])
  func anAnnotationIsFoundBehindReferences(schema: String) throws {
    var schema = try JSON(parsing: Data(schema.utf8))
    schema["$defs"] = [
      "A": ["properties": ["id": ["$ref": "#/$defs/ID"]]],
      "ID": ["type": "integer", "readOnly": true],
    ]
    #expect(SchemaFixture.violations([:], schema, direction: .request).isEmpty)
    #expect(
      SchemaFixture.violations([:], schema, direction: .response).map(\.message) == [
        "the member id is missing"
      ])
    #expect(SchemaFixture.violations(["id": "x"], schema, direction: .request).count == 1)
  }

  @Test(
    arguments: [
      ("date-time", "2026-02-30T10:00:00Z"), ("email", "a@"), ("uuid", "1"), ("ipv4", "1.2.3.256"),
      ("uri", "a b"),
      ("int32", nil), ("byte", "*"),
    ] as [(String, String?)])
  func formatsAreAssertionsByChoice(format: String, text: String?) {
    let value = text.map { JSON.string($0) } ?? 3_000_000_000
    #expect(
      SchemaFixture.violations(value, ["format": .string(format)]).map(\.keyword) == ["format"])
    #expect(SchemaFixture.violations(value, ["format": .string(format)], formats: false).isEmpty)
  }

  // MARK: Bounds

  @Test func aPatternThatWouldBacktrackForEverIsLinear() {
    let text = String(repeating: "a", count: 20_000) + "!"
    #expect(
      SchemaFixture.violations(.string(text), ["pattern": "^(a+)+$"]).map(\.keyword) == ["pattern"])
  }

  private static let costly: JSON = ["pattern": "([ab]?){900}c$"]

  @Test(
    arguments: [
      costly, ["not": costly], ["anyOf": [costly, true]],
    ] as [JSON])
  func theWorkOfAPatternIsCounted(schema: JSON) {
    let text = JSON.string(String(repeating: "ab", count: 5_000))
    let violations = SchemaFixture.violations(text, schema, maximumStepCount: 2_000)
    #expect(
      violations.map(\.message) == [
        "the value is too complex for the pattern ([ab]?){900}c$"
      ])
    #expect(violations.first?.isIncomplete == true)
    // A usual pattern visits a few instructions for each character.
    #expect(
      SchemaFixture.violations(text, ["pattern": "^[a-z]+$"], maximumStepCount: 5_000).isEmpty)
  }

  @Test(
    arguments: [
      ["patternProperties": ["^x": false]], ["propertyNames": ["pattern": "^[a-z]"]],
    ] as [JSON])
  func eachSearchForAPatternIsAStep(schema: JSON) {
    let members = (0..<1_000).map { ("a\($0)", JSON.int($0)) }
    let value = JSON.dictionary(Dictionary(uniqueKeysWithValues: members))
    #expect(SchemaFixture.violations(value, schema, maximumStepCount: 5_000).isEmpty)
    let violations = SchemaFixture.violations(value, schema, maximumStepCount: 900)
    #expect(violations.map(\.isIncomplete) == [true])
  }

  @Test(arguments: [("regex", 100), ("email", 10_000)])
  func theWorkOfAFormatIsCounted(format: String, length: Int) {
    let value = JSON.array(
      Array(repeating: .string(String(repeating: "a", count: length)), count: 9))
    let violations = SchemaFixture.violations(
      value, ["items": ["format": .string(format)]], maximumStepCount: 5_000)
    #expect(violations.map(\.isIncomplete) == [true])
  }

  /// The translation of such a pattern is 100 times as long.
  @Test func aLongPatternIsNotTranslated() {
    let pattern = SchemaPattern(String(repeating: #"\S"#, count: 5_001))
    #expect(pattern.problem?.contains("longer than 10000 characters") == true)
    #expect(pattern.node == nil)
    #expect(SchemaPattern.isValid(pattern.text))
  }

  @Test func aSchemaThatAppliesItselfEnds() {
    let schema: JSON = ["$ref": "#"]
    #expect(SchemaFixture.violations(1, schema).first?.message.contains("without end") == true)
  }

  @Test(arguments: [
    (#"^\d+$"#, "٣", false), (#"^\w$"#, "é", false), (#"^\S$"#, "\u{FEFF}", false),
    ("^[^]$", "\n", true),
    ("^.$", "\u{2028}", false), (#"^\cJ$"#, "\n", true), (#"^\ud83d\ude00$"#, "😀", true),
    (#"^[\d&&x]+$"#, "1&x", true), (#"^\p{Letter}+$"#, "añ", true), ("[a-z]", "xB", true),
  ])
  func patternsFollowECMAScript(pattern: String, text: String, isFound: Bool) {
    #expect(
      SchemaFixture.violations(.string(text), ["pattern": .string(pattern)]).isEmpty == isFound)
  }
}
