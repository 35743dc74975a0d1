// compiles
import Mocking
import Networking

enum BoardsAPI: RequestConvertible {
  case boards
  case board(Int)

  var request: Request { .get("boards") }
}

func clients() -> [Networking<BoardsAPI>] {
  [
    Networking<BoardsAPI>(mockProvider: MockProvider { _ in .status(200) }),
    Networking(
      mockProvider: MockProvider { (endpoint: BoardsAPI) in
        switch endpoint {
        case .boards: .json([])
        case .board(let id): .json(["id": id])
        }
      }),
  ]
}
