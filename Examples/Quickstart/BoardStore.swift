import Synchronization

/// The boards that the server has.
final class BoardStore: Sendable {
  private let boards = Mutex(Dictionary(uniqueKeysWithValues: Board.samples.map { ($0.id, $0) }))

  var all: [Board] { boards.withLock { $0.values.sorted { $0.id < $1.id } } }

  subscript(id: Int?) -> Board? {
    guard let id else { return nil }
    return boards.withLock { $0[id] }
  }

  func add(_ title: String) -> Board {
    boards.withLock { boards in
      let board = Board(id: (boards.keys.max() ?? 0) + 1, title: title)
      boards[board.id] = board
      return board
    }
  }

  /// The board with its new title; nil when there is none of that id.
  func rename(_ id: Int?, _ title: String) -> Board? {
    guard let id else { return nil }
    return boards.withLock { boards in
      boards[id]?.title = title
      return boards[id]
    }
  }

  func remove(_ id: Int?) -> Bool {
    guard let id else { return false }
    return boards.withLock { $0.removeValue(forKey: id) != nil }
  }
}
