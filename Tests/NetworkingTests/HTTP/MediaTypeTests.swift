import TestGate
import Testing

@testable import Networking

@Suite(.gated) struct MediaTypeTests {
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

@Suite(.gated)
struct MediaTypeFileTests {
  @Test func theFileExtensionDeterminesTheType() {
    #expect(MediaType(fileExtension: "json")?.description == "application/json")
    #expect(MediaType(fileExtension: "JPG")?.description == "image/jpeg")
    #expect(MediaType(fileExtension: "unheard-of") == nil)
    #expect(MediaType(fileExtension: "") == nil)
  }

  @Test func kindsAreTheTypesOfTheirExtensions() {
    let kinds: [(String, MediaType)] = [
      ("jpg", .image(.jpeg)), ("png", .image(.png)), ("svg", .image(.svg)), ("mov", .video(.mov)),
      ("mkv", .video(.matroska)), ("mp4", .video(.mp4)), ("mp3", .audio(.mp3)),
      ("m4a", .audio(.m4a)), ("csv", .text(.csv)), ("js", .text(.javaScript)),
      ("vcf", .text(.vCard)), ("ics", .text(.calendar)), ("pdf", .pdf), ("json", .json),
      ("gz", .gzip), ("bin", .octetStream), ("xml", .xml), ("yml", .yaml), ("ZIP", .zip),
    ]
    for (name, kind) in kinds { #expect(MediaType(fileExtension: name) == kind, "\(name)") }
    for format in MediaType.ImageFormat.allCases {
      #expect(MediaType("image/\(format.rawValue)") == .image(format))
    }
    for format in MediaType.TextFormat.allCases {
      #expect(MediaType("text/\(format.rawValue)") == .text(format))
    }
  }

  @Test(arguments: [
    ("text/html", "text/html"), ("Text/HTML;Charset=UTF-8", "text/html; charset=UTF-8"),
    ("a/b; z=1; y=\"a b\"", "a/b; y=\"a b\"; z=1"), ("a/b; x=\"\"", "a/b; x=\"\""),
    ("a/b; x=\"\\\"\\\\\"", "a/b; x=\"\\\"\\\\\""),
  ])
  func theHeaderValueHasTheParameters(_ text: String, _ value: String) throws {
    let type = try #require(MediaType(text))
    #expect(type.headerValue == value)
    #expect(MediaType(type.headerValue) == type)
  }
}
