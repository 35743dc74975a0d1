import CatenaSystem
import TestGate
import Testing

@Suite(.gated)
struct SortingTests {
  @Test(arguments: [0, 1, 2, 3, 31, 32, 33, 100, 1_000])
  func sortingByPositionsIsStable(_ count: Int) {
    let pairs = (0..<count).map { (key: $0 * 7_919 % 1_009 % 10, number: $0) }
    let sorted = pairs.sortedByPositions { $0.key < $1.key }
    let expected = pairs.sorted { ($0.key, $0.number) < ($1.key, $1.number) }
    #expect(sorted.map(\.number) == expected.map(\.number))
  }

  @Test func anySequenceIsSortedByPositions() {
    #expect(Set(["b", "c", "a"]).sortedByPositions(by: <) == ["a", "b", "c"])
    #expect((0..<4).lazy.map { $0 }.sortedByPositions(by: >) == [3, 2, 1, 0])
  }
}
