// compiles
import Mocking

@MainActor final class Backend {
  private var titles: [String] = []

  func provider() -> MockProvider<Request> {
    MockProvider { _ in
      self.titles.append("Kite")
      return .status(201)
    }
  }
}
