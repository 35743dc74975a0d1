import Foundation
import Synchronization

/// So many requests, so many of them at once: each lane makes its next one when its last is answered.
public final class Lanes: Sendable {
  private let requests: Int
  private let atOnce: Int
  private let taken = Atomic(0)
  private let failures = Atomic(0)
  private let open: Atomic<Int>

  /// Makes lanes that have not begun; they serve once.
  ///
  /// - Parameters:
  ///   - requests: how many in all.
  ///   - atOnce: how many lanes.
  public init(_ requests: Int, atOnce: Int) {
    self.requests = requests
    self.atOnce = min(atOnce, requests)
    open = Atomic(self.atOnce)
  }

  /// Makes the requests, a task a lane.
  ///
  /// - Parameter one: makes the request of that number, which counts from 0, and throws if it goes wrong.
  /// - Returns: how many went wrong.
  public func awaiting(
    _ one: @escaping @Sendable (_ number: Int) async throws -> Void
  ) async -> Int {
    await withTaskGroup { group in
      for _ in 0..<atOnce {
        group.addTask { [self] in
          while let number = next() {
            do { try await one(number) } catch { note(error) }
          }
        }
      }
    }
    return failures.load(ordering: .acquiring)
  }

  /// Makes the requests, without tasks.
  ///
  /// - Parameter one: makes the request of that number, and calls back once, from any thread but not before
  ///   it has returned, with what went wrong or nil.
  /// - Returns: how many went wrong.
  public func callingBack(
    _ one:
      @escaping @Sendable (
        _ number: Int, _ done: @escaping @Sendable ((any Error)?) -> Void
      ) -> Void
  ) async -> Int {
    await withCheckedContinuation { continuation in
      for _ in 0..<atOnce { step(one, continuation) }
    }
    return failures.load(ordering: .acquiring)
  }

  private func step(
    _ one: @escaping @Sendable (Int, @escaping @Sendable ((any Error)?) -> Void) -> Void,
    _ whole: CheckedContinuation<Void, Never>
  ) {
    guard let number = next() else {
      if open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { whole.resume() }
      return
    }
    one(number) { [self] error in
      if let error { note(error) }
      step(one, whole)
    }
  }

  private func next() -> Int? {
    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < requests ? number : nil
  }

  /// Counts a failure, and says what the first was.
  private func note(_ error: any Error) {
    guard failures.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
    FileHandle.standardError.write(Data("the first failure: \(error)\n".utf8))
  }
}
