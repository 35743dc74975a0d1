// expect: 'fetch' is unavailable: use request(.boards).validate().decode([Board].self)
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

func boards(_ networking: Networking<BoardsAPI>) -> Promise<[Board]> {
  networking.fetch(.boards)
}
