import Networking

@MainActor final class BoardScreen {
  private(set) var title = ""
  private var loading: Promise<Board>?
  private let networking = Networking<BoardsAPI>()

  func load(_ id: Int) {
    loading?.cancel()
    loading = networking.request(.board(id: id)).validate().decode(Board.self)
      .done { [weak self] board in self?.title = board.title }
  }

  deinit {
    loading?.cancel()
  }
}
