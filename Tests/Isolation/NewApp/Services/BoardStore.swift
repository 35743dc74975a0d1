import Networking

/// The boards of the app, outside its user interface.
final class BoardStore {
  private(set) var boards: [Int: Board] = [:]
  private(set) var misses = 0
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>) {
    self.networking = networking
  }

  func refresh() -> Promise<[Board]> {
    networking.request(.boards).validate().decode([Board].self)
      .tap { boards in
        for board in boards { self.boards[board.id] = board }
      }
      .recover { error in
        guard !self.boards.isEmpty else { throw error }
        self.misses += 1
        return self.boards.values.sorted { $0.id < $1.id }
      }
  }

  func titles() -> Promise<[String]> {
    refresh().map { boards in boards.map(\.title) }
  }
}
