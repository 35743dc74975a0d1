import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings

@Suite(.gated)
struct MultiPatternSearchTests {
  private func masked(_ text: String, _ patterns: String...) -> String? {
    var search = MultiPatternSearch()
    for text in patterns { search.insert(text, replacement: "*") }
    return search.replacing(in: text)
  }

  @Test func allOccurrencesAreReplaced() {
    #expect(masked("abcdefgh1 abcdefgh1", "abcdefgh1") == "* *")
    #expect(masked("xabcdefgh1y", "abcdefgh1") == "x*y")
    #expect(masked("abcdefgh", "abcdefgh") == "*")
    #expect(masked("abcdefg", "abcdefgh") == nil)
    #expect(masked("abcdefgh2", "abcdefgh1") == nil)
    #expect(masked("", "abcdefgh") == nil)
  }

  @Test func theLongestOfSeveralMatchesIsReplaced() {
    #expect(masked("abcdefgh12", "abcdefgh", "abcdefgh12", "abcdefgh1") == "*")
  }

  /// Web tokens start with the same bytes.
  @Test func manyPatternsWithTheSameStartAreFound() {
    var search = MultiPatternSearch()
    for index in 0..<5_000 { search.insert("eyJhbGci\(index * 3)", replacement: "*") }
    let text = String(repeating: "eyJhbGci14997 eyJhbGci1 eyJhbGci3x ", count: 2_000)
    let expected = String(repeating: "* eyJhbGci1 *x ", count: 2_000)
    #expect(search.replacing(in: text) == expected)
  }

  @Test func overlappingMatchesAreReplacedCompletely() {
    #expect(masked("-abcdefgh1234-", "abcdefgh", "efgh1234") == "-*-")
    #expect(masked("abcdefghabcdefgh", "abcdefgh") == "**")
  }

  @Test func shortTextsAreNotSearched() {
    #expect(masked("abc", "abc") == nil)
  }

  @Test func multibyteCharactersAreNotSplit() {
    #expect(masked("éßßßßéü", "ßßßß") == "é*éü")
    // The search compares bytes, because a combining mark after a secret changes its last
    // character.
    #expect(masked("abcdefgh\u{301}", "abcdefgh") == "*\u{301}")
  }

  @Test func theSearchFindsAllMatchesOfIndividualSearches() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let letters = Array("ab")
      func text(_ count: Int) -> String {
        String((0..<count).map { _ in letters[Int.random(in: 0..<2, using: &random)] })
      }
      let patterns = (0..<5).map { _ in text(Int.random(in: 8...10, using: &random)) }
      let whole = text(200)
      var search = MultiPatternSearch()
      for text in patterns { search.insert(text, replacement: "*") }
      let isFound = patterns.contains { whole.contains($0) }
      let masked = search.replacing(in: whole)
      #expect((masked != nil) == isFound)
      if let masked { #expect(!patterns.contains { masked.contains($0) }) }
    }
  }
}
