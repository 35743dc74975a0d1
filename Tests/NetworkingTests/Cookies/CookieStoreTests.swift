import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The storage model, by RFC 6265bis sections 5.7 and 5.8.
@Suite(.gated)
struct CookieStoreTests {
  private var store = CookieStore()
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private mutating func receive(_ field: String, _ url: String, after seconds: Double = 0) throws {
    guard let field = SetCookie(field) else { return }
    _ = store.receive(
      field, from: try #require(URL(string: url).flatMap(CookieScope.init)),
      at: now.addingTimeInterval(seconds))
  }

  private mutating func sent(_ url: String, after seconds: Double = 0) throws -> String {
    let scope = try #require(URL(string: url).flatMap(CookieScope.init))
    _ = store.removeExpired(at: now.addingTimeInterval(seconds))
    return store.cookies(for: scope, isUse: true).map { "\($0.name)=\($0.value)" }
      .joined(separator: "; ")
  }

  // MARK: Domains

  @Test(arguments: [
    ("shop.example", "Domain=shop.example", true), ("a.shop.example", "Domain=shop.example", true),
    ("a.shop.example", "Domain=.Shop.Example", true), ("shop.example", "Domain=", true),
    ("SHOP.example", "Domain=shop.EXAMPLE", true), ("shop.example", "Domain=example", false),
    ("shop.example", "Domain=.example", false), ("shop.example", "Domain=a.shop.example", false),
    ("myshop.example", "Domain=shop.example", false),
    ("shop.example", "Domain=shop.example.", false),
    ("shop.example", "Domain=..shop.example", false),
    ("shop.example", "Domain=\"shop.example\"", false),
    ("shop.example", "Domain=shop.example:443", false),
    ("shop.example", "Domain=shöp.example", false),
    ("shop.example", "Domain=other.example; Domain=shop.example", true),
    ("shop.example", "Domain=shop.example; Domain=other.example", false),
    ("intranet", "Domain=intranet", true), ("a.intranet", "Domain=intranet", false),
    ("a.co.uk", "Domain=co.uk", false), ("co.uk", "Domain=co.uk", true),
    ("me.github.io", "Domain=github.io", false), ("github.io", "Domain=github.io", true),
    ("a.eu.compute.amazonaws.com", "Domain=eu.compute.amazonaws.com", false),
    ("a.eu.compute.amazonaws.com", "Domain=compute.amazonaws.com", false),
    ("a.eu.compute.amazonaws.com", "Domain=amazonaws.com", true),
    ("a.eu.compute.amazonaws.com", "Domain=a.eu.compute.amazonaws.com", true),
    ("www.city.kobe.jp", "Domain=city.kobe.jp", true), ("city.kobe.jp", "Domain=kobe.jp", false),
    ("a.com.", "Domain=com.", false), ("127.0.0.1", "Secure", true), ("[::1]", "Secure", true),
    ("127.0.0.1", "Domain=0.0.1", false), ("127.0.0.1", "Domain=127.0.0.1", true),
    ("127.0.0.1", "Domain=1", false), ("9.127.0.0x1", "Domain=127.0.0x1", false),
    ("9.127.0x7f", "Domain=127.0x7f", false), ("9.shop.x7f", "Domain=shop.x7f", true),
    ("9.shop.0x7fg", "Domain=shop.0x7fg", true),
    ("xn--bcher-kva.example", "Domain=xn--bcher-kva.example", true),
  ])
  mutating func aServerSetsCookiesOfItsOwnDomains(
    _ host: String, _ attribute: String, _ isStored: Bool
  ) throws {
    try receive("a=1; Path=/; \(attribute)", "https://\(host)/")
    #expect(try sent("https://\(host)/") == (isStored ? "a=1" : ""))
    #expect(store.count == (isStored ? 1 : 0))
  }

  @Test(arguments: [
    ("a.b", "b", true), ("a.b.c", "b.c", true), (".a.b", "b", true), (".b", "b", false),
    ("b", "b", false), ("ab", "b", false), ("a.", "", false), ("", "", false), ("b", "a.b", false),
  ])
  func aNameIsBelowADomainAfterALabelAndADot(_ name: String, _ domain: String, _ isBelow: Bool) {
    #expect(CookieScope.isBelow(name, domain) == isBelow)
  }

  /// The limit, which is that of the DNS, bounds the work for a long host.
  @Test mutating func aCookieIsSentUpTo127LabelsBelowItsDomain() throws {
    try receive("a=1; Domain=shop.example", "https://shop.example/")
    for count in 126...128 {
      let host = String(repeating: "a.", count: count) + "shop.example"
      #expect(try sent("https://\(host)/") == (count <= 127 ? "a=1" : ""))
    }
  }

  @Test mutating func aCookieWithoutADomainIsForTheHostOnly() throws {
    try receive("a=1", "https://shop.example/")
    try receive("b=2; Domain=shop.example", "https://shop.example/")
    // A public suffix as its own domain.
    try receive("c=3; Domain=github.io", "https://github.io/")
    #expect(try sent("https://shop.example/") == "a=1; b=2")
    #expect(try sent("https://www.shop.example/") == "b=2")
    #expect(try sent("https://shop.example.other.example/") == "")
    #expect(try sent("https://example/") == "")
    #expect(try sent("https://me.github.io/") == "")
    #expect(store.cookies.map(\.isHostOnly) == [true, false, true])
  }

  /// Swift calls both texts equal.
  @Test mutating func textsAreComparedByTheirBytes() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    for text in [composed, decomposed] {
      try receive("\(text)=1; Path=/", "https://shop.example/a")
      try receive("path=1; Path=/\(text)", "https://shop.example/a")
    }
    #expect(store.cookies.map(\.name).map(\.utf8.count) == [2, 4, 3, 4])
    try receive("\(composed)=\(composed)", "https://shop.example/a")
    let revision = store.revision
    try receive("\(composed)=\(decomposed)", "https://shop.example/a")
    #expect(store.revision == revision + 1)
    #expect(store.cookies.map(\.value).map(\.utf8.count) == [3, 1, 1, 1])
    #expect(
      Cookie("a", composed, domain: "a.example") != Cookie("a", decomposed, domain: "a.example"))
  }

  @Test mutating func aHostCookieAndADomainCookieOfANameAreDifferent() throws {
    try receive("a=1", "https://shop.example/")
    try receive("a=2; Domain=shop.example", "https://shop.example/")
    #expect(try sent("https://shop.example/") == "a=1; a=2")
  }

  // MARK: Paths

  @Test(arguments: [
    ("/", "/", true), ("/", "/a/b", true), ("/a", "/a", true), ("/a", "/a/b", true),
    ("/a", "/ab", false), ("/a/", "/a", false), ("/a/", "/a/", true), ("/a/", "/a/b", true),
    ("/a", "/", false), ("/A", "/a", false), ("/a%2Fb", "/a/b", false), ("/a", "/a?b", true),
    ("/a", "/a#b", true), ("/a", "/?x=/a", false), ("/a/b", "/a//b", false), ("/a", "", false),
    ("/", "?b", true), ("/", "", true),
  ])
  mutating func aCookieIsSentToItsPathAndBelow(
    _ path: String, _ requested: String, _ isSent: Bool
  ) throws {
    try receive("a=1; Path=\(path)", "https://shop.example/")
    #expect(try sent("https://shop.example\(requested)") == (isSent ? "a=1" : ""))
  }

  @Test(arguments: [
    ("", "/"), ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/?c/d", "/a/b"),
    ("//", "/"), ("//a", "/"), ("?/a/b", "/"), ("/a/%2F", "/a"),
  ])
  mutating func theDefaultPathIsTheFolderOfTheRequest(_ requested: String, _ path: String) throws {
    try receive("a=1", "https://shop.example\(requested)")
    #expect(store.cookies.map(\.path) == [path])
  }

  @Test mutating func longerPathsComeFirstThenOlderCookies() throws {
    for name in ["d", "b", "e"] {
      try receive("\(name)=1; Path=/", "https://shop.example/x/y")
      try receive("\(name)x=1; Path=/x", "https://shop.example/x/y")
    }
    try receive("d=2; Path=/", "https://shop.example/x/y")
    #expect(try sent("https://shop.example/x/y") == "dx=1; bx=1; ex=1; d=2; b=1; e=1")
    #expect(store.cookies.map(\.name) == ["d", "dx", "b", "bx", "e", "ex"])
  }

  // MARK: Secure

  @Test(arguments: [
    "Secure", "secure", "Secure=", "Secure; HttpOnly", "HttpOnly; Secure", "Path=/; Secure",
    "Max-Age=100; Secure", "Secure; Domain=shop.example", "Secure; Expires=x; SameSite=None",
  ])
  mutating func aSecureCookieIsNeverSentOverHTTP(_ attributes: String) throws {
    try receive("a=1; Path=/; \(attributes)", "https://shop.example/")
    #expect(try sent("http://shop.example/") == "")
    #expect(try sent("https://shop.example/") == "a=1")
    try receive("b=1; Path=/; \(attributes)", "http://shop.example/")
    #expect(store.count == 1)
  }

  @Test(arguments: [
    ("https://a.shop.example/", "a=1; Secure; Path=/", "a=2; Path=/", false),
    ("https://a.shop.example/", "a=1; Secure; Path=/", "a=2; Path=/x", false),
    ("https://a.shop.example/", "a=1; Secure; Path=/x", "a=2; Path=/", true),
    ("https://a.shop.example/", "a=1; Secure; Path=/", "b=2; Path=/", true),
    ("https://a.shop.example/", "a=1; Path=/", "a=2; Path=/", true),
    ("https://a.shop.example/", "a=1; Secure; Path=/; Domain=shop.example", "a=2; Path=/", false),
    ("https://a.shop.example/", "a=1; Secure; Path=/", "a=2; Path=/; Domain=shop.example", false),
    ("https://b.shop.example/", "a=1; Secure; Path=/", "a=2; Path=/", true),
    ("https://b.shop.example/", "a=1; Secure; Path=/", "a=2; Path=/; Domain=shop.example", false),
    ("https://b.other.example/", "a=1; Secure; Path=/", "a=2; Path=/; Domain=shop.example", true),
  ])
  mutating func aCookieSetOverHTTPHidesNoSecureOne(
    _ url: String, _ secure: String, _ plain: String, _ isStored: Bool
  ) throws {
    try receive(secure, url)
    try receive(plain, "http://a.shop.example/x/y")
    #expect(store.cookies.contains { $0.value == "2" } == isStored)
  }

  @Test mutating func aSecureCookieThatHasExpiredProtectsNothing() throws {
    try receive("a=1; Secure; Path=/; Max-Age=10", "https://shop.example/")
    try receive("a=2; Path=/", "http://shop.example/", after: 9)
    #expect(store.cookies.map(\.value) == ["1"])
    try receive("a=2; Path=/", "http://shop.example/", after: 10)
    #expect(store.cookies.map(\.value) == ["2"])
  }

  @Test(arguments: [
    ("a=1; SameSite=None; Secure", true), ("a=1; SameSite=None", false),
    ("a=1; SameSite=None; SameSite=Lax", true), ("a=1; SameSite=Lax; SameSite=none", false),
    ("a=1; SameSite=Strict", true), ("a=1; SameSite=x", true),
  ])
  mutating func aCookieForAllSitesMustBeSecure(_ field: String, _ isStored: Bool) throws {
    try receive(field, "https://shop.example/")
    #expect(store.count == (isStored ? 1 : 0))
  }

  @Test(arguments: [
    ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__SECURE-a=1", false),
    ("__Host-a=1; Secure; Path=/", true), ("__Host-a=1; Path=/", false),
    ("__Host-a=1; Secure", false), ("__Host-a=1; Secure; Path=/x", false),
    ("__host-a=1; Secure; Path=/; Domain=shop.example", false),
    ("__Host-a=1; Secure; Path=/; Domain=", true), ("__Hosta=1", true), ("a__Host-=1", true),
  ])
  mutating func prefixesHaveConditions(_ field: String, _ isStored: Bool) throws {
    try receive(field, "https://shop.example/")
    #expect(store.count == (isStored ? 1 : 0))
  }

  // MARK: Expiry

  @Test mutating func aCookieExpiresWhenItIsSent() throws {
    try receive("a=1; Max-Age=10", "https://shop.example/")
    try receive("b=2", "https://shop.example/")
    #expect(try sent("https://shop.example/", after: 9.9) == "a=1; b=2")
    #expect(try sent("https://shop.example/", after: 10) == "b=2")
    #expect(store.count == 1)
  }

  @Test mutating func cookiesThatExpireTogetherAreRemovedInTheOrderOfTheirCreation() throws {
    for number in 0..<20 {
      try receive(
        "a=\(number); Max-Age=\(40 - number)", "https://h\(number % 7).example/\(number)/")
    }
    let created = store.cookies
    let changes = store.removeExpired(at: now.addingTimeInterval(30))
    #expect(changes == created.suffix(10).map { .removed($0, .expired) })
    #expect(store.removeExpired(at: now.addingTimeInterval(30.5)).isEmpty)
    #expect(store.removeExpired(at: now.addingTimeInterval(31)).map(\.cookie) == [created[9]])
  }

  @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
  mutating func anExpiredCookieRemovesTheStoredOne(_ attribute: String) throws {
    for path in ["/", "/x"] { try receive("a=1; Path=\(path)", "https://shop.example/") }
    try receive("a=; Path=/; \(attribute)", "https://shop.example/")
    try receive("a=; Path=/x; \(attribute)", "https://other.example/")
    #expect(store.cookies.map(\.path) == ["/x"])
  }

  // MARK: Limits

  @Test mutating func aDomainHas50CookiesAndLosesTheLeastRecentlySent() throws {
    for number in 0..<50 { try receive("c\(number)=1; Path=/\(number)", "https://shop.example/") }
    try receive("s=1; Secure; Path=/secure", "https://other.example/")
    #expect(try sent("https://shop.example/0") == "c0=1")
    try receive("new=1", "https://shop.example/")
    let names = store.cookies.map(\.name)
    #expect(names.count == 51 && names.contains("c0") && !names.contains("c1"))
    #expect(names.contains("new") && names.contains("s"))
  }

  @Test mutating func cookiesWithoutSecureAreEvictedFirst() throws {
    for number in 0..<50 {
      try receive("c\(number)=1\(number == 30 ? "" : "; Secure")", "https://shop.example/")
    }
    try receive("new=1; Secure", "https://shop.example/")
    #expect(store.count == 50 && !store.cookies.contains { $0.name == "c30" })
  }

  @Test mutating func aSiteCannotEvictTheCookiesOfOthers() throws {
    try receive("a=1", "https://shop.example/")
    for host in 0..<100 {
      for number in 0..<40 { try receive("c\(number)=1", "https://h\(host).evil.example/") }
    }
    #expect(store.count == 3_000)
    #expect(try sent("https://shop.example/") == "a=1")
    #expect(try sent("https://h0.evil.example/") == "")
    #expect(try sent("https://h99.evil.example/") != "")
  }

  @Test mutating func ofManySitesTheLeastRecentlySentLosesItsCookie() throws {
    for host in 0..<3_000 { try receive("a=1", "https://h\(host).example/") }
    #expect(try sent("https://h0.example/") == "a=1")
    try receive("a=1", "https://new.example/")
    #expect(store.count == 3_000)
    #expect(try sent("https://h0.example/") == "a=1")
    #expect(try sent("https://h1.example/") == "")
    #expect(try sent("https://new.example/") == "a=1")
  }

  @Test mutating func theRevisionCountsNamesAndValuesOnly() throws {
    var revisions = [store.revision]
    for field in ["a=1; Max-Age=9", "a=1; Max-Age=10", "a=2", "b=1", "b=1; Max-Age=0"] {
      try receive(field, "https://shop.example/")
      revisions.append(store.revision)
    }
    #expect(revisions == [0, 1, 1, 2, 3, 4])
  }
}
