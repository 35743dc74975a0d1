import Networking

@MainActor final class BoardOpener {
  private(set) var openBoard: Board?
  private let networking = Networking<BoardsAPI>()

  func board(_ id: Int) -> Promise<Board> {
    networking.request(.board(id: id)).validate().decode()
  }

  func openFirst() {
    networking.request(.boards).validate().decode([Board].self)
      .then { boards in self.board(boards[0].id) }
      .done { self.openBoard = $0 }
  }
}
