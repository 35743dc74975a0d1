import Networking

@MainActor final class BoardCache {
  private var cached: [Board] = []
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI> = Networking()) {
    self.networking = networking
  }

  func load() -> Promise<[Board]> {
    networking.request(.boards).validate().decode([Board].self)
      .tap { self.cached = $0 }
      .recover { _ in self.cached }
  }
}
