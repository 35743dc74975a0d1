import Foundation

@testable import Networking

extension FuzzTarget {
  /// The parser of `Set-Cookie`, the store of cookies, and the `Cookie` field.
  ///
  /// The first line of the input is the URL of a response, or more than one; each other line is the
  /// value of a `Set-Cookie` field. A line that is a URL starts another response.
  static let cookies = FuzzTarget("cookies") { input in
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let jar = CookieJar(wallClock: { now })
    var urls: [URL] = []
    for line in input.lines {
      if line.hasPrefix("http"), let url = URL(string: line) {
        urls.append(url)
      } else if let url = urls.last {
        if let field = SetCookie(line) { check(field, line, now) }
        let before = jar.cookies
        let hasChanged = jar.set(parsing: line, from: url)
        expect(hasChanged == (before != jar.cookies) || hasChanged, "no change is concealed")
        if CookieScope(url)?.isSecure == false {
          let isKept = before.filter(\.isSecure).allSatisfy { secure in
            jar.cookies.contains(secure)
          }
          expect(isKept, "a response over http changes no secure cookie: \(line)")
        }
      }
    }
    let cookies = jar.cookies
    for cookie in cookies { check(cookie, now) }
    expect(Set(cookies.map(\.key)).count == cookies.count, "no cookie is there twice")
    for url in urls { check(jar, url) }
    checkCopy(jar, now)
    Growth.checkLinear(input) { bytes in
      _ = SetCookie(String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func check(_ field: SetCookie, _ line: String, _ now: Date) {
    expect(!field.name.isEmpty, "a cookie has a name")
    expect(field.name.utf8.count + field.value.utf8.count <= Cookie.maximumSize, "it is bounded")
    if let expiry = field.expiry(at: now) {
      expect(expiry <= now.addingTimeInterval(SetCookie.maximumAge), "it lives 400 days at most")
    }
    // The name, the value and the attributes are read again from the form in which they are sent.
    var text = "\(field.name)=\(field.value)"
    if !field.domain.isEmpty { text += ";Domain=\(field.domain)" }
    if let path = field.path { text += ";Path=\(path)" }
    if let age = field.maxAge { text += ";Max-Age=\(Int(age))" }
    if field.isSecure { text += "; secure" }
    if field.isHTTPOnly { text += ";HTTPONLY;" }
    if field.sameSite != .unspecified { text += "; SameSite=\(field.sameSite.rawValue)" }
    let again = unwrap(SetCookie(text), "a cookie that is written again is a cookie: \(text)")
    expect(
      again.name == field.name && again.value == field.value && again.path == field.path
        && again.maxAge == field.maxAge && again.isSecure == field.isSecure
        && again.isHTTPOnly == field.isHTTPOnly && again.sameSite == field.sameSite,
      "a cookie that is written again is equal: \(text) from \(line)")
  }

  private static func check(_ cookie: Cookie, _ now: Date) {
    expect(cookie.defect == nil, "a stored cookie is valid: \(cookie), \(cookie.defect ?? "")")
    expect(!cookie.hasExpired(at: now), "a stored cookie has not expired: \(cookie)")
    let line = cookie.description
    expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a description is one line")
    var other = cookie
    other.value = cookie.value.isEmpty ? "" : "other"
    expect(other.description == line, "a description hides the value: \(line)")
  }

  private static func check(_ jar: CookieJar, _ url: URL) {
    let sent = jar.cookies(for: url)
    guard let scope = CookieScope(url) else {
      expect(sent.isEmpty && jar.field(for: url) == nil, "no cookie is sent to \(url)")
      return
    }
    for cookie in sent {
      expect(scope.isSecure || !cookie.isSecure, "a secure cookie is sent over https only")
      expect(
        cookie.isHostOnly ? scope.host == cookie.domain : scope.matches(domain: cookie.domain),
        "a cookie is sent to its domain: \(cookie), \(url)")
    }
    let field = sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    expect((jar.field(for: url) ?? "") == field, "the field has the cookies in order")
    expect(HTTPHeaders.isValid(value: field), "the field can be sent")
  }

  /// Checks that another jar accepts the cookies of a jar.
  private static func checkCopy(_ jar: CookieJar, _ now: Date) {
    let copy = CookieJar(wallClock: { now })
    for cookie in jar.cookies {
      do {
        try copy.set(cookie)
      } catch {
        fatalError("violated: another jar accepts \(cookie): \(error)")
      }
    }
    expect(copy.cookies == jar.cookies, "the copy of a jar is equal")
  }
}
