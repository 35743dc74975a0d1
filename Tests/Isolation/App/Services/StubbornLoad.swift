import Networking

@MainActor final class StubbornLoad {
  private(set) var attempts = 0
  private let networking = Networking<BoardsAPI>()

  func load() -> Promise<[Board]> {
    retry(.exponential(initial: .seconds(1), limit: 3)) { attempt in
      self.attempts = attempt
      return self.networking.request(.boards).validate().decode([Board].self)
    }
  }
}
