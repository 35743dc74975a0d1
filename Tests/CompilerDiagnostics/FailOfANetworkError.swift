// expect 2: 'fail' is unavailable: use fail(NetworkError.self) { error in }
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

func show(_ networking: Networking<BoardsAPI>) {
  networking.request(.boards).fail { (error: NetworkError) in print(error.code) }
  networking.request(.boards).fail { error in print(error.code) }
}
