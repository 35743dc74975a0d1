// default isolation: MainActor
// expect: converting non-Sendable function value to '@isolated(any) @Sendable (Board) throws -> String' may introduce data races
import Networking

struct Board: Codable {
  var title: String
}

final class BoardModel {
  var title = ""

  func load(_ board: Promise<Board>) {
    board.then(\.title).done { title in self.title = title }
  }
}
