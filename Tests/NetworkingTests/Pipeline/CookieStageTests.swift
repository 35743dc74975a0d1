import Foundation
import Promises
import TestSupport
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules of RFC 6265 that Foundation's cookie storage does not enforce on Linux.
@Suite(.timeLimit(.minutes(10)))
struct CookieStageTests {
  private let storage: HTTPCookieStorage

  init() throws {
    storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
  }

  /// Sends a request whose response sets cookies, and returns the request's `Cookie` field.
  @discardableResult
  private func send(_ url: String, setting values: String...) async throws -> String? {
    let transport = FakeTransport { _ in
      .response(200, HTTPHeaders(values.map { .init(name: "Set-Cookie", value: $0) }))
    }
    let url = try #require(URL(string: url))
    _ = try await Pipeline([CookieStage(storage: storage)])
      .send(Exchange(HTTPRequest(url: url), over: transport)).value
    return transport.requests.first?.headers["Cookie"]
  }

  @Test func aServerReceivesNoCookieOfAnotherSite() async throws {
    let cookie = "sid=1; Domain=shop.example; Path=/"
    try await send("https://shop.example/", setting: cookie)
    for domain in ["shop.example", "shop.example; Domain=evil.test"] {
      try await send("https://evil.test/", setting: "sid=; Domain=\(domain); Path=/; Max-Age=0")
      #expect(try await send("https://shop.example/") == "sid=1")
    }
    try await send("https://shop.example/", setting: "sid=; Domain=shop.example; Path=/; Max-Age=0")
    #expect(try await send("https://shop.example/") == nil)
  }

  @Test(arguments: [
    ("shop.example", "Domain=shop.example", true), ("a.shop.example", "Domain=shop.example", true),
    ("a.shop.example", "Domain=.Shop.Example", true), ("shop.example", "Domain=", true),
    ("shop.example", "Domain=example", false), ("shop.example", "Domain=.example", false),
    ("shop.example", "Domain=a.shop.example", false),
    ("myshop.example", "Domain=shop.example", false),
    ("intranet", "Domain=intranet", true), ("127.0.0.1", "Secure", true),
    ("127.0.0.1", "Domain=0.0.1", false), ("127.0.0.1", "Domain=127.0.0.1", false),
  ])
  func aCookieDomainMustMatchTheServer(_ host: String, _ attribute: String, _ taken: Bool) throws {
    let url = try #require(URL(string: "https://\(host)/"))
    let domain = attribute.hasPrefix("Domain=") ? String(attribute.dropFirst(7)) : ""
    let cookie = try #require(
      HTTPCookie(properties: [
        .name: "a", .value: "1", .path: "/", .domain: domain.isEmpty ? host : domain,
      ]))
    #expect(
      CookieDomainRules.domainMatches(cookie, setBy: "a=1; Path=/; \(attribute)", from: url)
        == taken)
  }

  @Test func aCookieForATopLevelDomainIsRejected() async throws {
    try await send("https://shop.example/", setting: "a=1; Domain=example; Path=/")
    #expect(storage.cookies?.isEmpty ?? true)
  }

  @Test(arguments: [
    ("1000", 1_000.0), ("99999999999999999999", 3_155_760_000), ("soon", nil), ("", nil),
  ])
  func aCookieExpiresAfterItsMaxAge(_ age: String, _ seconds: Double?) throws {
    let now = Date(timeIntervalSince1970: 1_000_000)
    let url = URL.of("https://shop.example/")
    let value = "a=1; Path=/; Max-Age=\(age)"
    let plain = try #require(
      HTTPCookie(properties: [
        .name: "a", .value: "1", .path: "/", .domain: "shop.example",
      ]))
    let cookie = CookieRules.applyingAttributes(plain, setBy: value, from: url, now: now)
    #expect(cookie.expiresDate == seconds.map { now.addingTimeInterval($0) })
    #expect(!CookieRules.isDeletion(value))
  }

  @Test(arguments: ["0", "-1", "-99999999999999999999"])
  func aMaxAgeOfZeroOrLessRemovesACookie(_ age: String) {
    #expect(CookieRules.isDeletion("a=1; Max-Age=\(age)"))
  }

  @Test func cookiesAreOrderedByPathLengthAndName() async throws {
    let names = ["d", "b", "e", "a", "c"]
    for name in names {
      try await send(
        "https://shop.example/x/y", setting: "\(name)=1; Path=/", "\(name)x=1; Path=/x")
    }
    let sent = try await send("https://shop.example/x/y")
    #expect(sent == "ax=1; bx=1; cx=1; dx=1; ex=1; a=1; b=1; c=1; d=1; e=1")
  }
}
