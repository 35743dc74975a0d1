import Foundation
import Synchronization

/// A number of concurrent lanes; each lane starts its next request when its previous one has ended.
public final class Lanes: Sendable {
  private let requests: Int
  private let atOnce: Int
  private let taken = Atomic(0)
  private let failures = Atomic(0)
  private let open: Atomic<Int>

  /// Creates lanes, which can run once.
  ///
  /// - Parameters:
  ///   - requests: The total number of requests.
  ///   - atOnce: The number of lanes.
  public init(_ requests: Int, atOnce: Int) {
    self.requests = requests
    self.atOnce = min(atOnce, requests)
    open = Atomic(self.atOnce)
  }

  /// Runs the requests with one task per lane.
  ///
  /// - Parameter one: Sends the request with the given number, starting at 0. It throws on failure.
  /// - Returns: The number of failures.
  public func awaiting(
    _ one: @escaping @Sendable (_ number: Int) async throws -> Void
  ) async -> Int {
    await withTaskGroup { group in
      for _ in 0..<atOnce {
        group.addTask { [self] in
          while let number = next() {
            do { try await one(number) } catch { recordFailure(error) }
          }
        }
      }
    }
    return failures.load(ordering: .acquiring)
  }

  /// Runs the requests without tasks.
  ///
  /// - Parameter one: Sends the request with the given number and calls back once, with an error or `nil`.
  ///   It can call back on any thread, but only after it has returned.
  /// - Returns: The number of failures.
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
    _ completion: CheckedContinuation<Void, Never>
  ) {
    guard let number = next() else {
      if open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
        completion.resume()
      }
      return
    }
    one(number) { [self] error in
      if let error { recordFailure(error) }
      step(one, completion)
    }
  }

  private func next() -> Int? {
    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < requests ? number : nil
  }

  /// Counts a failure and prints the first one.
  private func recordFailure(_ error: any Error) {
    guard failures.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
    FileHandle.standardError.write(Data("the first failure: \(error)\n".utf8))
  }
}
