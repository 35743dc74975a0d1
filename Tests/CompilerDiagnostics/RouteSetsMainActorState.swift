// expect: main actor-isolated property 'titles' can not be mutated from a Sendable closure
import Mocking

@MainActor final class Backend {
  private var titles: [String] = []

  func route() -> Route {
    Route(.post, "/boards") { request in
      self.titles.append(request.text)
      return .status(201)
    }
  }
}
