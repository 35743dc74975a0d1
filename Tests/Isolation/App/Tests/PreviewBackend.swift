import Mocking

func previewBackend() -> MockProvider<BoardsAPI> {
  MockProvider { endpoint in
    switch endpoint {
    case .boards: .json([Board(id: 1, title: "Kite")])
    case .board(let id): .json(Board(id: id, title: "Kite"))
    default: .status(404)
    }
  }
}
