import CatenaSystem

/// The hidden files that cancelled transfers of this process have not closed yet.
///
/// The promise of a transfer is rejected as soon as it is cancelled, and its files are closed soon after. What
/// uses the same files next waits for that, so that a caller can continue or remove a transfer right after
/// cancelling it.
final class ClosingFiles: Sendable {
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var lastNumber = 0
    /// The numbers of the cancelled transfers that have not closed their files, by path.
    var closing: [String: Set<Int>] = [:]
    /// The transfers that wait for earlier ones, by path, in order.
    var waiters: [String: [Waiter]] = [:]

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    /// Adds a waiter, unless no transfer with a smaller number is closing the files.
    mutating func wait(for path: String, _ waiter: Waiter) -> Bool {
      guard let first = closing[path]?.min(), first < waiter.number else { return false }
      waiters[path, default: []].append(waiter)
      return true
    }

    /// Ends a transfer, and returns the waiters that can go on.
    mutating func end(_ number: Int, _ path: String) -> [Waiter] {
      closing[path]?.remove(number)
      let first = closing[path]?.min()
      if first == nil { closing[path] = nil }
      let waiting = waiters.removeValue(forKey: path) ?? []
      let blocked = waiting.filter { $0.number > first ?? .max }
      if !blocked.isEmpty { waiters[path] = blocked }
      return waiting.filter { $0.number <= first ?? .max }
    }
  }

  static let shared = ClosingFiles()

  private let state = Mutex(State())

  /// Runs a transfer, after earlier ones that have been cancelled have closed the same files.
  ///
  /// - Parameters:
  ///   - path: The path of the hidden file that only one transfer at a time uses.
  ///   - transfer: The transfer, which closes its files before it returns.
  /// - Returns: The result of the transfer.
  /// - Throws: The error of the transfer.
  func run<Output: Sendable>(
    _ path: String, _ transfer: @Sendable () async throws -> Output
  ) async throws -> Output {
    let number = state.withLock { $0.nextNumber() }
    defer {
      for waiter in state.withLock({ $0.end(number, path) }) { waiter.continuation.resume() }
    }
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(number: number, continuation: continuation)
        if !state.withLock({ $0.wait(for: path, waiter) }) { continuation.resume() }
      }
      return try await transfer()
    } onCancel: {
      state.withLock { _ = $0.closing[path, default: []].insert(number) }
    }
  }
}
