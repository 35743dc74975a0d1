import Networking

actor BoardStore {
  private(set) var boards: [Int: Board] = [:]
  private let networking = Networking<BoardsAPI>()

  func refresh() {
    networking.request(.boards).validate().decode([Board].self)
      .done { boards in
        for board in boards { self.boards[board.id] = board }
      }
      .fail { _ in self.boards = [:] }
  }
}
