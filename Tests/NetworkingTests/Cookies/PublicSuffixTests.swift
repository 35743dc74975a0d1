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
    // International names in Punycode.
    ("xn--85x722f.com.cn", "xn--85x722f.com.cn"), ("xn--55qx5d.cn", nil),
    ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"), ("xn--fiqs8s", nil),
    ("shishi.xn--fiqs8s", "shishi.xn--fiqs8s"),
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
