import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct BaseURLTests {
  @Test(arguments: [
    ("https://api.example.com/v1/", "boards", "https://api.example.com/v1/boards"),
    ("https://api.example.com/v1", "boards", "https://api.example.com/v1/boards"),
    ("https://api.example.com", "boards", "https://api.example.com/boards"),
    ("https://api.example.com/v1/", "/boards", "https://api.example.com/boards"),
    ("https://api.example.com/v1", "", "https://api.example.com/v1"),
    ("https://api.example.com/v1/", "?page=2", "https://api.example.com/v1/?page=2"),
    ("https://api.example.com/v1", "a?x=1&y=/?:@", "https://api.example.com/v1/a?x=1&y=/?:@"),
    ("https://api.example.com/v1", "a/", "https://api.example.com/v1/a/"),
    ("https://api.example.com/v1", "a//b", "https://api.example.com/v1/a//b"),
    ("https://api.example.com/v1", "boards:batch", "https://api.example.com/v1/boards:batch"),
    ("https://api.example.com/v1", "../v2/a", "https://api.example.com/v2/a"),
    ("https://api.example.com/v1", "../../../a/./b/..", "https://api.example.com/a/"),
    ("https://api.example.com/v1", "a?x=../b", "https://api.example.com/v1/a?x=../b"),
    ("https://api.example.com/v1", "a#fragment?", "https://api.example.com/v1/a#fragment?"),
    ("https://api.example.com/v1", "a/..#%zz%41", "https://api.example.com/v1/#%25zz%41"),
    ("https://api.example.com/v1", "a?b#\u{E9}/?", "https://api.example.com/v1/a?b#%C3%A9/?"),
    ("https://api.example.com/v1", "#", "https://api.example.com/v1#"),
    ("https://api.example.com/v1", "a?b#c#d?e", "https://api.example.com/v1/a?b#c%23d?e"),
    ("https://api.example.com/v1", "a#\u{301}", "https://api.example.com/v1/a#%CC%81"),
    ("http://[::1]:8080/v1", "a", "http://[::1]:8080/v1/a"),
    ("http://127.0.0.1:80", "a", "http://127.0.0.1:80/a"),
    (
      "https://api.example.com", "HTTP://Other.Example.COM:81?a=b",
      "http://other.example.com:81/?a=b"
    ),
    ("https://api.example.com", "https://other", "https://other/"),
  ])
  func pathsAreResolvedAgainstTheBaseURL(base: String, path: String, expected: String) throws {
    let base = try BaseURL(#require(URL(string: base)))
    #expect(try base.resolve(RequestPath(raw: path)).absoluteString == expected)
  }

  @Test func partsFormAURL() throws {
    #expect(try BaseURL(host: "Api.example.com").url.absoluteString == "https://api.example.com")
    #expect(
      try BaseURL(scheme: "HTTP", host: "::1", port: 8080, path: "v1/").url.absoluteString
        == "http://[::1]:8080/v1/")
    #expect(try BaseURL(host: "[FE80::1]").url.absoluteString == "https://[fe80::1]")
    #expect(try BaseURL(host: "my_service.", path: "/a%20b").url.path == "/a b")
  }

  /// Source: RFC 1035 section 2.3.4.
  @Test func theLongestHostsAreValid() throws {
    let name = String(repeating: "a.", count: 126) + "a"
    let label = String(repeating: "a", count: 63)
    for host in [name, "\(name).", label] {
      #expect(try BaseURL(host: host).url.absoluteString == "https://\(host)")
    }
  }

  /// A host is the same as a part, in the text of a URL, in a `URL`, and in a redirect.
  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER。example", "xn--bcher-kva.example"),
    ("bücher.example.", "xn--bcher-kva.example."), ("日本.jp", "xn--wgv71a.jp"),
    ("faß.example", "xn--fa-hia.example"), ("[fe80::1%25eth0]", "[fe80::1%25eth0]"),
    ("[fe80::1%eth0]", "[fe80::1%25eth0]"), ("[fe80::1%25Eth0-1]", "[fe80::1%25Eth0-1]"),
    ("[fe80::1%252]", "[fe80::1%252]"),
  ])
  func aHostMayBeAnInternationalNameOrHaveAZone(_ host: String, _ sent: String) throws {
    let expected = "https://\(sent)/a"
    let url = try #require(URL(string: "https://\(host)/a"))
    let start = URL.of("https://other.example/")
    #expect(try BaseURL(host: host, path: "a").url.absoluteString == expected)
    #expect(try BaseURL(url).url.absoluteString == expected)
    let path = RequestPath(raw: "https://\(host)/a")
    #expect(try BaseURL(host: "other.example").resolve(path).absoluteString == expected)
    let location = URL(reference: "https://\(host)/a", relativeTo: start)
    #expect(location?.absoluteString == expected)
    #expect(Origin(url) == URL(string: expected).flatMap { Origin($0) })
  }

  @Test(
    arguments: [
      ("ftp", "h", nil, "", "the scheme \"ftp\" is neither https nor http"),
      ("https", "", nil, "", "the host is empty"),
      ("https", "a b", nil, "", "the host contains the invalid character \" \""),
      ("https", "https://a", nil, "", "the host contains a scheme; pass it as the scheme"),
      ("https", "http://u:p@a:80/b", nil, "", "the host contains a scheme; pass it as the scheme"),
      ("https", "a/b", nil, "", "the host contains a path; pass it as the path"),
      ("https", "a?b", nil, "", "the host contains a path; pass it as the path"),
      ("https", "a@b", nil, "", "the host contains a user name; use authenticate()"),
      ("https", "u:p@b", nil, "", "the host contains a user name; use authenticate()"),
      ("https", "a\r\nb", nil, "", "the host contains the invalid character \"\\r\""),
      ("https", "a%41", nil, "", "the host contains the invalid character \"%\""),
      ("https", "bü cher.example", nil, "", "the host contains the invalid character \" \""),
      ("https", "ü／b.example", nil, "", "the host is not an international name"),
      ("https", "ü/b", nil, "", "the host contains a path; pass it as the path"),
      ("https", "a@ü.example", nil, "", "the host contains a user name; use authenticate()"),
      ("https", "a..b", nil, "", "the host has an empty label"),
      ("https", ".", nil, "", "the host has an empty label"),
      ("https", "-a", nil, "", "a label of the host starts or ends with a hyphen"),
      (
        "https", String(repeating: "a", count: 64), nil, "",
        "a label of the host is longer than 63 characters"
      ),
      (
        "https", "a" + String(repeating: "a.", count: 126) + "a", nil, "",
        "the host is longer than 253 characters"
      ),
      ("https", "a:80", nil, "", "the host contains a port; pass it as the port"),
      ("https", "127.0.0.1:", nil, "", "the host contains a port; pass it as the port"),
      ("https", "[::1]:80", nil, "", "the host contains a port; pass it as the port"),
      ("https", "::g", nil, "", "the host is not an IPv6 address"),
      ("https", "[::1", nil, "", "the host is not an IPv6 address"),
      ("https", "fe80::1%", nil, "", "the zone of the IPv6 address is not a name"),
      ("https", "fe80::1%25a b", nil, "", "the zone of the IPv6 address is not a name"),
      ("https", "[fe80::1%25a/b]", nil, "", "the host contains a path; pass it as the path"),
      ("https", "fe80::g%eth0", nil, "", "the host is not an IPv6 address"),
      ("https", "h", 0, "", "the port 0 is not between 1 and 65535"),
      ("https", "h", 65_536, "", "the port 65536 is not between 1 and 65535"),
      ("https", "h", -1, "", "the port -1 is not between 1 and 65535"),
      (
        "https", "h", nil, "a b",
        "the base URL's path is invalid: it contains a space, which must be written as %20"
      ),
      (
        "https", "h", nil, "a%2",
        "the base URL's path is invalid: it contains a percent sign without two hexadecimal digits"
      ),
      ("https", "h", nil, "a?b", "a base URL cannot have a query; send it with the requests"),
      ("https", "h", nil, "a#b", "a base URL cannot have a fragment"),
      (
        "https", "h", nil, "a/../b",
        "the base URL's path is invalid: it has a segment of only dots"
      ),
      ("https", "h", nil, "a/..", "the base URL's path is invalid: it has a segment of only dots"),
      ("https", "h", nil, "//b", "the base URL's path is invalid: it starts with two slashes"),
      (
        "https", "h", nil, "https://h/b",
        "the base URL's path is a whole URL; pass only the part after the host"
      ),
    ] as [(String, String, Int?, String, String)])
  func rejectionsHaveAReason(
    scheme: String, host: String, port: Int?, path: String, reason: String
  ) {
    let error = #expect(throws: NetworkError.self) {
      try BaseURL(scheme: scheme, host: host, port: port, path: path)
    }
    #expect(error?.code == .invalidURL)
    #expect(error?.reason == reason)
  }

  @Test(arguments: [
    (
      "https://user:pass@h/",
      "a URL must not contain a user name or password; use authenticate()"
    ),
    (
      "v1/boards",
      "the base URL v1/boards is not absolute; it must start with https:// or http://"
    ),
    (
      "api.example.com?token=s3cret",
      "the base URL api.example.com?token=*** is not absolute; "
        + "it must start with https:// or http://"
    ),
    ("https://h/?a=b", "a base URL cannot have a query; send it with the requests"),
    ("file:///etc/passwd", "the scheme \"file\" is neither https nor http"),
  ])
  func urlsHaveTheSameRules(text: String, reason: String) throws {
    let url = try #require(URL(string: text))
    let error = #expect(throws: NetworkError.self) { try BaseURL(url) }
    #expect(error?.reason == reason)
  }

  @Test func aBaseURLMayContainAnotherURLInItsPath() throws {
    let url = try #require(URL(string: "https://proxy.example/https://api.example.com/v1"))
    #expect(
      try BaseURL(url).resolve("boards").absoluteString
        == "https://proxy.example/https://api.example.com/v1/boards")
  }

  @Test(arguments: [
    ("//evil.example.com/a", "the path starts with two slashes, which would name a host"),
    ("ftp://h/a", "the scheme \"ftp\" is neither https nor http"),
    ("https:///a", "the host is empty"),
    ("https://h:/a", "the port is not a number"),
    ("https://h:8a/a", "the port is not a number"),
    ("https://h:99999999999999999999/a", "the port is not a number"),
    (
      "https://a@h/a",
      "a URL must not contain a user name or password; use authenticate()"
    ),
    ("a\\b", "it contains the character \\, which must be percent-encoded"),
    ("a[0]", "it contains the character [, which must be percent-encoded"),
    ("a?b=<", "it contains the character <, which must be percent-encoded"),
    ("a\r\nHost: x", "it contains a control character"),
    ("ü", "it contains a non-ASCII character, which must be percent-encoded"),
    ("a%zz", "it contains a percent sign without two hexadecimal digits"),
    ("a%", "it contains a percent sign without two hexadecimal digits"),
  ])
  func invalidPathsAreRejected(path: String, reason: String) throws {
    let base = try BaseURL(host: "h")
    let error = #expect(throws: NetworkError.self) { try base.resolve(RequestPath(raw: path)) }
    #expect(error?.code == .invalidURL)
    #expect(error?.reason == reason)
  }
}
