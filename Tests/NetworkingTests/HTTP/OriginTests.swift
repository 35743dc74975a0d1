import Foundation
import TestGate
import Testing

@testable import Networking

@Suite(.gated)
struct OriginTests {
  @Test(arguments: [
    ("http://a.example", "http", "a.example", 80),
    ("https://a.example/x?y#z", "https", "a.example", 443),
    ("https://API.Example.COM:443", "https", "api.example.com", 443),
    ("HTTPS://a.example?x", "https", "a.example", 443),
    ("http://a.example#x", "http", "a.example", 80),
    ("http://a.example:8080/", "http", "a.example", 8080),
    ("http://a.example:65535?x", "http", "a.example", 65_535),
    ("http://a.example:00080/", "http", "a.example", 80),
    ("http://a.example:/", "http", "a.example", 80),
    ("http://a_b-c.1.example./", "http", "a_b-c.1.example.", 80),
    ("http://127.0.0.1:1", "http", "127.0.0.1", 1),
    ("http://[2001:DB8::1]:8080/", "http", "2001:db8::1", 8080),
    ("https://ann:secret@a.example/", "https", "a.example", 443),
    ("https://ann@a.example:8443/", "https", "a.example", 8443),
    ("https://a.example/@b.example:1/", "https", "a.example", 443),
    ("https://a.example?@b.example:1", "https", "a.example", 443),
    ("http://%61.example/", "http", "a.example", 80),
    ("ftp://a.example:21/", "ftp", "a.example", 21),
    (
      "https://a-host-with-a-very-long-name.region.example.com/", "https",
      "a-host-with-a-very-long-name.region.example.com", 443
    ),
  ])
  func aURLHasAnOrigin(_ text: String, _ scheme: String, _ host: String, _ port: Int) throws {
    let url = try #require(URL(string: text))
    let origin = try #require(Origin(url))
    #expect(origin.scheme == scheme && origin.host == host && origin.port == port)
    #expect(origin.matches(url))
  }

  @Test(arguments: [
    "http://", "http:///x", "https:", "localhost", "/x", "ftp://a.example/", "mailto:a@b.example",
    "file:///x",
  ])
  func aURLWithoutAHostOrAPortHasNoOrigin(_ text: String) {
    guard let url = URL(string: text) else { return }
    #expect(Origin(url) == nil)
  }

  @Test func aRelativeURLHasTheOriginOfItsBase() throws {
    let url = try #require(URL(string: "x", relativeTo: URL(string: "https://A.example:8443/y/")))
    let origin = try #require(Origin(url))
    #expect((origin.scheme, origin.host, origin.port) == ("https", "a.example", 8443))
  }

  @Test func equalOriginsMatchEachOthersURLs() throws {
    let spellings = [
      "https://a.example", "https://A.EXAMPLE/", "HTTPS://a.example:443?x", "https://a.example:/",
      "https://ann@a.example/x", "https://%61.example/",
    ]
    let others = [
      "http://a.example", "https://a.example:8443", "https://a.example.net", "https://a.exampl",
      "https://b.example", "https://a.example.", "http://a.example:443", "https://a.example:4430",
      "https://a.example:44", "https://[::1]", "https://a.example@b.example/",
      "ftp://a.example:443",
    ]
    for spelling in spellings {
      let expected = try #require(origin(spelling))
      for other in spellings {
        let url = try #require(URL(string: other))
        #expect(Origin(url) == expected && expected.matches(url), "\(spelling) \(other)")
      }
      for other in others {
        let url = try #require(URL(string: other))
        #expect(Origin(url) != expected && !expected.matches(url), "\(spelling) \(other)")
      }
    }
  }

  /// The parser of common URLs agrees with Foundation on every URL that it accepts.
  @Test func hostAndPortAreThoseThatFoundationReads() {
    let hosts = [
      "a", "A.b", "a-b", "a--b", "xn--e1afmkfd.example", "a_b", "a.", "a..b", "-a", "a-", ".",
      "1.2.3.4", "0x7f.1",
      "%41", "[::1]", "ann@b", "ann:x@b", "a~b", "a!b", "\u{E4}.example", "a%2eb",
    ]
    let ports = [
      "", ":", ":0", ":1", ":80", ":443", ":080", ":65535", ":65536", ":99999", ":100000",
    ]
    for scheme in ["http", "https", "HTTP", "ws"] {
      for host in hosts {
        for port in ports {
          for rest in ["", "/", "/x:1", "?x@y", "#z"] {
            guard let url = URL(string: "\(scheme)://\(host)\(port)\(rest)") else { continue }
            let origin = Origin(url)
            let expected = url.port ?? ["http": 80, "https": 443][scheme.lowercased()]
            #expect(origin?.host == (expected == nil ? nil : url.host?.lowercased()), "\(url)")
            #expect(origin?.port == (url.host?.isEmpty == false ? expected : nil), "\(url)")
            #expect(origin?.matches(url) ?? true, "\(url)")
          }
        }
      }
    }
  }

  // MARK: Loopback

  @Test(arguments: [
    "http://localhost", "https://LocalHost:8443/a", "http://boards.localhost/",
    "http://127.0.0.1:80",
    "http://127.8.9.255?q", "http://[::1]:8080/x", "http://[::1]", "http://ann:secret@localhost/",
  ])
  func loopbackNamesAreRecognized(url: String) {
    #expect(origin(url)?.isLoopback == true)
  }

  @Test(arguments: [
    "http://example.com/localhost", "http://localhost.example.com", "http://127.0.0.1.example.com",
    "http://127.example.com", "http://127.0.0.256", "http://128.0.0.1", "http://notlocalhost",
    "http://[::2]", "http://example.com?localhost", "http://10.0.0.1", "http://", "localhost",
  ])
  func otherNamesAreNotRecognized(url: String) {
    #expect(origin(url)?.isLoopback != true)
  }

  private func origin(_ url: String) -> Origin? { URL(string: url).flatMap { Origin($0) } }
}
