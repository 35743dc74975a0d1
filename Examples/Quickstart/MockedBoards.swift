import Mocking

/// The same API before there is a server: an answer for each endpoint.
enum MockedBoards {
  static func provider(delay: Duration) -> MockProvider<BoardsAPI> {
    MockProvider(delay: .fixed(delay)) { endpoint in
      switch endpoint {
      case .login: .json(["token": "t-1"])
      case .boards: .json(Board.samples.map(\.summary))
      case .board(let id):
        Board.samples.first { $0.id == id }.map { .json($0) } ?? .status(404)
      case .create(let title): .json(Board(id: 7, title: title), status: 201)
      case .update(let id, let title): .json(Board(id: id, title: title))
      case .delete: .status(204)
      }
    }
  }
}
