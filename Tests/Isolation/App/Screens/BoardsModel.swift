import Networking
import Observation

@MainActor @Observable final class BoardsModel {
  private(set) var boards: [Board] = []
  private(set) var message: String?
  private(set) var isLoading = false
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI> = Networking()) {
    self.networking = networking
  }

  func load() {
    isLoading = true
    networking.request(.boards).validate().decode([Board].self)
      .done { boards in self.boards = boards }
      .fail { error in self.message = "\(error)" }
      .always { _ in self.isLoading = false }
  }
}
