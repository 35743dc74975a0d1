import Networking

@MainActor final class BoardHeader {
  private(set) var title = ""
  private let networking = Networking<BoardsAPI>()

  func load(_ id: Int) {
    networking.request(.board(id: id)).validate().decode(Board.self)
      .done { [weak self] in self?.title = $0.title }
  }
}
