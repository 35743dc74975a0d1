// expect: capture of 'self' with non-Sendable type 'Screen' in a '@Sendable' closure
import Networking

final class Screen {
  private(set) var title = ""
  private let networking = Networking<Request>()

  func load() {
    networking.request(.get("https://api.example.com/title")).toString()
      .done { text in self.title = text }
  }
}
