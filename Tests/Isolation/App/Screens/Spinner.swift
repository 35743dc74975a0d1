import Networking

@MainActor final class Spinner {
  private(set) var isSpinning = false
  private let networking = Networking<BoardsAPI>()

  func refresh() {
    isSpinning = true
    networking.request(.boards).always { _ in self.isSpinning = false }
  }
}
