// expect: main actor-isolated property 'title' can not be mutated from a Sendable closure
import Networking

@MainActor final class Screen {
  private(set) var title = ""
  private let networking = Networking<Request>()

  nonisolated func load() {
    networking.request(.get("https://api.example.com/title")).toString()
      .done { text in self.title = text }
  }
}
