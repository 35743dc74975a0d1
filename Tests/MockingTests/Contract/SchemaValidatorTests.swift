import Foundation
import Networking
import Testing

@testable import Mocking

struct SchemaValidatorTests {
  private static func violations(
    _ value: JSON, _ schema: JSON, dialect: SchemaDialect = .draft202012, formats: Bool = true,
    direction: SchemaValidator.Direction? = nil
  ) -> [SchemaViolation] {
    var documents = SchemaDocuments { _ in nil }
    documents.add("test:schema", schema, dialect: dialect)
    var compiler = SchemaCompiler(documents)
    let index = compiler.compile(SchemaPlace(document: "test:schema", path: []))
    return SchemaValidator.violations(
      of: value, index, in: compiler.program, assertsFormats: formats, direction: direction)
  }

  // MARK: Errors

  @Test func aViolationHasItsPathsAndItsReason() throws {
    let schema: JSON = [
      "properties": ["a/b": ["items": ["type": "integer", "maximum": 5]]], "required": ["c"],
    ]
    let violations = Self.violations(["a/b": [1, 9, "x"]], schema)
    #expect(
      violations.map(\.description) == [
        "/a~1b/1: expected a number at most 5", "/a~1b/2: expected an integer, found a string",
        "the value: the member c is missing",
      ])
    #expect(violations[0].schema.pointer == "/properties/a~1b/items")
    #expect(violations[0].keyword == "maximum")
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
    let violations = Self.violations(["kind": "dog", "tail": "long"], schema)
    #expect(violations.map(\.keyword) == ["anyOf", "type"])
    #expect(violations[0].message.contains("the nearest is 2"))
    #expect(violations[1].pointer == "/tail")
  }

  @Test func aDiscriminatorSelectsTheAlternative() {
    let schema: JSON = [
      "oneOf": [["$ref": "#/$defs/Cat"], ["$ref": "#/$defs/Dog"]],
      "discriminator": ["propertyName": "kind", "mapping": ["d": "#/$defs/Dog"]],
      "$defs": [
        "Cat": ["required": ["lives"]], "Dog": ["required": ["tail"]],
      ],
    ]
    #expect(Self.violations(["kind": "Cat", "lives": 9], schema).isEmpty)
    #expect(Self.violations(["kind": "d"], schema).map(\.message) == ["the member tail is missing"])
    #expect(Self.violations(["kind": "cow"], schema).map(\.pointer) == ["/kind"])
    #expect(Self.violations([:], schema).map(\.keyword) == ["discriminator"])
  }

  @Test func theNumberOfViolationsIsBounded() {
    let value = JSON.array(Array(repeating: "x", count: 100_000))
    #expect(Self.violations(value, ["items": ["type": "integer"]]).count == 100)
  }

  // MARK: Dialects

  @Test func openAPI30HasItsOwnKeywords() {
    let schema: JSON = [
      "type": "integer", "nullable": true, "minimum": 1, "exclusiveMinimum": true, "const": 5,
    ]
    func isValid(_ value: JSON) -> Bool {
      Self.violations(value, schema, dialect: .openAPI30).isEmpty
    }
    #expect(isValid(.null) && isValid(2))
    #expect(!isValid(1) && !isValid("x"))
    let siblings: JSON = [
      "$ref": "#/definitions/A", "maximum": 1, "definitions": ["A": ["type": "integer"]],
    ]
    #expect(Self.violations(5, siblings, dialect: .openAPI30).isEmpty)
    #expect(!Self.violations(5, siblings).isEmpty)
  }

  @Test func readOnlyMembersAreNotRequiredInRequests() {
    let schema: JSON = [
      "required": ["id", "secret"],
      "properties": ["id": ["readOnly": true], "secret": ["writeOnly": true]],
    ]
    #expect(Self.violations(["secret": 1], schema, direction: .request).isEmpty)
    #expect(Self.violations(["id": 1], schema, direction: .response).isEmpty)
    #expect(Self.violations([:], schema).count == 2)
  }

  @Test(
    arguments: [
      ("date-time", "2026-02-30T10:00:00Z"), ("email", "a@"), ("uuid", "1"), ("ipv4", "1.2.3.256"),
      ("uri", "a b"),
      ("int32", nil), ("byte", "*"),
    ] as [(String, String?)])
  func formatsAreAssertionsByChoice(format: String, text: String?) {
    let value = text.map { JSON.string($0) } ?? 3_000_000_000
    #expect(Self.violations(value, ["format": .string(format)]).map(\.keyword) == ["format"])
    #expect(Self.violations(value, ["format": .string(format)], formats: false).isEmpty)
  }

  // MARK: Bounds

  @Test func aPatternThatWouldBacktrackForEverIsLinear() {
    let text = String(repeating: "a", count: 20_000) + "!"
    #expect(Self.violations(.string(text), ["pattern": "^(a+)+$"]).map(\.keyword) == ["pattern"])
  }

  @Test func aSchemaThatAppliesItselfEnds() {
    let schema: JSON = ["$ref": "#"]
    #expect(Self.violations(1, schema).first?.message.contains("without end") == true)
  }

  @Test(arguments: [
    (#"^\d+$"#, "٣", false), (#"^\w$"#, "é", false), (#"^\S$"#, "\u{FEFF}", false),
    ("^[^]$", "\n", true),
    ("^.$", "\u{2028}", false), (#"^\cJ$"#, "\n", true), (#"^\ud83d\ude00$"#, "😀", true),
    (#"^[\d&&x]+$"#, "1&x", true), (#"^\p{Letter}+$"#, "añ", true), ("[a-z]", "xB", true),
  ])
  func patternsFollowECMAScript(pattern: String, text: String, isFound: Bool) {
    #expect(Self.violations(.string(text), ["pattern": .string(pattern)]).isEmpty == isFound)
  }
}
