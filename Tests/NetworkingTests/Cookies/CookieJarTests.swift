import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The interface of a jar.
@Suite(.gated)
struct CookieJarTests {
  private let url = URL.of("https://shop.example/a/b")
  private let theme = Cookie("theme", "dark", domain: "shop.example")

  @Test func cookiesAreListedInTheOrderOfTheirCreation() throws {
    let jar = CookieJar()
    try jar.set(theme)
    try jar.set(Cookie("sid", "7", domain: "Other.Example", path: "/a"))
    try jar.set(Cookie("theme", "light", domain: "shop.example"))
    #expect(jar.cookies.map(\.name) == ["theme", "sid"])
    #expect(jar.cookies.map(\.value) == ["light", "7"])
    #expect(jar.cookies.map(\.domain) == ["shop.example", "other.example"])
    #expect(jar.description == "CookieJar(2 cookies)")
  }

  @Test func theCookiesForAURLAreThoseThatAreSent() throws {
    let jar = CookieJar()
    try jar.set(theme)
    try jar.set(Cookie("deep", "1", domain: "example", isHostOnly: true))
    try jar.set(Cookie("sid", "7", domain: "shop.example", isHostOnly: false, path: "/a"))
    #expect(jar.cookies(for: url).map(\.name) == ["sid", "theme"])
    #expect(jar.field(for: url) == "sid=7; theme=dark")
    #expect(jar.cookies(for: .of("https://www.shop.example/a")).map(\.name) == ["sid"])
    for other in ["ftp://shop.example/", "mailto:a@shop.example", "/a"] {
      #expect(jar.cookies(for: try #require(URL(string: other))).isEmpty)
    }
  }

  @Test func aHostThatBeginsWithADotHasNoCookies() throws {
    let jar = CookieJar()
    try jar.set(Cookie("sid", "7", domain: "shop.example", isHostOnly: false))
    let url = try #require(URL(string: "http://@.shop.example/"))
    #expect(jar.cookies(for: url).isEmpty)
    #expect(!jar.set(parsing: "a=1", from: url))
  }

  @Test(arguments: [
    (Cookie("", "1", domain: "a.example"), "it has no name"),
    (Cookie("a=b", "1", domain: "a.example"), "its name has an invalid character"),
    (Cookie("a;b", "1", domain: "a.example"), "its name has an invalid character"),
    (Cookie(" a", "1", domain: "a.example"), "its name has an invalid character"),
    (Cookie("a", "1\r\nX: y", domain: "a.example"), "its value has an invalid character"),
    (Cookie("a", "1;b=2", domain: "a.example"), "its value has an invalid character"),
    (Cookie("a", "1\t", domain: "a.example"), "its value has an invalid character"),
    (Cookie("a", "1", domain: ""), "its domain is invalid"),
    (Cookie("a", "1", domain: "ä.example"), "its domain is invalid"),
    (Cookie("a", "1", domain: "co.uk", isHostOnly: false), "its domain is a public suffix"),
    (Cookie("a", "1", domain: "a.example", path: ""), "its path is invalid"),
    (Cookie("a", "1", domain: "a.example", path: "a"), "its path is invalid"),
    (Cookie("__Secure-a", "1", domain: "a.example"), "__Secure- requires Secure"),
    (
      Cookie("__Host-a", "1", domain: "a.example", path: "/x", isSecure: true),
      "__Host- requires Secure, the path / and no domain"
    ),
    (
      Cookie("a", String(repeating: "1", count: 4_096), domain: "a.example"),
      "its name and value have more than 4096 bytes"
    ),
  ])
  func anInvalidCookieIsNotStored(_ cookie: Cookie, _ reason: String) {
    let jar = CookieJar()
    let error = #expect(throws: NetworkError.self) { try jar.set(cookie) }
    #expect(error?.code == .invalidHeader)
    #expect(error?.reason == "a cookie cannot be stored: \(reason)")
    #expect(jar.cookies.isEmpty)
  }

  @Test func aCookieIsStoredForAtMost400Days() throws {
    let jar = CookieJar { Date(timeIntervalSince1970: 0) }
    var cookie = theme
    cookie.expires = .distantFuture
    try jar.set(cookie)
    #expect(jar.cookies.first?.expires == Date(timeIntervalSince1970: 34_560_000))
  }

  @Test func theTextOfAFieldCanBeSet() {
    let jar = CookieJar()
    #expect(jar.set(parsing: "sid=7; Path=/; Secure; HttpOnly; SameSite=Lax", from: url))
    #expect(!jar.set(parsing: "sid=7; Path=/; Secure; HttpOnly; SameSite=Lax", from: url))
    #expect(!jar.set(parsing: "sid", from: url))
    #expect(!jar.set(parsing: "sid=8", from: .of("file:///a")))
    let cookie = Cookie(
      "sid", "7", domain: "shop.example", isSecure: true, isHTTPOnly: true, sameSite: .lax)
    #expect(jar.cookies == [cookie])
  }

  @Test func cookiesAreRemovedByKeyAndByCondition() throws {
    let jar = CookieJar()
    try jar.set(theme)
    for name in ["a", "b", "c"] { try jar.set(Cookie(name, "1", domain: "a.example")) }
    jar.remove(Cookie("theme", "another value", domain: "shop.example", isSecure: true))
    jar.remove(Cookie("a", "1", domain: "a.example", path: "/x"))
    jar.remove(Cookie("a", "1", domain: "a.example", isHostOnly: false))
    #expect(jar.cookies.map(\.name) == ["a", "b", "c"])
    jar.removeAll { $0.name != "b" && !jar.cookies.isEmpty }
    #expect(jar.cookies.map(\.name) == ["b"])
    jar.removeAll()
    #expect(jar.cookies.isEmpty && jar.field(for: url) == nil)
  }

  @MainActor
  @Test func anObserverRunsOnTheActorOfItsCode() async throws {
    let jar = CookieJar()
    let log = MainActorLog<String>()
    jar.observe { log.append($0.cookie.name) }
    for name in ["a", "b"] { try jar.set(Cookie(name, "1", domain: "a.example")) }
    try await jar.synchronize().value
    await mainQueueHasRun()
    #expect(log.entries == ["a", "b"] && log.isOfMainQueue)
  }

  @Test func anObserverReceivesEachChangeInOrder() async throws {
    let time = Counter()
    let jar = CookieJar { Date(timeIntervalSince1970: Double(time.value)) }
    try jar.set(theme)
    let changes = Log<CookieJar.Change>()
    let observation = jar.observe { change in changes.append(change) }
    let old = theme
    var new = theme
    new.value = "light"
    new.expires = Date(timeIntervalSince1970: 10)
    try jar.set(new)
    try jar.set(new)
    time.add(10)
    #expect(jar.cookies.isEmpty)
    try jar.set(old)
    jar.remove(old)
    for number in 0...50 { try jar.set(Cookie("c\(number)", "1", domain: "a.example")) }
    try await jar.synchronize().value
    let expected: [CookieJar.Change] = [
      .stored(new, replacing: old), .removed(new, .expired), .stored(old, replacing: nil),
      .removed(old, .deleted),
    ]
    #expect(Array(changes.entries.prefix(4)) == expected)
    let last = Cookie("c50", "1", domain: "a.example")
    let first = Cookie("c0", "1", domain: "a.example")
    #expect(
      Array(changes.entries.dropFirst(54)) == [
        .stored(last, replacing: nil), .removed(first, .evicted),
      ])
    observation.remove()
    observation.remove()
    jar.removeAll()
    try await jar.synchronize().value
    #expect(changes.entries.count == 56)
  }

  @Test func anObserverReceivesNoChangeMadeBeforeItWasAdded() async throws {
    let jar = CookieJar()
    let (first, second) = (Log<String>(), Log<String>())
    let gate = DispatchSemaphore(value: 0)
    jar.observe { change in
      gate.wait()
      first.append(change.cookie.name)
    }
    for name in ["a", "b"] { try jar.set(Cookie(name, "1", domain: "a.example")) }
    jar.observe { second.append($0.cookie.name) }
    try jar.set(Cookie("c", "1", domain: "a.example"))
    for _ in 0..<3 { gate.signal() }
    try await jar.synchronize().value
    #expect(first.entries == ["a", "b", "c"] && second.entries == ["c"])
  }

  @Test func anObserverMayChangeTheJarAndRemoveItself() async throws {
    let jar = CookieJar()
    let seen = Log<String>()
    let holder = Log<CookieJar.Observation>()
    holder.append(
      jar.observe { [weak jar] change in
        seen.append(change.cookie.name)
        if change.cookie.name == "theme" {
          try? jar?.set(Cookie("second", "1", domain: "a.example"))
        } else {
          holder.entries.first?.remove()
          try? jar?.set(Cookie("third", "1", domain: "a.example"))
        }
      })
    try jar.set(theme)
    #expect(await seen.entries(2) == ["theme", "second"])
    try await jar.synchronize().value
    #expect(jar.cookies.count == 3 && seen.entries.count == 2)
  }

  @Test func concurrentChangesAreNeitherLostNorReordered() async throws {
    let jar = CookieJar()
    let changes = Log<CookieJar.Change>()
    jar.observe { changes.append($0) }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            try? jar.set(Cookie("a", "\(number)", domain: "h\(thread).example"))
            _ = jar.field(for: .of("https://h1.example/"))
          }
        }
      }
    }
    try await jar.synchronize().value
    for thread in 0..<4 {
      let values = changes.entries.map(\.cookie).filter { $0.domain == "h\(thread).example" }
        .map(\.value)
      #expect(values == (0..<100).map { "\($0)" })
    }
  }

  @Test func aDescriptionIsOneLineWithoutTheValue() {
    let cookie = Cookie(
      "sid\n", "s3cret", domain: "shop.example", isHostOnly: false, path: "/a",
      expires: Date(timeIntervalSince1970: 784_111_777), isSecure: true, isHTTPOnly: true,
      sameSite: .strict)
    let text =
      "sid\\n=***; Domain=.shop.example; Path=/a; Expires=Sun, 06 Nov 1994 08:49:37 GMT; "
      + "Secure; HttpOnly; SameSite=Strict"
    #expect("\(cookie)" == text && String(reflecting: cookie) == text)
    var dumped = ""
    dump(cookie, to: &dumped)
    dump(CookieJar.Change.stored(cookie, replacing: nil), to: &dumped)
    #expect(!dumped.contains("s3cret"))
    #expect(!"\(CookieJar.Change.removed(cookie, .expired))".contains("s3cret"))
  }

  @Test func noCharacterOfADescriptionEndsTheLine() {
    let separators = "\u{85}\u{9B}\u{2028}\u{2029}\u{7F}\u{0}\r\n"
    let cookie = Cookie(separators, "1", domain: separators, path: separators)
    #expect(cookie.description.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    #expect(Cookie("ä😀", "1", domain: "a.example").description.hasPrefix("ä😀=***; "))
  }

  // MARK: Foundation

  private let samples = [
    Cookie("a", "1", domain: "shop.example"),
    Cookie("b", "2", domain: "shop.example", isHostOnly: false, path: "/x", isSecure: true),
    Cookie(
      "c", "3 4", domain: "shop.example", expires: Date(timeIntervalSince1970: 4_000_000_000),
      isHTTPOnly: true),
  ]

  @Test func cookiesAreExportedAndImportedWithTheirAttributes() throws {
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let clock: @Sendable () -> Date = { Date(timeIntervalSince1970: 3_999_999_000) }
    let (jar, other) = (CookieJar(wallClock: clock), CookieJar(wallClock: clock))
    for cookie in samples { try jar.set(cookie) }
    jar.exportCookies(to: storage)
    other.importCookies(from: storage)
    #expect(Set(other.cookies) == Set(samples))
  }

  /// Foundation's parser on Linux traps on such texts.
  @Test func textsOutsideOfASCIIAreExportedAndImported() throws {
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let (jar, other) = (CookieJar(), CookieJar())
    let cookie = Cookie("😀e\u{301}", "\u{301}😀=😀", domain: "shop.example", path: "/😀")
    try jar.set(cookie)
    jar.exportCookies(to: storage)
    other.importCookies(from: storage)
    #expect(other.cookies == [cookie])
  }

  @Test func anExpiredCookieOfAStorageRemovesNoneOfTheJar() throws {
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let time = Counter()
    let jar = CookieJar { Date(timeIntervalSince1970: 4_000_000_000 + Double(time.value)) }
    var old = theme
    old.expires = Date(timeIntervalSince1970: 4_000_000_005)
    storage.setCookie(try #require(HTTPCookie(old)))
    time.add(10)
    try jar.set(theme)
    jar.importCookies(from: storage)
    #expect(jar.cookies == [theme])
  }

  @Test func clientsOfAStorageShareAJarThatCopiesItsChanges() async throws {
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    storage.setCookie(try #require(HTTPCookie(samples[0])))
    let jars = [CookiePolicy.storage(storage), .storage(storage)].map { $0.jar(orOfSession: nil) }
    let jar = try #require(jars[0])
    #expect(jars[1] === jar && jar.cookies == [samples[0]])
    try jar.set(samples[1])
    jar.remove(samples[0])
    try await jar.synchronize().value
    #expect(storage.cookies?.map(Cookie.init) == [samples[1]])
    #expect(storage.cookies?.first?.isSecure == true)
  }
}
