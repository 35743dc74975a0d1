// compiles
import Networking

@MainActor final class Book {
  func page(_ number: Int) -> Promise<String> { .fulfilled("page \(number)") }

  func pages() -> Promise<[String]> {
    when(1...4, concurrency: 2) { number in self.page(number) }
  }
}
