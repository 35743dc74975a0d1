// compiles
import Foundation
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

let plain = Networking()

func request(_ url: URL) -> NetworkPromise {
  Networking(baseURL: url).request(.get("boards"))
}

func checkedRequest(_ url: BaseURL) -> NetworkPromise {
  Networking(baseURL: url).request(.get("boards"))
}

func client(_ url: BaseURL) -> Networking<BoardsAPI> { Networking(baseURL: url) }

final class Service: Sendable {
  private let networking = Networking(configuration: .default)
  private let typed: Networking<BoardsAPI> = Networking()
  private let other = Networking<BoardsAPI>(baseURL: URL(string: "https://api.example.com"))

  func boards() -> Promise<[Board]> { networking.request(.get("boards")).validate().decode() }
}
