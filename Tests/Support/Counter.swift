import Synchronization

/// A number that any thread may change.
package final class Counter: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var value: Int { number.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  package func add(_ amount: Int = 1) -> Int {
    number.add(amount, ordering: .sequentiallyConsistent).newValue
  }
}
