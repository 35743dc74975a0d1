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
    ("text/html", "text/html; charset=utf-8", false), ("text/html", "text/html;q=0.1", true),
    ("a/b; v=1", "a/b; v=2", false),
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
