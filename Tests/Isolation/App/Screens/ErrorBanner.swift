import Networking

@MainActor final class ErrorBanner {
  private(set) var message: String?
  private let networking = Networking<BoardsAPI>()

  func check() {
    networking.request(.boards).validate().fail { error in self.message = "\(error)" }
  }
}
