// compiles
import Networking

@MainActor final class Screen {
  func rounded(_ number: Int) -> Int { number / 10 * 10 }

  func board(_ number: Int) -> Promise<String> { .fulfilled("board \(number)") }

  func show(_ text: String) {}

  func show(failure: any Error) {}
}

func show(_ number: Promise<Int>, on screen: Screen) {
  number
    .map(screen.rounded)
    .then { @MainActor number in screen.board(number) }
    .done(screen.show)
    .fail(screen.show(failure:))
}
