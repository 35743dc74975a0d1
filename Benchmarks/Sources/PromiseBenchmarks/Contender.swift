import CBlackHole

/// The implementation of a shape's work with one library.
struct Contender {
  /// Repeats the operation, and does nothing else.
  let repeated: (_ count: Int) -> Void
  /// Runs the operation once and returns whether its result is correct.
  let isCorrect: () -> Bool
}

extension Contender {
  /// Creates a contender for an operation that has its result when it returns.
  ///
  /// - Parameters:
  ///   - expected: The correct result.
  ///   - make: The complete operation, without preparation or pending work outside it.
  ///   - read: Returns the result. It is not measured.
  init<Product, Outcome: Equatable>(
    expecting expected: Outcome, _ make: @escaping () -> Product,
    read: @escaping (Product) -> Outcome?
  ) {
    repeated = { count in
      for _ in 0..<count { blackHole(make()) }
    }
    isCorrect = { read(make()) == expected }
  }
}

/// Uses a value from the view of the optimiser.
@inline(never)
func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { black_hole($0) }
}

/// Returns a value that is opaque to the optimiser, which prevents constant folding.
@inline(never)
func opaque<Value>(_ value: Value) -> Value {
  var value = value
  withUnsafeMutablePointer(to: &value) { black_hole($0) }
  return value
}
