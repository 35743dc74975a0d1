// expect: no calls to throwing functions occur within 'try' expression
// expect: no 'async' operations occur within 'await' expression
// expect: 'count' is unavailable: this is a promise; use 'try await promise.value' before
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

func show(_ networking: Networking<BoardsAPI>) async throws {
  let boards = try await networking.request(.boards).validate().decode([Board].self)
  print(boards.count)
}
