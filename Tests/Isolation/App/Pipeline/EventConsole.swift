import Networking

@MainActor final class EventConsole {
  private(set) var lines: [String] = []
  private let networking = Networking<BoardsAPI>()
  private var watching: Task<Void, Never>?

  func watch() {
    watching = Task {
      for await event in networking.events { lines.append("\(event)") }
    }
  }
}
