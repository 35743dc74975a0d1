import Networking

final class BoardScreen {
  var title = ""
  var status = ""
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>) {
    self.networking = networking
  }

  func load(_ id: Int) {
    networking.request(.board(id: id)).validate().decode(Board.self)
      .done { [weak self] in self?.title = $0.title }
  }

  func loadFirst() {
    networking.request(.boards).validate().decode([Board].self)
      .then { boards in self.board(boards[0].id) }
      .map { board in self.heading(of: board) }
      .done { heading in self.title = heading }
      .fail(NetworkError.self) { error in self.status = "\(error.code)" }
  }

  func loadBoth() {
    when(board(1), board(2))
      .map { first, second in "\(first.title), \(second.title)" }
      .done { titles in self.title = titles }
  }

  func reload() async {
    do {
      title = try await board(1).value.title
    } catch {
      status = "\(error)"
    }
  }

  private func board(_ id: Int) -> Promise<Board> {
    networking.request(.board(id: id)).validate().decode()
  }

  private func heading(of board: Board) -> String { board.title.uppercased() }
}
