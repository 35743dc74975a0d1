// compiles
import Foundation
import Networking

struct Board: Codable { var title = "Fish" }

enum BoardsAPI: RequestConvertible {
  case search(String, page: Int, tags: [String], owner: String?)
  case create(Board)
  case rename(id: Int, title: String, since: Date)

  var request: Request {
    switch self {
    case .search(let text, let page, let tags, let owner):
      .get("boards", parameters: ["q": text, "page": page, "tag": tags, "owner": owner, "x": nil])
    case .create(let board): .post("boards", json: board)
    case .rename(let id, let title, let since):
      .patch("boards/\(id)", parameters: ["title": "\(title)!", "since": since, "open": true])
    }
  }
}

func send(_ networking: Networking<Request>, page: Int, literal: Parameters) {
  networking.request(.get("boards", parameters: ["page": page, "nested": ["a": 1, "b": 2]]))
  networking.request(
    .get("boards", parameters: ["page": .int(page), "nested": ["a": 1, "b": "x"]]))
  networking.request(.get("boards", parameters: literal), .parameters(["page": page]))
}
