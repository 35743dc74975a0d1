import Foundation
import TestGate
import Testing

@testable import Networking

/// The public suffix list, by the algorithm of publicsuffix.org.
@Suite(.gated)
struct PublicSuffixTests {
  @Test(arguments: [
    // Unlisted top-level domains have the rule `*`.
    ("example", nil), ("example.example", "example.example"),
    ("b.example.example", "example.example"),
    ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
    ("example.com.", "example.com"), ("com.", nil), ("biz", nil), ("domain.biz", "domain.biz"),
    ("uk.com", nil), ("example.uk.com", "example.uk.com"), ("test.ac", "test.ac"),
    // Wildcards and exceptions.
    ("mm", nil), ("c.mm", nil), ("b.c.mm", "b.c.mm"), ("a.b.c.mm", "b.c.mm"),
    ("jp", nil), ("test.jp", "test.jp"), ("ac.jp", nil), ("test.ac.jp", "test.ac.jp"),
    ("kyoto.jp", nil), ("ide.kyoto.jp", nil), ("b.ide.kyoto.jp", "b.ide.kyoto.jp"),
    ("c.kobe.jp", nil), ("b.c.kobe.jp", "b.c.kobe.jp"), ("city.kobe.jp", "city.kobe.jp"),
    ("www.city.kobe.jp", "city.kobe.jp"), ("ck", nil), ("test.ck", nil), ("b.test.ck", "b.test.ck"),
    ("www.ck", "www.ck"), ("www.www.ck", "www.ck"), ("us", nil), ("ak.us", nil),
    ("k12.ak.us", nil), ("test.k12.ak.us", "test.k12.ak.us"),
    ("www.test.k12.ak.us", "test.k12.ak.us"),
    // The parent of a wildcard is a suffix, unlike the names above it, and libpsl agrees.
    ("kobe.jp", nil), ("kobe.jp.", nil), ("a.b.city.kobe.jp", "city.kobe.jp"),
    ("compute.amazonaws.com", nil), ("compute.amazonaws.com.", nil),
    ("eu.compute.amazonaws.com", nil), ("a.eu.compute.amazonaws.com", "a.eu.compute.amazonaws.com"),
    ("b.a.eu.compute.amazonaws.com", "a.eu.compute.amazonaws.com"), ("nom.br", nil),
    ("a.nom.br", nil), ("b.a.nom.br", "b.a.nom.br"), ("webhare.dev", nil), ("a.webhare.dev", nil),
    ("b.a.webhare.dev", "b.a.webhare.dev"), ("www.ck.", "www.ck"),
    // International names in Punycode.
    ("xn--85x722f.com.cn", "xn--85x722f.com.cn"), ("xn--55qx5d.cn", nil),
    ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"), ("xn--fiqs8s", nil),
    ("shishi.xn--fiqs8s", "shishi.xn--fiqs8s"), ("xn--bcher-kva", nil),
    ("a.xn--bcher-kva.xn--bcher-kva", "xn--bcher-kva.xn--bcher-kva"),
    // The second part of the list.
    ("github.io", nil), ("me.github.io", "me.github.io"), ("blogspot.com", nil),
    ("s3.amazonaws.com", nil), ("b.s3.amazonaws.com", "b.s3.amazonaws.com"),
    ("amazonaws.com", "amazonaws.com"), ("localhost", nil),
  ])
  func theRegistrableNameIsTheSuffixAndALabel(_ name: String, _ registrable: String?) {
    #expect(PublicSuffixes.shared.registrableName(of: name) == registrable)
    #expect(PublicSuffixes.shared.contains(name) == (registrable == nil))
  }

  @Test(arguments: ["", ".", "..", ".com", "..com", "a..com", "com..", ".a.", "-", "*", "!www.ck"])
  func malformedNamesHaveSomeResult(_ name: String) {
    _ = PublicSuffixes.shared.contains(name)
    _ = PublicSuffixes.shared.registrableName(of: name)
  }

  @Test func theParentOfAWildcardIsASuffix() {
    let suffixes = PublicSuffixes(rules: "a(*,!b),.c(.d(*)),.e(f)")
    for suffix in ["a", "q.a", "d.c", "q.d.c", "f.e", "c", "e", "unlisted"] {
      #expect(suffixes.contains(suffix) && suffixes.contains("\(suffix)."), "\(suffix)")
      #expect(suffixes.registrableName(of: suffix) == nil)
    }
    for name in ["b.a", "g.e", "q.c", "q.q.d.c", "h.unlisted"] {
      #expect(suffixes.registrableName(of: "www.\(name)") == name)
    }
  }

  @Test func theListIsComplete() {
    #expect(PublicSuffixes.shared.count > 9_000)
  }

  @Test(arguments: ["", "(", ")", "))", "((a", "a(b", "*", ",,", "!", ".", "a(*,!b),.c(d)"])
  func anyTextCanBeAList(_ rules: String) {
    let suffixes = PublicSuffixes(rules: rules)
    #expect(suffixes.contains("a"))
    #expect(suffixes.contains("d.c") == rules.contains(".c(d)"))
    #expect(!suffixes.contains("c.d"))
  }
}
