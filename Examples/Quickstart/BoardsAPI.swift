import Foundation
import Networking

/// All that can be asked of the boards API, one case each.
enum BoardsAPI: RequestConvertible {
  case login(user: String, password: String)
  case boards
  case board(id: Int)
  case create(title: String)
  case update(id: Int, title: String)
  case delete(id: Int)

  static let baseURL = URL(string: "https://boards.example.com/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .login(let user, let password):
      .post("login", parameters: ["user": .string(user), "password": .string(password)])
    case .boards: .get("boards")
    case .board(let id): .get("boards/\(id)")
    case .create(let title): .post("boards", parameters: ["title": .string(title)])
    case .update(let id, let title): .patch("boards/\(id)", parameters: ["title": .string(title)])
    case .delete(let id): .delete("boards/\(id)")
    }
  }
}
