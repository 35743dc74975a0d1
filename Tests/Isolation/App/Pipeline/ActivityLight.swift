import Networking

@MainActor final class ActivityLight {
  private(set) var requests = 0
  private let networking = Networking<BoardsAPI>()

  func watch() {
    networking.addMonitor { event in
      switch event.kind {
      case .started: self.requests += 1
      case .finished, .failed, .cancelled: self.requests -= 1
      default: break
      }
    }
  }
}
