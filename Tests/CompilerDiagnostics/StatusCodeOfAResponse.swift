// expect 2: 'statusCode' has been renamed to 'status'
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

func isMissing(_ response: Response) -> Bool { response.statusCode == 404 }

func show(_ networking: Networking<BoardsAPI>) {
  networking.request(.boards).done { response in print(response.statusCode) }
}
