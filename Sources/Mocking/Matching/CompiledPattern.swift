import Synchronization

/// A regular expression, compiled once.
final class CompiledPattern: Sendable {
  let text: String
  /// Why it cannot be used; nil when it can.
  let flaw: String?
  /// Behind a lock because a `Regex` may not be shared between threads.
  private let regex: Mutex<Regex<AnyRegexOutput>?>

  init(_ text: String) {
    self.text = text
    do {
      regex = Mutex(try Regex(text))
      flaw = nil
    } catch {
      regex = Mutex(nil)
      flaw = "\(error)"
    }
  }

  func isFound(in text: String) -> Bool {
    regex.withLock { regex in regex.map { text.firstMatch(of: $0) != nil } ?? false }
  }
}

extension CompiledPattern: Hashable {
  static func == (left: CompiledPattern, right: CompiledPattern) -> Bool { left.text == right.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
