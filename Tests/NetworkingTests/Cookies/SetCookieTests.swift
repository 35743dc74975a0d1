import Foundation
import TestGate
import Testing

@testable import Networking

/// The parser of `Set-Cookie`, by RFC 6265bis section 5.6.
@Suite(.gated)
struct SetCookieTests {
  /// A field and the name and the value of its cookie; `nil` if the field is ignored.
  struct Case: Sendable, CustomTestStringConvertible {
    let field: String
    let pair: [String]?
    var testDescription: String { String(field.prefix(60)).debugDescription }

    init(_ field: String, _ pair: String...) {
      self.field = field
      self.pair = pair.isEmpty ? nil : pair
    }
  }

  @Test(arguments: [
    Case("a=1", "a", "1"), Case("a=", "a", ""), Case("a=;", "a", ""), Case("a==", "a", "="),
    Case("a=b=c", "a", "b=c"), Case("a = b", "a", "b"), Case("  a  =  b  ", "a", "b"),
    Case("\ta\t=\tb\t", "a", "b"), Case("a b=c d", "a b", "c d"), Case("a=b;", "a", "b"),
    Case("a=b;;;", "a", "b"), Case("a=b; ; ;", "a", "b"), Case("a=\"b\"", "a", "\"b\""),
    Case("a=\"b c\"", "a", "\"b c\""), Case("a=\"b;c\"", "a", "\"b"),
    Case("a=\" b \"", "a", "\" b \""),
    Case("\"a\"=b", "\"a\"", "b"), Case("a=b, c=d", "a", "b, c=d"),
    Case("a=b,c=d; Path=/", "a", "b,c=d"),
    Case("A=b", "A", "b"), Case("$Version=1; a=b", "$Version", "1"), Case("a,b=c", "a,b", "c"),
    Case("a\\=b", "a\\", "b"), Case("a=\\\"b", "a", "\\\"b"), Case("a=1\t2", "a", "1\t2"),
    Case("path=/", "path", "/"), Case("secure=1", "secure", "1"), Case("a=b\u{A0}", "a", "b\u{A0}"),
    Case("ä=ö", "ä", "ö"), Case("😀😀😀=1", "😀😀😀", "1"),
    Case("e\u{301}=\u{301}", "e\u{301}", "\u{301}"),
    Case("a=1; 😀😀😀=1", "a", "1"), Case("a=1; e\u{301}\u{301}", "a", "1"),
    Case("\u{301}=1", "\u{301}", "1"),
    Case("a=%00%3B", "a", "%00%3B"), Case("<a>=[b]{c}", "<a>", "[b]{c}"), Case("a=b ; c", "a", "b"),
  ])
  func thePairIsTheTextBeforeTheFirstSemicolon(_ example: Case) {
    let cookie = SetCookie(example.field)
    #expect(cookie.map { [$0.name, $0.value] } == example.pair)
  }

  @Test(arguments: [
    "", " ", "\t", ";", "; a=b", "a", "a; b=c", "=", "=a", " =a", "==a", "=a=b", "; =", "\"a\"; b",
    "__Host-a", "Secure", "😀",
  ])
  func aFieldWithoutANameIsIgnored(_ field: String) {
    #expect(SetCookie(field) == nil)
  }

  @Test(arguments: Array(0...8) + Array(10...31) + [127])
  func aFieldWithAControlCharacterIsIgnored(_ byte: Int) {
    let character = String(Unicode.Scalar(UInt8(byte)))
    for field in ["\(character)a=1", "a\(character)=1", "a=1\(character)", "a=1; \(character)"] {
      #expect(SetCookie(field) == nil)
    }
  }

  @Test func nameAndValueHaveAtMost4096Bytes() {
    #expect(SetCookie("a=" + String(repeating: "b", count: 4_095)) != nil)
    #expect(SetCookie("a=" + String(repeating: "b", count: 4_096)) == nil)
    #expect(SetCookie(String(repeating: "ä", count: 2_048) + "=") != nil)
    #expect(SetCookie(String(repeating: "ä", count: 2_048) + "=b") == nil)
    #expect(SetCookie("a=" + String(repeating: " ", count: 9_000) + "b") != nil)
  }

  @Test func anAttributeOfMoreThan1024BytesIsIgnored() {
    let path = "/" + String(repeating: "a", count: 1_023)
    #expect(SetCookie("a=1; Path=\(path)")?.path == path)
    #expect(SetCookie("a=1; Path=/b; Path=\(path)c")?.path == "/b")
  }

  @Test(arguments: [
    ("Path=/a", "/a"), ("path=/a", "/a"), ("PATH = /a ", "/a"), ("Path=/a; Path=/b", "/b"),
    ("Path=/a; Path=b", nil), ("Path=/a; Path", nil), ("Path=", nil), ("Path=a", nil),
    ("Path=\"/a\"", nil), ("Path=/a=b", "/a=b"), ("Pathe=/a", nil), ("\tPath\t=\t/a\t", "/a"),
    ("Path=/a%2Fb", "/a%2Fb"), ("Path=/ä", "/ä"), ("Path=/ b", "/ b"),
  ])
  func theLastPathApplies(_ attributes: String, _ path: String?) {
    #expect(SetCookie("a=1; \(attributes)")?.path == path)
  }

  @Test(arguments: [
    ("Domain=A.Example", "a.example"), ("Domain=.a.example", "a.example"),
    ("Domain=..a.example", ".a.example"), ("Domain=", ""), ("Domain", ""), ("Domain=.", ""),
    ("Domain=a.example; Domain=b.example", "b.example"), ("Domain=a.example; Domain=", ""),
    ("DOMAIN= a.example ", "a.example"), ("Domain=a.example.", "a.example."),
  ])
  func theLastDomainApplies(_ attributes: String, _ domain: String) {
    #expect(SetCookie("a=1; \(attributes)")?.domain == domain)
  }

  @Test(arguments: [
    ("Secure", true), ("secure", true), ("SECURE=", true), ("Secure=no", true), ("Secure =1", true),
    ("Secure; Path=/", true), ("Path=/;Secure", true), ("Max-Age=9; Secure", true),
    ("HttpOnly; Secure", true), ("\"Secure\"", false), ("Secure x", false), ("Securé", false),
    ("ſecure", false),
  ])
  func secureIsFoundAnywhere(_ attributes: String, _ isSecure: Bool) {
    #expect(SetCookie("a=1; \(attributes)")?.isSecure == isSecure)
    #expect(SetCookie("a=1;\(attributes)")?.isSecure == isSecure)
  }

  @Test(arguments: [
    ("SameSite=Lax", Cookie.SameSite.lax), ("samesite=STRICT", .strict), ("SameSite=None", .none),
    ("SameSite", .unspecified), ("SameSite=x", .unspecified),
    ("SameSite=Lax; SameSite=x", .unspecified),
    ("SameSite=unspecified", .unspecified), ("HttpOnly", .unspecified),
  ])
  func theLastSameSiteApplies(_ attributes: String, _ sameSite: Cookie.SameSite) {
    let cookie = SetCookie("a=1; \(attributes)")
    #expect(cookie?.sameSite == sameSite && cookie?.isHTTPOnly == (attributes == "HttpOnly"))
  }

  @Test(arguments: [
    ("Max-Age=1000", 1_000.0), ("max-age=007", 7), ("Max-Age=34560000", 34_560_000),
    ("Max-Age=99999999999999999999999", 34_560_000), ("Max-Age=1; Max-Age=2", 2),
    ("Max-Age=1; Max-Age=x", 1), ("Max-Age=soon", nil), ("Max-Age=", nil), ("Max-Age=1.5", nil),
    ("Max-Age=1 2", nil), ("Max-Age=+1", nil), ("Max-Age=-", nil), ("Max-Age=١", nil),
    ("Max-Age=5; Expires=Sun, 06 Nov 1994 12:00:00 GMT", 5),
    ("Expires=Fri, 01 Jan 2100 00:00:00 GMT", 34_560_000), ("Expires=soon", nil),
    ("Expires=Thu, 01 Jan 1970 00:00:10 GMT", 10),
    ("Expires=Thu, 01 Jan 1970 00:00:10 GMT; Expires=x", 10),
  ])
  func aCookieLivesForAtMost400Days(_ attributes: String, _ seconds: Double?) {
    let expiry = SetCookie("a=1; \(attributes)")?.expiry(at: Date(timeIntervalSince1970: 0))
    #expect(expiry?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: ["0", "-0", "-1", "-99999999999999999999", "00"])
  func aMaxAgeOfZeroOrLessHasExpired(_ age: String) throws {
    let expiry = try #require(SetCookie("a=1; Max-Age=\(age)")?.expiry(at: Date()))
    #expect(expiry < Date(timeIntervalSince1970: 0))
  }
}
