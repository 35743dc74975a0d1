// The states of the subscriptions in this folder. They use no declaration of Combine, so that they are
// compiled and tested on every platform.

/// The state of a subscription that delivers one value and ends.
///
/// A value is kept until there is demand for it. Nothing is delivered after the end or a cancellation.
struct SingleDelivery<Value: Sendable>: Sendable {
  private var isWanted = false
  /// The value, while there is no demand for it.
  private var value: Value?
  private var isEnded = false

  /// Adds demand.
  ///
  /// - Returns: The value to deliver now.
  mutating func request() -> Value? {
    isWanted = true
    return value.take()
  }

  /// Sets the value.
  ///
  /// - Returns: The value, if it is to be delivered now.
  mutating func settle(_ value: Value) -> Value? {
    guard !isEnded else { return nil }
    if !isWanted { self.value = value }
    defer { isWanted = false }
    return isWanted ? value : nil
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether the completion is to be delivered: `false` after an earlier end.
  mutating func end() -> Bool {
    defer { isEnded = true }
    value = nil
    return !isEnded
  }
}

/// The state of a subscription that delivers the elements of a sequence, each after demand for it.
struct SequenceDelivery: Sendable {
  /// The continuation of the task that waits for demand.
  ///
  /// It resumes with `false` at the end.
  typealias Waiter = @Sendable (_ isWanted: Bool) -> Void

  /// The number of elements that are wanted.
  ///
  /// `nil` means all.
  private var demand: Int? = 0
  private var waiter: Waiter?
  private(set) var isEnded = false

  /// Whether no element is wanted.
  var isIdle: Bool { demand == 0 }

  /// Adds demand.
  ///
  /// - Parameter count: The number of further elements. `nil` means all. A number below 1 has no effect.
  /// - Returns: The task to resume with `true`.
  mutating func request(_ count: Int?) -> Waiter? {
    guard !isEnded, count ?? 1 > 0 else { return nil }
    if let count, let demand {
      let (sum, overflows) = demand.addingReportingOverflow(count)
      self.demand = overflows ? nil : sum
    } else {
      demand = nil
    }
    guard waiter != nil else { return nil }
    take()
    defer { waiter = nil }
    return waiter
  }

  /// Takes the demand for one element, or waits for it.
  ///
  /// - Parameter waiter: The continuation of the task, which is kept if there is no demand.
  /// - Returns: Whether the element is wanted, or `nil` if the task waits.
  mutating func next(_ waiter: @escaping Waiter) -> Bool? {
    guard !isEnded else { return false }
    guard !isIdle else {
      self.waiter = waiter
      return nil
    }
    take()
    return true
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether this is the first end, and the task to resume with `false`.
  mutating func end() -> (isFirst: Bool, waiter: Waiter?) {
    defer {
      isEnded = true
      waiter = nil
    }
    return (!isEnded, waiter)
  }

  private mutating func take() {
    demand = demand.map { $0 - 1 }
  }
}
