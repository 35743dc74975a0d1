import Testing

@testable import Mocking

struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1),
    ("abc", "ac", 1), ("boards", "baords", 1), ("ab", "ba", 1), ("kitten", "sitting", 3),
  ])
  func itCountsChangesAndSwaps(_ left: String, _ right: String, _ distance: Int) {
    #expect(EditDistance.between(left, right) == distance)
  }
}
