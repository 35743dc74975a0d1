import TestSupport
import Testing

@testable import Mocking

struct TextSearchTests {
  private func masked(_ text: String, _ wanted: String...) -> String? {
    var search = MultiPatternSearch()
    for text in wanted { search.insert(text) }
    return search.replacing(in: text, with: "*")
  }

  @Test func whatIsFoundIsReplacedWhereverItStands() {
    #expect(masked("abcdefgh1 abcdefgh1", "abcdefgh1") == "* *")
    #expect(masked("xabcdefgh1y", "abcdefgh1") == "x*y")
    #expect(masked("abcdefgh", "abcdefgh") == "*")
    #expect(masked("abcdefg", "abcdefgh") == nil)
    #expect(masked("abcdefgh2", "abcdefgh1") == nil)
    #expect(masked("", "abcdefgh") == nil)
  }

  @Test func ofSeveralTheLongestCounts() {
    #expect(masked("abcdefgh12", "abcdefgh", "abcdefgh12", "abcdefgh1") == "*")
  }

  @Test func whatOverlapsLeavesNothing() {
    #expect(masked("-abcdefgh1234-", "abcdefgh", "efgh1234") == "-*-")
    #expect(masked("abcdefghabcdefgh", "abcdefgh") == "**")
  }

  @Test func whatIsTooShortIsNotLookedFor() {
    #expect(masked("abc", "abc") == nil)
  }

  @Test func lettersOfSeveralBytesStayWhole() {
    #expect(masked("éßßßßéü", "ßßßß") == "é*éü")
    // By bytes: a mark behind a secret makes another letter of its last, and hides nothing.
    #expect(masked("abcdefgh\u{301}", "abcdefgh") == "*\u{301}")
  }

  @Test func itFindsWhatLookingForEachFinds() {
    var lots = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let letters = Array("ab")
      func text(_ count: Int) -> String {
        String((0..<count).map { _ in letters[Int.random(in: 0..<2, using: &lots)] })
      }
      let wanted = (0..<5).map { _ in text(Int.random(in: 8...10, using: &lots)) }
      let whole = text(200)
      var search = MultiPatternSearch()
      for text in wanted { search.insert(text) }
      let isThere = wanted.contains { whole.contains($0) }
      let masked = search.replacing(in: whole, with: "*")
      #expect((masked != nil) == isThere)
      if let masked { #expect(!wanted.contains { masked.contains($0) }) }
    }
  }
}
