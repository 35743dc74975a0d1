// expect: type 'BoardsAPI' has no member 'bord'
import Foundation
import Networking

enum BoardsAPI: RequestConvertible {
  case boards
  case board(id: Int)
  case login(user: String, password: String)

  static let baseURL = URL(string: "https://api.example.com/v1/")

  var request: Request { .get("boards") }
}

func send(_ networking: Networking<BoardsAPI>) {
  _ = networking.request(.boards).validate().decode([Int].self)
    .then { ids in networking.request(.bord(id: ids[0])) }
}
