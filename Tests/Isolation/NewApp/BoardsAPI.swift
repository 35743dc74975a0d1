import Foundation
import Networking

struct Board: Codable, Equatable, Identifiable {
  var id: Int
  var title: String
}

nonisolated struct Draft: Codable {
  var title: String
}

enum BoardsAPI: RequestConvertible {
  case login(user: String)
  case boards
  case board(id: Int)
  case create(Draft)

  static let baseURL = URL(string: "https://api.example.com/v1/")

  var request: Request {
    get throws {
      switch self {
      case .login(let user): .post("login", parameters: ["user": .string(user)])
      case .boards: .get("boards")
      case .board(let id): .get("boards/\(id)")
      case .create(let draft): .post("boards", parameters: try Parameters(encoding: draft))
      }
    }
  }
}
