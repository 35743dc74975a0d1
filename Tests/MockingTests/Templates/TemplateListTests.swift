import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingTemplates

/// Filters of lists and arithmetic in templates.
@Suite(.gated)
struct TemplateListTests {
  private static let body = #"""
    {"items": [
      {"id": 1, "name": "kite", "price": 10.1, "n": 2, "tag": {"color": "red"}},
      {"id": 2, "name": "ball", "price": 20.2, "n": 1, "tag": {"color": "blue"}},
      {"id": 3, "name": "kite", "price": 0.3, "n": 5, "tag": {"color": "red"}}
    ], "numbers": [3, 1, 2], "mixed": [1, "2", null, "x", {}], "total": 12, "name": "Ada"}
    """#

  @Test(arguments: [
    ("{{ body.items | sum(\"price\") }}", "30.6"), ("{{ body.items | sum(\"n\") }}", "8"),
    ("{{ body.numbers | sum }} {{ body.none | sum }}", "6 0"), ("{{ body.mixed | sum }}", "3"),
    ("{{ body.items | map(\"tag.color\") | join(\" \") }}", "red blue red"),
    ("{{ body.items | where(\"name\", \"kite\") | map(\"id\") }}", "[1,3]"),
    ("{{ body.items | where(\"price\", \">=\", 10) | map(\"id\") }}", "[1,2]"),
    ("{{ body.items | where(\"price\") | length }}{{ body.items | where(\"no\") | length }}", "30"),
    ("{{ body.items | find(\"id\", \"2\") | get(\"name\") }}", "ball"),
    ("{{ body.items | find(\"id\", 9) | default(\"none\") }}", "none"),
    ("{{ (body.items | find(\"id\", 3)).tag.color }} {{ (body.numbers | sort)[0] }}", "red 1"),
    ("{{ (body.items | find(\"id\", 9)).name | default(\"none\") }}", "none"),
    ("{{ body.numbers | min }} {{ body.items | max(\"price\") }}", "1 20.2"),
    ("{{ body.items | min(\"name\") }} {{ body.none | max | default(\"none\") }}", "ball none"),
    ("{{ body.items | sort(\"price\") | map(\"id\") }}", "[3,1,2]"),
    ("{{ body.items | sort(\"-price\") | map(\"id\") }}", "[2,1,3]"),
    ("{{ body.items | sort(\"name\") | map(\"id\") }}", "[2,1,3]"),
    (
      "{{ body.items | unique(\"name\") | map(\"id\") }} {{ body.numbers | unique }}",
      "[1,2] [3,1,2]"
    ),
    ("{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 - 2 - 1 }} {{ 7 / 2 }}", "7 9 4 3.5"),
    ("{{ 0.1 + 0.2 }} {{ 1.1 * 3 }} {{ 6 / 2 }}", "0.3 3.3 3"),
    ("{{ body.total -1 }} {{ body.total - 1 }} {{ body.total + -1 }}", "11 11 11"),
    ("{{ \"4\" * \"2\" }} {{ (1 / 0) | default(\"none\") }}", "8 none"),
    ("{{ \"/users/\" + body.name }} {{ body.name + 1 }}", "/users/Ada Ada1"),
    ("{{ body.none + 1 | default(\"none\") }}{{ (body.none + 1) | default(\"none\") }}", "none"),
    ("{{ body.total * 2 > 23 and body.total + 1 == 13 }}", "true"),
    ("{{ body.total | add(1) * 2 }}", "26"),
  ])
  func aTextIsRendered(template: String, text: String) throws {
    #expect(try TemplateFixture(body: Self.body).text(template) == text)
  }

  @Test(arguments: [
    ("{{ body | map }}", "expected map(\"price\")", 10),
    (
      "{{ body | where(\"a\", \"~\", 1) }}",
      "expected where(\"id\", 3) or where(\"price\", \">=\", 10), with one of ==, !=, <, <=, >, >=",
      10
    ),
    ("{{ body | summ }}", "unknown filter \"summ\"", 10),
    ("{{ body * }}", "expected a value, found \"}}\"", 10),
    (
      "{{ resources }}", "expected the path of a resource, such as resources[\"/products\"]", 3
    ),
    (
      "{{ parts.photo.content }}",
      "unknown member of a part \"content\"; known are fileName, contentType, size, text", 9
    ),
  ])
  func anErrorHasAPosition(template: String, text: String, offset: Int) throws {
    let error = #expect(throws: TemplateSyntaxError.self) { try TemplateText(template) }
    #expect(error?.text == text)
    #expect(error?.offset == offset)
  }

  @Test func aResourceThatDoesNotExistIsAnError() throws {
    let fixture = try TemplateFixture()
    #expect(throws: TemplateRenderError.unknownResource("/products")) {
      try fixture.text("{{ resources['/products'] | length }}")
    }
  }
}
