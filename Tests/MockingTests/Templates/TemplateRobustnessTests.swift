import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingTemplates

/// Any text is either a template or an error inside the text.
@Suite(.gated)
struct TemplateRobustnessTests {
  private static let pieces = [
    "{{", "}}", "{{{", "\\", "\"", "'", "#if ", "/if", "#each ", "/each", "else", "else if ", "!",
    "!--", "--}}", "body", "query", ".a", "[0]", "[\"x\"]", "(", ")", ",", ":", "|", "default(1)",
    "upper", "now", "now(offset: \"1 h\")", "uuid", "counter", "range(1, 3)", "pick(1, 2)", "==",
    "<=", "!=", " and ", " or ", " not ", " in ", "this", "@index", "1", "-2", "3.5",
    "99999999999999999999", "true", "null", " ", "\n", "ü", "😀", "\u{0}", "request.", "x",
  ]

  @Test(arguments: 0..<8 as Range<UInt64>)
  func aRandomTextIsATemplateOrAnErrorInTheText(seed: UInt64) throws {
    let fixture = try TemplateFixture("/?a=1", body: #"{"a": [1, {"x": "y"}]}"#)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1..<16, using: &generator) {
        text += Self.pieces.randomElement(using: &generator) ?? ""
      }
      do throws(TemplateSyntaxError) {
        _ = try TemplateText(text)
      } catch {
        #expect((0...text.utf8.count).contains(error.offset), "\(text.debugDescription): \(error)")
        continue
      }
      _ = try? fixture.text(text)
      _ = try? fixture.json(["a": .string(text)])
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func randomBytesAreATemplateOrAnErrorInTheText(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let count = Int.random(in: 1..<40, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = "{{" + String(decoding: bytes, as: UTF8.self)
      let error = #expect(throws: TemplateSyntaxError.self) { try TemplateText(text) }
      #expect(error.map { (0...text.utf8.count).contains($0.offset) } ?? true)
    }
  }

  /// Each text and list is from the request, and is used without any loop or in one.
  @Test(arguments: [
    "{{ body.long | replace(\"x\", body.long) }}", "{{ body.list | join(body.long) | length }}",
    "{{#each body.list}}{{#if body.deep == body.deep}}{{/if}}{{/each}}",
    "{{#each body.list}}{{#if body.deep | unique}}{{/if}}{{/each}}",
  ])
  func theWorkForTheValuesOfARequestIsCounted(template: String) throws {
    let long = String(repeating: "x", count: 100_000)
    let list = Array(repeating: "1", count: 2_000).joined(separator: ",")
    let fixture = try TemplateFixture(
      body: """
        {"long": "\(long)", "other": "\(long)y", "deep": [["\(long)"]], "list": [\(list)]}
        """)
    #expect(throws: TemplateRenderError.tooMuchWork) { try fixture.text(template) }
  }

  @Test(arguments: [
    ("{{ body.a | replace(\"x\", \"yz\") | length }}", "20000"),
    ("{{#if body.a | contains(\"xxxxxxxxxxxxxxxxxxxxxxxx\")}}yes{{/if}}", "yes"),
    ("{{ body.a | split(body.b) | length }}", "5001"),
    // A search takes linear time, also for a part that almost occurs at each position.
    ("{{ body.a | contains(body.c) }}", "false"), ("{{ body.a | split(body.c) | length }}", "1"),
    ("{{ body.a | replace(body.c, \"\") | length }}", "10000"),
  ])
  func usualWorkIsAllowed(template: String, text: String) throws {
    let long = String(repeating: "x", count: 10_000)
    let fixture = try TemplateFixture(
      body: #"{"a": "\#(long)", "b": "xx", "c": "\#(long.dropLast(5_000))y"}"#)
    #expect(try fixture.text(template) == text)
  }

  /// The limits of depth end the recursion before the stack does.
  @Test func deepNestingIsAnError() {
    let deep = 100_000
    let texts = [
      "{{ " + String(repeating: "(", count: deep) + "1" + String(repeating: ")", count: deep)
        + " }}",
      "{{ " + String(repeating: "pick(", count: deep) + "1 }}",
      "{{ 1" + String(repeating: " | upper", count: deep) + " }}",
      "{{ 1" + String(repeating: " or 1", count: deep) + " }}",
      String(repeating: "{{#if 1}}", count: deep), String(repeating: "{{#each body}}", count: deep),
    ]
    for text in texts {
      #expect(throws: TemplateSyntaxError.self) { try TemplateText(text) }
    }
    #expect(throws: Never.self) {
      _ = try TemplateText("{{ " + String(repeating: "not ", count: deep) + "1 }}")
      _ = try TemplateText("{{ body" + String(repeating: ".a", count: deep) + " }}")
    }
  }

  private static let mistakes: [(text: String, message: String, offset: Int)] = [
    ("{{ method", "expected \"}}\", found the end of the text", 9),
    ("a {{ }}", "expected a value, found \"}}\"", 5),
    ("{{ bdoy.a }}", "unknown name \"bdoy\"", 3),
    ("{{ response.status }}", "unknown name \"response\"", 3),
    ("{{ @index }}", "unknown name \"@index\"", 3),
    ("{{ body | uper }}", "unknown filter \"uper\"", 10),
    ("{{ body | default }}", "expected default(\"none\")", 10),
    ("{{ randomInt(1) }}", "expected randomInt(1, 6)", 3),
    ("{{ counter(nam: \"a\") }}", "unknown argument \"nam\"", 11),
    ("{{ counter(\"a\", name: \"b\") }}", "the argument \"name\" occurs twice", 16),
    (
      "{{ now(offset: \"2 hrs\") }}",
      "expected an offset such as \"2 h\", \"-30 min\" or \"+3 days\", found \"2 hrs\"", 3
    ),
    (
      "{{ now(format: \"yyyy\") }}",
      "expected a format: iso, isoms, date, time, http, unix, unixms, or a text such as "
        + "\"%Y-%m-%d %H:%M:%S\", found \"yyyy\"", 3
    ),
    (
      "{{ now offset='3 days' }}",
      "expected \"}}\", found \"offset\"; arguments are written as in counter(\"orders\")", 7
    ),
    ("{{#fi body}}", "unknown block \"fi\"", 3), ("{{/if}}", "there is no block to close", 0),
    ("{{#if body}}", "the block {{#if}} has no {{/if}}", 0),
    ("{{#if body}}{{/each}}", "expected {{/if}}", 12),
    ("{{else}}", "{{else}} is outside of a block", 0),
    ("{{#if 1}}{{else}}{{else}}{{/if}}", "this block has another {{else}}", 17),
    ("{{#each body in body}}", "the name \"body\" is already in use; choose another one", 8),
    ("{{ \"a }}", "the string has no closing quotation mark", 3),
    ("{{ body. }}", "expected the name of a member after \".\"", 8),
    ("{{ body = 1 }}", "expected \"==\"", 8),
    ("{{ body ! 1 }}", "expected \"!=\" or the word \"not\"", 8),
    ("{{! a", "the comment has no closing braces", 0),
    ("{{ a }}", "unknown name \"a\"", 3), ("{{ body ~ }}", "unexpected character \"~\"", 8),
  ]

  @Test(arguments: mistakes)
  func anErrorHasItsPosition(text: String, message: String, offset: Int) {
    let error = #expect(throws: TemplateSyntaxError.self) { try TemplateText(text) }
    #expect(error?.text == message)
    #expect(error?.offset == offset)
  }
}
