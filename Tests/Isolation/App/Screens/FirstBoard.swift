import Networking

@MainActor final class FirstBoard {
  private(set) var title = ""
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI> = Networking()) {
    self.networking = networking
  }

  func load() {
    networking.request(.boards).validate().decode([Board].self)
      .then { boards in self.networking.request(.board(id: boards[0].id)) }
      .validate()
      .decode(Board.self)
      .done { board in self.title = board.title }
      .fail { error in self.title = "\(error)" }
  }
}
