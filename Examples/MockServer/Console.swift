import Foundation
import Mocking

/// Prints what happens, line by line, behind the backs of those who tell it.
final class Console: Sendable {
  private let queue = DispatchQueue(label: "Console")

  func line(_ text: String) {
    queue.async {
      print(text)
      fflush(nil)
    }
  }

  /// A request that has been answered, or not.
  func exchange(_ exchange: ServedExchange) {
    let date = Date()
    queue.async {
      print(ExchangeLine(exchange, at: date))
      fflush(nil)
    }
  }

  /// Says on standard error what went wrong.
  func failure(_ text: String) {
    queue.sync { FileHandle.standardError.write(Data("mock-server: \(text)\n".utf8)) }
  }

  /// Waits for all to be printed.
  func flush() {
    queue.sync {}
  }
}
