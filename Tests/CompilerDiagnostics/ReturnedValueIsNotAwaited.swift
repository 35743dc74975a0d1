// expect: cannot convert return expression of type 'Promise<[Board]>' to return type '[Board]'
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

func boards(_ networking: Networking<BoardsAPI>) async throws -> [Board] {
  try await networking.request(.boards).validate().decode([Board].self)
}
