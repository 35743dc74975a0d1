// expect: 'responseJSON' is unavailable: use decode(Board.self).done { board in }, or toJson()
// expect: 'responseDecodable(of:_:)' is unavailable: use decode(Board.self).done { board in }, or toJson()
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
  networking.request(.boards).responseJSON { response in print(response) }
  networking.request(.boards).responseDecodable(of: [Board].self) { response in print(response) }
}
