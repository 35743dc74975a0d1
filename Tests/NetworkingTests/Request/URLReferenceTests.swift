import Foundation
import TestGate
import Testing

@testable import Networking

/// URLs from the texts of servers.
///
/// The values are those of browsers, by the URL Standard.
@Suite(.gated)
struct URLReferenceTests {
  private static let base = URL(string: "https://h.example/a/b/c?d#f")

  private func text(_ reference: String) -> String? {
    URL(reference: reference, relativeTo: Self.base)?.absoluteString
  }

  /// Browsers send some of these characters without encoding, which servers decode to the same text.
  @Test(arguments: [
    ("/x?f[id]=a%2Fb", "/x?f%5Bid%5D=a%2Fb"), ("/a b%20c", "/a%20b%20c"),
    ("/x|y%7Cz", "/x%7Cy%7Cz"), ("/x?q=\"a\"&s=%3D", "/x?q=%22a%22&s=%3D"),
    ("/?k={x}&z=%26", "/?k=%7Bx%7D&z=%26"), ("/<a>%3Cb%3E", "/%3Ca%3E%3Cb%3E"),
    ("/[%5B]?[%5B]#[%5B]", "/%5B%5B%5D?%5B%5B%5D#%5B%5B%5D"), ("/`^%5e", "/%60%5E%5e"),
    ("/x?n=100%&s=%3D", "/x?n=100%25&s=%3D"), ("/%zz%2f%", "/%25zz%2f%25"), ("/%%32", "/%25%32"),
    ("/caf\u{E9}?sig=a%2Bb", "/caf%C3%A9?sig=a%2Bb"), ("/\u{E9}/%e4%b8%ad", "/%C3%A9/%e4%b8%ad"),
    ("/t?q=\u{F1}&r=a+b%2Bc", "/t?q=%C3%B1&r=a+b%2Bc"), ("/?\u{301}#\u{301}", "/?%CC%81#%CC%81"),
    ("/\u{1F600}%F0%9F%98%80", "/%F0%9F%98%80%F0%9F%98%80"), ("/%2525", "/%2525"),
    ("/a'b!*();:@&=+$,-._~", "/a'b!*();:@&=+$,-._~"), ("/\u{1}\u{7F}%00", "/%01%7F%00"),
    ("/x#a#%23", "/x#a%23%23"),
  ])
  func escapesAreUnchangedBesideOtherCharacters(_ reference: String, _ expected: String) {
    #expect(text(reference) == "https://h.example\(expected)")
    #expect(text("https://h.example\(reference)") == "https://h.example\(expected)")
    // A URL is the same after the next parsing.
    #expect(text("https://h.example\(expected)") == "https://h.example\(expected)")
  }

  @Test(arguments: [
    ("", "https://h.example/a/b/c?d"), (" \t", "https://h.example/a/b/c?d"),
    ("x", "https://h.example/a/b/x"),
    ("?[%20", "https://h.example/a/b/c?%5B%20"), ("#[%20", "https://h.example/a/b/c?d#%5B%20"),
    ("../../../x%2F|", "https://h.example/x%2F%7C"), ("/a/./b/../c", "https://h.example/a/c"),
    ("..", "https://h.example/a/"), ("//o.example/a/../b", "https://o.example/b"),
    ("http://o.example/a/../b?c/../d#e/../f", "http://o.example/b?c/../d#e/../f"),
    ("x|y:z", "https://h.example/a/b/x%7Cy:z"), ("1:2", "https://h.example/a/b/1:2"),
    (":x", "https://h.example/a/b/:x"), ("x?y:z", "https://h.example/a/b/x?y:z"),
    // Backslashes, slashes, spaces and line breaks.
    ("\\x\\y?a\\b", "https://h.example/x/y?a%5Cb"), ("\\\\o.example\\x", "https://o.example/x"),
    ("/\\o.example", "https://o.example"), ("///o.example/x", "https://o.example/x"),
    ("https:/x", "https://h.example/x"), ("https:x", "https://h.example/a/b/x"),
    ("http:/o.example/x", "http://o.example/x"), ("http:o.example", "http://o.example"),
    ("https:////o.example//x", "https://o.example//x"),
    ("https:\\\\o.example", "https://o.example"),
    (" \u{0}/x \n", "https://h.example/x"), ("/a\tb\r\nc/%0A", "https://h.example/abc/%0A"),
    ("ht\ntp://o.example/", "http://o.example/"), ("/a\\..\\b", "https://h.example/b"),
    // Hosts, schemes and user information.
    ("HTTPS://b\u{FC}cher.example/%2F\u{E9}", "https://xn--bcher-kva.example/%2F%C3%A9"),
    ("//\u{65E5}\u{672C}\u{3002}jp/|%20", "https://xn--wgv71a.jp/%7C%20"),
    ("http://[::1]:81/[%20", "http://[::1]:81/%5B%20"),
    ("http://a@b:c[%40@o.example/", "http://a%40b:c%5B%40@o.example/"),
    ("http://a\\@o.example/", "http://a/@o.example/"), ("mailto:a|b%20", "mailto:a%7Cb%20"),
    ("com.example.app:/cb?x=[%5B", "com.example.app:/cb?x=%5B%5B"),
    ("app://host/a\\b", "app://host/a%5Cb"),
  ])
  func aReferenceIsResolvedAsInBrowsers(_ reference: String, _ expected: String) {
    #expect(text(reference) == expected)
  }

  @Test(arguments: [
    "http://[", "http://[::1", "http://a b/", "http://o.example:8x/", "http://a|b/",
  ])
  func aReferenceWithAnInvalidHostIsNoURL(_ reference: String) {
    #expect(text(reference) == nil)
  }

  @Test func withoutABaseURLAReferenceIsAbsolute() {
    #expect(URL(reference: "http:o.example")?.absoluteString == "http://o.example")
    #expect(URL(reference: "/x?[%5B")?.absoluteString == "/x?%5B%5B")
    #expect(URL(reference: " ") == nil)
  }
}
