import Networking

@MainActor final class BoardList {
  private(set) var boards: [Board] = []
  private let networking = Networking<BoardsAPI>()

  func load() {
    networking.request(.boards).validate().decode([Board].self).done { boards in
      self.boards = boards
    }
  }
}
