import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

/// Each keyword of JSON Schema 2020-12 accepts one value and refuses another.
@Suite(.gated)
struct SchemaKeywordTests {
  private static let keywords: [(schema: JSON, valid: [JSON], invalid: [JSON])] = [
    (["type": ["integer", "null"]], [1, 1.0, nil], [1.5, "1", true]),
    (["const": ["a": 1]], [["a": 1.0]], [["a": 2], [:]]),
    (["enum": [1, "a", nil]], [1, "a", nil], [2, "b", false]),
    (["multipleOf": 0.01], [4.35, 0], [4.355]),
    (["exclusiveMinimum": 1, "exclusiveMaximum": 3], [2], [1, 3]),
    (["minLength": 2, "maxLength": 3], ["ab", "😀😀😀"], ["a", "abcd"]),
    (["minItems": 1, "maxItems": 2], [[1], [1, 2]], [[], [1, 2, 3]]),
    (["uniqueItems": true], [[1, "1", true], [[1], [2]]], [[1, 1.0], [["a": 1], ["a": 1]]]),
    (["prefixItems": [["type": "string"]], "items": false], [["a"], []], [["a", 1], [1]]),
    (["contains": ["type": "integer"]], [["a", 1], 5], [["a"], []]),
    (
      ["contains": ["type": "integer"], "minContains": 2, "maxContains": 3],
      [[1, 2], [1, "a", 2, 3]], [[1], [1, 2, 3, 4]]
    ),
    (["minProperties": 1, "maxProperties": 1], [["a": 1]], [[:], ["a": 1, "b": 2]]),
    (["propertyNames": ["maxLength": 1]], [["a": 1]], [["ab": 1]]),
    (["patternProperties": ["^x": ["type": "integer"]]], [["xa": 1, "a": "b"]], [["xa": "b"]]),
    // A hyphen after several characters begins no range (ECMA-262, section B.1.2).
    (["pattern": #"^[\w-.]+$"#], ["a-b.c"], ["a,b", "a/b"]),
    (["pattern": #"^[\d-}]+$"#], ["1-}"], ["a", "."]),
    (["pattern": #"^[+-\s]+$"#], ["+- "], [",", "."]),
    (["pattern": #"^[\p{Lu}-z]+$"#], ["A-z"], ["y", "["]),
    // A member may match a pattern that cannot be searched.
    (
      [
        "properties": ["a": ["type": "integer"]], "patternProperties": ["(?=x)": true],
        "additionalProperties": false,
      ], [["a": 1, "x": 2]], [["a": "b"]]
    ),
    (
      ["patternProperties": ["(?=x)": true], "unevaluatedProperties": false], [["x": 2]], []
    ),
    (["properties": ["a": true], "additionalProperties": false], [["a": 1]], [["b": 1]]),
    (["dependentRequired": ["a": ["b"]]], [["a": 1, "b": 2], ["c": 1]], [["a": 1]]),
    (["dependentSchemas": ["a": ["required": ["b"]]]], [["a": 1, "b": 2]], [["a": 1]]),
    (
      ["if": ["const": 1], "then": false, "else": ["type": "string"]], ["a"], [1, 2]
    ),
    (["not": ["type": "integer"]], ["a"], [1]),
    (["oneOf": [["minimum": 2], ["maximum": 3]]], [1, 4], [2, 3]),
    (["allOf": [["minimum": 2], ["maximum": 3]]], [2, 3], [1, 4]),
    (
      ["prefixItems": [true], "unevaluatedItems": false], [[1]], [[1, 2]]
    ),
    (
      ["anyOf": [["prefixItems": [["const": 1], true]], true], "unevaluatedItems": false],
      [[1, 2], []], [[2, 2], [1, 2, 3]]
    ),
    (
      ["allOf": [["properties": ["a": true]]], "unevaluatedProperties": false], [["a": 1]],
      [["b": 1]]
    ),
    (
      ["$ref": "https://json-schema.org/draft/2020-12/schema"],
      [["type": "string"], true, ["$defs": ["a": ["minLength": 1]]]],
      [["type": 5], 1, ["$defs": ["a": ["minLength": -1]]]]
    ),
  ]

  @Test(arguments: keywords)
  func aKeywordAcceptsAndRefuses(schema: JSON, valid: [JSON], invalid: [JSON]) {
    for value in valid { #expect(SchemaFixture.violations(value, schema).isEmpty, "\(value)") }
    for value in invalid { #expect(!SchemaFixture.violations(value, schema).isEmpty, "\(value)") }
  }

  private static let formats: [(format: String, valid: [String], invalid: [String])] = [
    (
      "hostname", ["a.example", "A-1", "xn--mnchen-3ya.de", String(repeating: "a", count: 63)],
      ["", "-a", "a-", "a_b", "a..b", "xn--a", "ab--c", String(repeating: "a", count: 64), "é.de"]
    ),
    ("idn-hostname", ["münchen.de", "نامه\u{200C}ای", "l·l"], ["a\u{200C}b", "·l", "\u{301}a"]),
    (
      "uri", ["http://a/b?c#d", "mailto:a@b", "http://u@[::1]:80/", "a+b-1.c:d", "http://a/%4a"],
      [
        "a/b", "1a:b", "é:b", "http://a/%4", "http://a/%4g", "http://a/%g4", "http://[1]/",
        "a:b#c#d",
      ]
    ),
    ("uri-reference", ["a/b", "", "//a", "?b"], ["a b", "http://a:x/", "a[b]"]),
    ("iri", ["http://é/ü"], ["é/b"]),
    ("email", ["a@b.example", "\"a b\"@c.d"], ["a", "@b", "a@b@c", "a..b@c"]),
    ("ipv4", ["0.0.0.0", "255.255.255.255"], ["1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256"]),
    (
      "ipv6", ["::", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"], ["1", ":::", "1:2:3:4:5:6:7:8:9", "::g"]
    ),
    ("uuid", ["2eb8aa08-AA98-11ea-b4aa-73b441d16380"], ["2eb8aa08aa9811eab4aa73b441d16380"]),
    ("time", ["23:59:60Z", "00:00:00.5+01:00"], ["24:00:00Z", "00:00:00", "1:00:00Z"]),
    ("date", ["2024-02-29"], ["2023-02-29", "2024-1-1"]),
    ("duration", ["P1Y2M3DT4H5M6S", "P2W"], ["P", "PT", "1D", "P1D2H"]),
    ("json-pointer", ["", "/a~1b/0"], ["a", "/~2"]),
    ("relative-json-pointer", ["0", "1/a", "0#"], ["/a", "-1", "01"]),
    ("uri-template", ["/a{?b,c*}"], ["/a{", "/a}"]),
    ("regex", ["^a+$", "a{2000}", "(?<=a)b"], ["("]),
  ]

  @Test(arguments: formats)
  func aFormatAcceptsAndRefuses(format: String, valid: [String], invalid: [String]) {
    let schema: JSON = ["format": .string(format)]
    for text in valid {
      #expect(SchemaFixture.violations(.string(text), schema).isEmpty, "\(text)")
    }
    for text in invalid {
      #expect(!SchemaFixture.violations(.string(text), schema).isEmpty, "\(text)")
    }
  }

  @Test func theWorkForOneValueIsBounded() {
    // Each level applies the next one twice: more than 2^13 steps.
    var definitions: [String: JSON] = ["14": ["type": "integer"]]
    for level in 1...13 {
      let next: JSON = ["$ref": .string("#/$defs/\(level + 1)")]
      definitions["\(level)"] = ["allOf": [next, next]]
    }
    let schema: JSON = ["$ref": "#/$defs/1", "$defs": .dictionary(definitions)]
    #expect(SchemaFixture.violations(1, schema).isEmpty)
    let violations = SchemaFixture.violations(1, schema, maximumStepCount: 4_096)
    #expect(violations.map(\.message) == ["the value is too complex for the schema"])
  }

  /// A schema that is not applied to its end neither matches nor fails.
  @Test(arguments: [
    #"{"not": {"items": {"type": "integer"}}}"#,
    #"{"if": {"items": {"type": "integer"}}, "then": false}"#,
    #"{"anyOf": [{"items": {"type": "integer"}}, true]}"#,
    #"{"oneOf": [{"items": {"type": "integer"}}, true]}"#,
    #"{"contains": {"type": "string"}, "minContains": 0, "maxContains": 1}"#,
    #"{"uniqueItems": true}"#, #"{"not": {"uniqueItems": true}}"#,
    #"{"not": {"items": {"enum": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}}}"#,
  ])
  func aCheckThatIsNotCompletedIsAViolation(schema: String) throws {
    let schema = try JSON(parsing: Data(schema.utf8))
    let value = JSON.array((0..<1_000).map { .int($0) })
    let violations = SchemaFixture.violations(value, schema, maximumStepCount: 250)
    #expect(violations.map(\.message) == ["the value is too complex for the schema"])
  }

  @Test func theEscapesOfAReferenceAreUnchanged() {
    let uri = SchemaDocuments.resolve("b [1]%20.yaml#/a%2Fb|", against: "file:///d/a%20.yaml")
    #expect(uri == "file:///d/b%20%5B1%5D%20.yaml#/a%2Fb%7C")
    #expect(SchemaDocuments.resolve("#/a|", against: "urn:x#y") == "urn:x#/a|")
  }
}
