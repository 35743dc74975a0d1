// expect: call to main actor-isolated instance method 'page' in a synchronous nonisolated context
import Networking

@MainActor final class Book {
  func page(_ number: Int) -> Promise<String> { .fulfilled("page \(number)") }

  func pages() -> Promise<[String]> {
    when((1...4).map { number in { self.page(number) } }, concurrency: 2)
  }
}
