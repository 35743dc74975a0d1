import Networking

@MainActor final class ImpatientLoad {
  private(set) var hint = ""
  private let networking = Networking<BoardsAPI>()

  func load() {
    networking.request(.boards).validate().decode([Board].self)
      .timeout(.seconds(5))
      .done { boards in self.hint = "\(boards.count) boards" }
      .fail { error in
        self.hint = error as? PromiseError == .timedOut ? "The server is slow." : "\(error)"
      }
  }
}
