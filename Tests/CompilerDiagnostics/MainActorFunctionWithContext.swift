// expect: converting function value of type '@MainActor @Sendable (Int) -> Int' to '@Sendable (Int) throws -> Int' loses global actor 'MainActor'
// expect: converting function value of type '@MainActor @Sendable (Int) -> ()' to '@Sendable (Int) -> Void' loses global actor 'MainActor'
import Networking

@MainActor final class Screen {
  func rounded(_ number: Int) -> Int { number / 10 * 10 }

  func show(_ number: Int) {}
}

func show(_ number: Promise<Int>, on screen: Screen) {
  number
    .then(on: .main, screen.rounded)
    .done(on: .main, screen.show)
}
