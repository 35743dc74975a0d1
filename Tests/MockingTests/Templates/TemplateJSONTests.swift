import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingDocuments
@testable import MockingTemplates

@Suite(.gated)
struct TemplateJSONTests {
  private static let body = """
    {"n": 2.5, "i": 3, "t": true, "z": null, "s": "a\\"b\\n", "a": [1, {"x": "y"}], "flag": false,
     "items": [{"sku": "a", "n": 1}, {"sku": "b", "n": 0}, {"sku": "c", "n": 3}]}
    """

  private static let values: [(template: JSON, text: String)] = [
    (["a": 1, "b": ["c", nil]], #"{"a":1,"b":["c",null]}"#),
    (["v": "{{ body.n }}"], #"{"v":2.5}"#), (["v": "{{ body.i }}"], #"{"v":3}"#),
    (["v": "{{ body.t }}"], #"{"v":true}"#), (["v": "{{ body.z }}"], #"{"v":null}"#),
    (["v": "{{ body.none }}"], #"{"v":null}"#), (["v": "{{ body.s }}"], #"{"v":"a\"b\n"}"#),
    (["v": "{{ body.a }}"], #"{"v":[1,{"x":"y"}]}"#),
    (["v": " {{ body.i }}"], #"{"v":" 3"}"#), (["v": "<{{ body.s }}>"], #"{"v":"<a\"b\n>"}"#),
    (["v": "{{ body.i }}{{ body.i }}"], #"{"v":"33"}"#),
    (["{{ body.items[0].sku }}": 1, "b": "{{ body.i }}"], #"{"b":3,"a":1}"#),
    (["\\{{ a }}": "\\{{ b }}"], #"{"{{ a }}":"{{ b }}"}"#),
    ("{{ body.i }}", "3"), (["{{ body.i }}", 4], "[3,4]"),
    (
      [
        "v": [
          "$each": "item in body.items", "$item": ["sku": "{{ item.sku }}", "i": "{{ @index }}"],
        ]
      ],
      #"{"v":[{"i":0,"sku":"a"},{"i":1,"sku":"b"},{"i":2,"sku":"c"}]}"#
    ),
    (["$each": "{{ body.a }}", "$item": "{{ this }}"], #"[1,{"x":"y"}]"#),
    (["$each": "range(1, 3)", "$item": "{{ this | multiply(2) }}"], "[2,4,6]"),
    (["$each": "body.none", "$item": 1], "[]"),
    (
      ["$each": "i in body.items", "$item": ["$if": "i.n > 0", "$then": "{{ i.sku }}"]],
      #"["a","c"]"#
    ),
    (
      ["a": ["$if": "body.flag", "$then": 1], "b": ["$if": "body.t", "$then": 1], "c": 2],
      #"{"b":1,"c":2}"#
    ),
    (["a": ["$if": "body.flag", "$then": 1, "$else": "{{ body.i }}"]], #"{"a":3}"#),
    (["$if": "body.flag", "$then": 1], "null"),
    (
      [["$if": "body.t", "$then": ["$if": "body.flag", "$then": 1]], "x"], #"["x"]"#
    ),
    (["tags": ["$each": [1, 2]]], #"{"tags":{"$each":[1,2]}}"#),
  ]

  @Test(arguments: values)
  func aTemplateIsRendered(template: JSON, text: String) throws {
    #expect(try TemplateFixture(body: Self.body).json(template) == text)
  }

  @Test func onlyValuesWithTemplatesCountAsTemplates() {
    for value: JSON in ["a", 1, ["a": ["b", "{ {"]], ["$each": ["a"]], ["$if": "a"]] {
      #expect(!TemplateJSON.isTemplate(value), "\(value)")
    }
    for value: JSON in [
      "{{ a", ["a": ["{{ b }}"]], ["{{ a }}": 1], ["$each": "body", "$item": 1],
      ["$if": "body", "$then": 1], ["\\{{ a }}"],
    ] {
      #expect(TemplateJSON.isTemplate(value), "\(value)")
    }
  }

  @Test func anErrorHasThePathOfItsString() {
    let mistakes: [(JSON, JSONValuePath, Int)] = [
      (["a": ["b", "x{{ bdoy }}"]], ["a", .element(1)], 4),
      (["$each": "i in bdoy", "$item": 1], ["$each"], 5),
      (["$each": "{{ i in bdoy }}", "$item": 1], ["$each"], 8),
      (["$each": "i in body", "$item": ["a": "{{ j }}"]], ["$item", "a"], 3),
      (["$if": "body ==", "$then": 1], ["$if"], 7),
      (["{{ bdoy }}": 1], ["{{ bdoy }}"], 3),
      (["$if": "body", "$then": 1, "$esle": 1], ["$esle"], 0),
    ]
    for (template, path, offset) in mistakes {
      let error = #expect(throws: TemplateSyntaxError.self) { try TemplateJSON(template) }
      #expect(error?.path == path && error?.offset == offset, "\(template): \(error as Any)")
    }
  }
}
