import Networking
import Testing

@Suite struct MediaTypeTests {
  @Test(arguments: [
    ("text/html; charset=UTF-8", "text", "html", ["charset": "UTF-8"]),
    ("TEXT/HTML", "text", "html", [:]),
    (
      "  application/problem+json ;q=0.5; Version=\"a;b\\\"c\"", "application", "problem+json",
      ["q": "0.5", "version": "a;b\"c"]
    ),
    ("text/*", "text", "*", [:]), ("*/*", "*", "*", [:]),
    ("text/plain; broken; charset = x; a=1; a=2", "text", "plain", ["a": "1"]),
    // Quotation marks.
    ("a/b; charset=\"utf-8\"", "a", "b", ["charset": "utf-8"]),
    ("a/b; x=\"\"; y=\"", "a", "b", ["x": "", "y": "\""]),
    ("a/b; x=\"1; y=2", "a", "b", ["x": "\"1; y=2"]),
    ("a/b; x=\"1\\\\\"; y=\"2\\\";3\"", "a", "b", ["x": "1\\", "y": "2\";3"]),
    ("a/b; x=1\\; y=2\t;\t", "a", "b", ["x": "1\\", "y": "2"]),
  ])
  func mediaTypesAreParsed(
    _ text: String, _ type: String, _ subtype: String, _ parameters: [String: String]
  ) throws {
    let media = try #require(MediaType(text))
    #expect(media.type == type && media.subtype == subtype)
    #expect(media.parameters == parameters)
  }

  @Test(arguments: [
    "", "text", "text/", "/html", "a/b/c", "te xt/html", "*/html", "text/ht\u{e9}ml",
  ])
  func invalidMediaTypesAreRejected(_ text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test(arguments: [
    ("text/html", "text/html", true), ("text/html", "text/*", true), ("text/html", "*/*", true),
    ("text/html", "text/plain", false), ("text/html", "application/*", false),
    ("text/html; charset=utf-8", "text/html; charset=UTF-8", true),
    ("text/html", "text/html;q=0.1", true),
    // A type without a character encoding counts as UTF-8.
    ("text/html", "text/html; charset=\"UTF-8\"", true),
    ("text/html", "text/html; charset=iso-8859-1", false),
    ("text/html; charset=utf-16", "text/html", true),
    ("a/b; v=1", "a/b; v=2", false), ("a/b", "a/b; v=1", false), ("a/b; v=1", "a/b", true),
    // The case of a value counts, except for that of a character encoding.
    ("a/b; v=A", "a/b; v=a", false), ("a/b; v=\"A\"", "a/b; V=A", true),
    ("a/b; Charset=\"UTF-8\"", "a/b; charset=utf-8", true),
    ("a/b; charset=utf-8", "a/b; charset=utf-16", false),
    ("a/b; q=1; v=1", "a/b; v=1; q=0.5", true), ("a/b; v=1; w=1", "a/b; v=1; w=2", false),
  ])
  func mediaRangesMatchTypes(_ type: String, _ range: String, _ expected: Bool) throws {
    #expect(try #require(MediaType(type)).matches(#require(MediaType(range))) == expected)
  }
}

struct MediaTypeFileTests {
  @Test func theFileExtensionDeterminesTheType() {
    #expect(MediaType(fileExtension: "json")?.description == "application/json")
    #expect(MediaType(fileExtension: "JPG")?.description == "image/jpeg")
    #expect(MediaType(fileExtension: "unheard-of") == nil)
    #expect(MediaType(fileExtension: "") == nil)
  }
}
