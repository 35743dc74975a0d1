// compiles
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
  networking.request(.boards)
  networking.request(BoardsAPI.boards, .notIntercepted)
  networking.download(.boards, to: URL(fileURLWithPath: "/tmp/boards"))
}
