import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingTemplates

@Suite(.gated)
struct TemplateTextTests {
  private static let body = """
    {"name": "Ada", "tags": ["x", "y"], "total": 12.5, "count": 3, "empty": "", "no": null,
     "items": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}], "map": {"k2": 2, "k1": 1}}
    """

  private static let values: [(template: String, text: String)] = [
    ("plain", "plain"), ("", ""), ("a { b } }} c", "a { b } }} c"),
    ("{{ method }} {{target}}", "POST /p/7?q=a%20b&q=c&page=2"),
    ("{{ url }} {{ baseUrl }}", "http://a.test:8080/p/7?q=a%20b&q=c&page=2 http://a.test:8080"),
    ("{{ path.id }}{{ request.path.id }}{{ path[\"id\"] }}", "777"),
    ("{{ query.q }}|{{ query.none }}|{{ queries.q | join(\"+\") }}", "a b||a b+c"),
    ("{{ headers.X-Id }} {{ headers[\"x-id\"] }} {{ headers.none }}", "h1 h1 "),
    ("{{ cookies.session }} {{ cookies.theme }} {{ cookies.none }}", "s1 dark "),
    ("{{ body.name }} {{ body.items[1].sku }} {{ body.items.0.sku }}", "Ada b a"),
    ("{{ body.items[9].sku }}{{ body.name.first }}{{ body.no }}", ""),
    ("{{ body.total }} {{ body.count }} {{ body.tags }}", "12.5 3 [\"x\",\"y\"]"),
    ("{{ variables.plan }}", "gold"),
    ("\\{{ name }} \\\\{{ method }} \\x", "{{ name }} \\POST \\x"),
    ("a{{! a comment }}b{{!-- with }} braces --}}c", "abc"),
    ("{{ \"it's\" }} {{ 'a \"b\"' }} {{ \"\\\"}}\\n\" }}", "it's a \"b\" \"}}\n"),
    ("{{ -5 }} {{ 1.5 }} {{ true }} {{ null }}", "-5 1.5 true "),
  ]

  private static let filters: [(template: String, text: String)] = [
    // The arguments follow each other, and are not nested.
    ("{{ 0" + String(repeating: " | add(1)", count: 100) + " }}", "100"),
    ("{{ query.none | default(\"d\") }}{{ body.empty | default(1) }}", "d1"),
    ("{{ body.name | upper | lower | capitalize }}", "Ada"), ("{{ \" a \" | trim }}|", "a|"),
    ("{{ body.tags | json }}{{ body.name | json }}", "[\"x\",\"y\"]\"Ada\""),
    ("{{ \"a b/ü\" | urlencode }}{{ \"a%20b+c\" | urldecode }}", "a%20b%2F%C3%BCa b c"),
    ("{{ \"hi\" | base64 }}{{ \"aGk=\" | base64decode }}", "aGk=hi"),
    ("{{ body.tags | length }}{{ \"für\" | length }}{{ body.map | length }}", "232"),
    ("{{ query.page | int | add(1) }}{{ \"2.7\" | int }}{{ \"x\" | int }}", "32"),
    ("{{ 7 | divide(2) }} {{ 6 | divide(2) }} {{ 1 | divide(0) }}", "3.5 3 "),
    ("{{ 2 | multiply(3) | subtract(1) }} {{ 1.25 | round(1) }} {{ 2.5 | round }}", "5 1.3 3"),
    ("{{ 9223372036854775807 | add(1) }}", "9223372036854775808.0"),
    ("{{ body.tags | first }}{{ body.tags | last }}{{ body.tags | reverse | first }}", "xyy"),
    ("{{ \"a,b\" | split(\",\") | join(\"-\") }}{{ \"aXb\" | replace(\"X\", \"-\") }}", "a-ba-b"),
    ("{{ \"abcdef\" | slice(1, 2) }}{{ body.tags | slice(1) | first }}", "bcy"),
    ("{{ body.map | keys | join }}{{ body.map | get(\"k2\") }}", "k1,k22"),
    ("{{ \"false\" | bool }}{{ \"x\" | bool }}{{ \"1.5\" | number }}", "falsetrue1.5"),
    ("{{ \"b,a\" | split(\",\") | sort | join }}", "a,b"),
  ]

  private static let blocks: [(template: String, text: String)] = [
    ("{{#if body.name}}yes{{else}}no{{/if}}", "yes"),
    ("{{#if body.empty}}1{{else if body.count > 2}}2{{else}}3{{/if}}", "2"),
    ("{{#if query.page == 2}}a{{/if}}{{#if query.page < 10}}b{{/if}}", "ab"),
    ("{{#if \"b\" >= \"a\" and not (1 != 1)}}a{{/if}}{{#if null or 0}}b{{/if}}", "a"),
    ("{{#if body.name < 3 or body.name >= 3}}x{{/if}}", ""),
    (
      "{{#if body.tags | contains(\"y\")}}a{{/if}}{{#if body.name | contains(\"d\")}}b{{/if}}", "ab"
    ),
    ("{{#each body.tags}}{{ this }}{{ @index }}{{ @first }} {{/each}}", "x0true y1false "),
    (
      "{{#each item in body.items}}{{ item.sku }}={{ item.n }}{{#if not @last}},{{/if}}{{/each}}",
      "a=1,b=2"
    ),
    ("{{#each body.map}}{{ @key }}:{{ this }};{{/each}}", "k1:1;k2:2;"),
    (
      "{{#each body.none}}x{{else}}none{{/each}}{{#each range(1, 3)}}{{ this }}{{/each}}", "none123"
    ),
    (
      "{{#each a in body.tags}}{{#each b in body.tags}}{{ a }}{{ b }}{{ @number }} {{/each}}{{/each}}",
      "xx1 xy2 yx1 yy2 "
    ),
  ]

  @Test(arguments: values + filters + blocks)
  func aTemplateIsRendered(template: String, text: String) throws {
    let fixture = try TemplateFixture(
      "/p/7?q=a%20b&q=c&page=2", body: Self.body,
      headers: ["X-Id": "h1", "Cookie": "session=s1; theme=dark"], path: ["id": "7"],
      variables: ["plan": "gold"])
    #expect(try fixture.text(template) == text)
  }

  @Test func aValueOfARequestIsNotExpandedAgain() throws {
    let fixture = try TemplateFixture(body: #"{"a": "{{ method }}"}"#)
    #expect(try fixture.text("{{ body.a }}") == "{{ method }}")
    #expect(try fixture.json(["b": "{{ body.a }}"]) == #"{"b":"{{ method }}"}"#)
  }

  @Test func countersCountFromTheirFirstNumber() throws {
    let fixture = try TemplateFixture()
    let template =
      "{{ counter(\"a\") }}{{ counter(\"a\") }}{{ counter }}{{ counter(\"b\", from: 7) }}"
    #expect(try fixture.text(template) == "1217")
    #expect(try fixture.text(template) == "3428")
  }

  @Test func anArgumentOfDefaultIsEvaluatedOnlyIfNeeded() throws {
    let fixture = try TemplateFixture(body: #"{"a": 1}"#)
    #expect(
      try fixture.text("{{ body.a | default(counter) }}{{ body.b | default(counter) }}") == "11")
  }

  @Test func theSameSeedRendersTheSameRandomValues() throws {
    let template =
      "{{ uuid }} {{ randomInt(1, 6) }} {{ randomDouble(0, 1) }} {{ randomText(8) }} "
      + "{{ randomHex(4) }} {{ randomBool }} {{ pick(\"a\", \"b\") }} {{ pick(body) }}"
    func render(seed: UInt64) throws -> String {
      try TemplateFixture(body: "[1, 2, 3]", seed: seed).text(template)
    }
    let text = try render(seed: 4)
    #expect(try render(seed: 4) == text)
    #expect(try render(seed: 5) != text)
    let parts = text.split(separator: " ")
    #expect(UUID(uuidString: String(parts[0])) != nil && parts[0].dropFirst(14).first == "4")
    #expect((1...6).contains(try #require(Int(parts[1]))))
    #expect((0..<1).contains(try #require(Double(parts[2]))))
    #expect(parts[3].count == 8 && parts[4].allSatisfy(\.isHexDigit) && parts[4].count == 4)
    #expect(["a", "b"].contains(parts[6]) && ["1", "2", "3"].contains(parts[7]))
  }

  @Test func theDateIsThatOfTheVirtualTime() async throws {
    let scheduler = TestScheduler()
    await scheduler.advance(by: .milliseconds(61_250))
    let fixture = try TemplateFixture(scheduler: scheduler)
    let dates: [(String, String)] = [
      ("now", "2025-01-01T00:01:01Z"), ("now(format: \"isoms\")", "2025-01-01T00:01:01.250Z"),
      ("now(offset: \"-2 days\", format: \"date\")", "2024-12-30"),
      ("now(\"+1 h\", \"time\")", "01:01:01"),
      ("now(format: \"http\")", "Wed, 01 Jan 2025 00:01:01 GMT"),
      ("now(format: \"unix\")", "1735689661"), ("now(format: \"unixms\")", "1735689661250"),
      ("now(format: \"%a %d %b %Y %H:%M:%S.%L %j %%\")", "Wed 01 Jan 2025 00:01:01.250 001 %"),
      ("now(offset: \"-30000 days\", format: \"%Y-%m-%d %H\")", "1942-11-13 00"),
    ]
    for (expression, text) in dates {
      #expect(try fixture.text("{{ \(expression) }}") == text, "\(expression)")
    }
  }

  @Test func aMultipartFormHasFieldsAndParts() throws {
    let fixture = try TemplateFixture(
      body: "--b\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nA kite\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nAnother\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"kite.png\"\r\n"
        + "Content-Type: image/png\r\n\r\na=b&c\r\n--b--\r\n",
      headers: ["Content-Type": "Multipart/form-data; boundary=b"])
    for (template, text) in [
      ("{{ form.caption }}", "A kite"), ("{{ form.photo }}{{ form.a }}", ""),
      ("{{ parts.caption.text }} {{ parts.caption.size }}", "A kite 6"),
      ("{{ parts.photo.fileName }} {{ parts.photo.contentType }}", "kite.png image/png"),
      ("{{ parts.photo.size }}{{ parts.photo.text }}{{ parts.none.size }}", "5"),
      ("{{#each parts}}{{ @key }} {{/each}}", "caption photo "),
    ] {
      #expect(try fixture.text(template) == text, "\(template)")
    }
    #expect(fixture.request.form.values(for: "caption") == ["A kite", "Another"])
    #expect(fixture.request.form.items.count == 2)
    let plain = try TemplateFixture(body: "caption=A+kite")
    #expect(try plain.text("{{ form.caption }}{{ parts.caption.text }}") == "A kite")
  }

  @Test func theOutputAndTheLoopsAreLimited() throws {
    let fixture = try TemplateFixture()
    #expect(throws: TemplateRenderError.tooManyElements) {
      try fixture.text("{{#each range(1, 1000)}}{{#each range(1, 1000)}}{{/each}}{{/each}}")
    }
    #expect(throws: TemplateRenderError.tooManyElements) {
      try fixture.text("{{ range(0, 9223372036854775807) }}")
    }
    let long = try TemplateFixture(body: "\"\(String(repeating: "x", count: 1 << 20))\"")
    #expect(throws: TemplateRenderError.tooLarge) {
      try long.text("{{#each range(1, 17)}}{{ body }}{{/each}}")
    }
  }
}
