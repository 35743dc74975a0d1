// expect: cannot convert value of type 'String' to expected argument type 'URL'
import Networking

struct Board: Codable, Sendable {
  var id: Int
  var title: String
}

enum BoardsAPI: RequestConvertible {
  case boards
  case board(id: Int)

  static let baseURL = "https://api.example.com/v1/"

  var request: Request {
    switch self {
    case .boards: .get("boards")
    case .board(let id): .get("boards/\(id)")
    }
  }
}

func save(_ networking: Networking<BoardsAPI>) {
  networking.download(.boards, to: "/tmp/boards")
}
