// compiles
// default isolation: MainActor
import Networking

struct Board: Codable {
  var id: Int
  var title: String
  var length: Int { title.count }
}

final class BoardModel {
  var title = ""
  var length = 0

  func load(_ networking: Networking<Request>) {
    let board = networking.request(.get("boards/7")).validate().decode(Board.self)
    board.map(\.title).done { title in self.title = title }
    board.map(\.length).done { length in self.length = length }
  }
}
