// expect 4: main actor-isolated property 'title' can not be mutated from a Sendable closure
import Networking

@MainActor final class Screen {
  private(set) var title = ""
  private let networking = Networking<Request>()

  func load() {
    networking.request(.get("https://api.example.com/title")).toString()
      .done(on: .background) { text in self.title = text }
  }

  func loadInASequence() {
    networking.request(.get("https://api.example.com/title")).toString()
      .tap(on: .inline) { text in self.title = text }
      .then(on: .background) { text in self.title = text }
      .fail(on: .main) { error in self.title = "\(error)" }
  }
}
