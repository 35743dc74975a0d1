import Networking
import Observation

@Observable final class BoardListModel {
  var boards: [Board] = []
  var message: String?
  var isLoading = false

  private let networking: Networking<BoardsAPI>
  private var loading: Promise<[Board]>?

  init(networking: Networking<BoardsAPI> = Networking()) {
    self.networking = networking
  }

  func load() {
    isLoading = true
    loading = networking.request(.boards).validate().decode([Board].self)
      .done { self.boards = $0 }
      .fail { self.message = "\($0)" }
      .always { self.isLoading = false }
  }

  func create(_ title: String) {
    networking.request(.create(Draft(title: title))).validate()
      .then { _ in self.networking.request(.boards) }
      .validate()
      .decode([Board].self)
      .done { boards in
        self.boards = boards
        self.message = "\(boards.count) boards"
      }
      .fail(show)
  }

  func cancel() {
    loading?.cancel()
  }

  private func show(_ error: any Error) {
    message = "\(error)"
  }
}
