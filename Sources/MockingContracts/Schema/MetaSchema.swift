import Foundation
import Networking

/// The meta-schemas of JSON Schema 2020-12, which validate schemas.
///
/// Source: JSON Schema Core 2020-12, appendix; JSON Schema Validation 2020-12.
enum MetaSchema {
  private static let prefix = "https://json-schema.org/draft/2020-12/"

  /// Returns the meta-schema with a URI, or `nil` for any other URI.
  static func schema(for uri: String) -> JSON? {
    guard uri.hasPrefix(prefix) else { return nil }
    let name = String(uri.dropFirst(prefix.count))
    if name == "schema" { return root }
    guard name.hasPrefix("meta/"), let keywords = vocabularies[String(name.dropFirst(5))] else {
      return nil
    }
    var schema: [String: JSON] = [
      "$schema": .string(prefix + "schema"), "$id": .string(uri), "$dynamicAnchor": "meta",
      "type": ["object", "boolean"],
    ]
    guard let text = try? JSON(parsing: Data(keywords.utf8)), case .dictionary(let members) = text
    else { return nil }
    schema.merge(members) { first, _ in first }
    return .dictionary(schema)
  }

  private static let root: JSON = [
    "$schema": .string(prefix + "schema"), "$id": .string(prefix + "schema"),
    "$dynamicAnchor": "meta", "type": ["object", "boolean"],
    "$vocabulary": .dictionary(
      Dictionary(uniqueKeysWithValues: parts.map { (prefix + "vocab/" + $0, true) })),
    "allOf": .array(parts.map { ["$ref": .string("meta/" + $0)] }),
    "properties": [
      "definitions": [
        "additionalProperties": ["$dynamicRef": "#meta"], "deprecated": true, "default": [:],
      ],
      "dependencies": ["additionalProperties": ["anyOf": [["$dynamicRef": "#meta"], strings]]],
      "$recursiveAnchor": ["$ref": "meta/core#/$defs/anchorString"],
      "$recursiveRef": ["$ref": "meta/core#/$defs/uriReferenceString"],
    ],
  ]

  private static let strings: JSON = ["$ref": "meta/validation#/$defs/stringArray"]

  private static let parts = [
    "core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content",
  ]

  /// The keywords of the vocabularies.
  private static let vocabularies: [String: String] = [
    "core": """
    {"properties": {
      "$id": {"$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$"},
      "$schema": {"$ref": "#/$defs/uriString"}, "$ref": {"$ref": "#/$defs/uriReferenceString"},
      "$anchor": {"$ref": "#/$defs/anchorString"}, "$dynamicRef": {"$ref": "#/$defs/uriReferenceString"},
      "$dynamicAnchor": {"$ref": "#/$defs/anchorString"},
      "$vocabulary": {"type": "object", "propertyNames": {"$ref": "#/$defs/uriString"},
        "additionalProperties": {"type": "boolean"}},
      "$comment": {"type": "string"},
      "$defs": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}}},
     "$defs": {"anchorString": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"},
      "uriString": {"type": "string", "format": "uri"},
      "uriReferenceString": {"type": "string", "format": "uri-reference"}}}
    """,
    "applicator": """
    {"properties": {
      "prefixItems": {"$ref": "#/$defs/schemaArray"}, "items": {"$dynamicRef": "#meta"},
      "contains": {"$dynamicRef": "#meta"}, "additionalProperties": {"$dynamicRef": "#meta"},
      "properties": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}, "default": {}},
      "patternProperties": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"},
        "propertyNames": {"format": "regex"}, "default": {}},
      "dependentSchemas": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}, "default": {}},
      "propertyNames": {"$dynamicRef": "#meta"}, "if": {"$dynamicRef": "#meta"},
      "then": {"$dynamicRef": "#meta"}, "else": {"$dynamicRef": "#meta"},
      "allOf": {"$ref": "#/$defs/schemaArray"}, "anyOf": {"$ref": "#/$defs/schemaArray"},
      "oneOf": {"$ref": "#/$defs/schemaArray"}, "not": {"$dynamicRef": "#meta"}},
     "$defs": {"schemaArray": {"type": "array", "minItems": 1, "items": {"$dynamicRef": "#meta"}}}}
    """,
    "unevaluated": """
    {"properties": {"unevaluatedItems": {"$dynamicRef": "#meta"}, "unevaluatedProperties": {"$dynamicRef": "#meta"}}}
    """,
    "validation": """
    {"properties": {
      "type": {"anyOf": [{"$ref": "#/$defs/simpleTypes"}, {"type": "array",
        "items": {"$ref": "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}]},
      "const": true, "enum": {"type": "array", "items": true},
      "multipleOf": {"type": "number", "exclusiveMinimum": 0}, "maximum": {"type": "number"},
      "exclusiveMaximum": {"type": "number"}, "minimum": {"type": "number"},
      "exclusiveMinimum": {"type": "number"}, "maxLength": {"$ref": "#/$defs/nonNegativeInteger"},
      "minLength": {"$ref": "#/$defs/nonNegativeIntegerDefault0"}, "pattern": {"type": "string", "format": "regex"},
      "maxItems": {"$ref": "#/$defs/nonNegativeInteger"}, "minItems": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
      "uniqueItems": {"type": "boolean", "default": false}, "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
      "minContains": {"$ref": "#/$defs/nonNegativeInteger", "default": 1},
      "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
      "minProperties": {"$ref": "#/$defs/nonNegativeIntegerDefault0"}, "required": {"$ref": "#/$defs/stringArray"},
      "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/stringArray"}}},
     "$defs": {"nonNegativeInteger": {"type": "integer", "minimum": 0},
      "nonNegativeIntegerDefault0": {"$ref": "#/$defs/nonNegativeInteger", "default": 0},
      "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
      "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "default": []}}}
    """,
    "meta-data": """
    {"properties": {"title": {"type": "string"}, "description": {"type": "string"}, "default": true,
      "deprecated": {"type": "boolean", "default": false}, "readOnly": {"type": "boolean", "default": false},
      "writeOnly": {"type": "boolean", "default": false}, "examples": {"type": "array", "items": true}}}
    """,
    "format-annotation": #"{"properties": {"format": {"type": "string"}}}"#,
    "format-assertion": #"{"properties": {"format": {"type": "string"}}}"#,
    "content": """
    {"properties": {"contentEncoding": {"type": "string"}, "contentMediaType": {"type": "string"},
      "contentSchema": {"$dynamicRef": "#meta"}}}
    """,
  ]
}
