import Foundation
import Networking

struct Board: Codable, Equatable {
  var id: Int
  var title: String
}

/// A value that is encoded and decoded on any thread, not only on the main actor.
nonisolated struct Card: Codable, Equatable {
  var id: Int
  var title: String
}

enum BoardsAPI: RequestConvertible {
  case login(user: String, password: String)
  case boards
  case page(Int)
  case search(String)
  case board(id: Int)
  case create(title: String)
  case cover(id: Int)
  case attach(MultipartFormData, id: Int)

  static let baseURL = URL(string: "https://api.example.com/v1/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .login(let user, let password):
      .post("login", parameters: ["user": .string(user), "password": .string(password)])
    case .boards: .get("boards")
    case .page(let number): .get("boards", parameters: ["page": .int(number)])
    case .search(let text): .get("boards", parameters: ["q": .string(text)])
    case .board(let id): .get("boards/\(id)")
    case .create(let title): .post("boards", parameters: ["title": .string(title)])
    case .cover(let id): .get("boards/\(id)/cover")
    case .attach(let form, let id): .upload(multipart: form, to: "boards/\(id)/files")
    }
  }
}
