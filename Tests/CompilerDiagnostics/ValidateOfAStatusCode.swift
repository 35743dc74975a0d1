// expect: incorrect argument label in call (have 'statusCode:', expected 'statusCodes:')
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

func board(_ networking: Networking<BoardsAPI>) -> NetworkPromise {
  networking.request(.board(id: 7)).validate(statusCode: 200..<300)
}
