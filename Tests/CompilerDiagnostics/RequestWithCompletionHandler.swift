// expect 2: 'request' is unavailable: append .done { response in }; progress: .onProgress { }
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
  networking.request(.boards) { result in print(result) }
  networking.request(.boards) { result in
    switch result {
    case .success(let response): print(response.status)
    case .failure(let error): print(error)
    }
  }
}
