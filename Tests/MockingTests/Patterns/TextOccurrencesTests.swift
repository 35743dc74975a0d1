import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// Searches for texts that both may come from a request.
@Suite(.gated)
struct TextOccurrencesTests {
  private static let pieces = [
    "a", "b", "aa", "ab", "\r", "\n", "\r\n", "e", "\u{301}", "\u{E9}", ";", "\u{37E}", "😀", " ",
  ]

  @Test(arguments: 0..<8 as Range<UInt64>)
  func textsAreSplitAsFoundationSplitsThem(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func text(_ count: Range<Int>) -> String {
      (0..<Int.random(in: count, using: &generator))
        .map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
    }
    for _ in 0..<TestSize.of(300, full: 10_000) {
      let (part, text) = (text(1..<4), text(0..<20))
      let occurrences = TextOccurrences(of: part, in: text)
      let expected = text.components(separatedBy: part)
      #expect(occurrences.pieces == expected, "\(part.debugDescription) \(text.debugDescription)")
      #expect(occurrences.count() == expected.count - 1)
      #expect(TextOccurrences.contains(part, in: text) == (expected.count > 1))
    }
  }

  @Test func anEmptyTextIsContainedButDoesNotOccur() {
    #expect(TextOccurrences.contains("", in: "a"))
    #expect(TextOccurrences.contains("", in: ""))
    #expect(TextOccurrences(of: "", in: "a").pieces == ["a"])
    #expect(!TextOccurrences.contains("a", in: ""))
  }

  /// An element that counts its comparisons.
  private struct Element: Equatable {
    final class Comparisons {
      var count = 0
    }

    let value: Int
    let comparisons: Comparisons

    static func == (left: Element, right: Element) -> Bool {
      left.comparisons.count += 1
      return left.value == right.value
    }
  }

  /// Parts that almost occur at each position.
  @Test(arguments: [
    Array(repeating: 0, count: 5_000) + [1], [1] + Array(repeating: 0, count: 5_000),
    (0..<5_000).map { $0 % 2 } + [2], [0], [1],
  ])
  func theComparisonsOfASearchAreLinear(part: [Int]) {
    let comparisons = Element.Comparisons()
    func elements(_ values: [Int]) -> [Element] {
      values.map { Element(value: $0, comparisons: comparisons) }
    }
    for list in [Array(repeating: 0, count: 20_000), (0..<20_000).map { $0 % 2 }] {
      comparisons.count = 0
      let search = ListSearch(part: elements(part), list: elements(list))
      search.forEachPosition { _ in true }
      #expect(comparisons.count <= 3 * (part.count + list.count))
    }
  }
}
