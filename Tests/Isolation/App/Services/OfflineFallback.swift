import Networking

@MainActor final class OfflineFallback {
  private(set) var isOffline = false
  private var lastBoards: [Board] = []
  private let networking = Networking<BoardsAPI>()

  func load() -> Promise<[Board]> {
    networking.request(.boards).validate().decode([Board].self)
      .recover(NetworkError.self) { error in
        guard error.code.isNetworkUnavailable else { throw error }
        self.isOffline = true
        return self.lastBoards
      }
  }
}
