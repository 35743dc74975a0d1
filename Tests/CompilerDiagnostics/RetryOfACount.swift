// expect: 'retry' is unavailable: use .retry(.exponential(initial: .seconds(1), limit: 3))
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

func send(_ networking: Networking<BoardsAPI>) {
  networking.request(.boards, .retry(3))
}
