import CBlackHole

/// One implementation's way of doing the work of a shape.
struct Contender {
  /// Does the operation so many times, and nothing else.
  let repeated: (_ count: Int) -> Void
  /// Does the operation once and tells whether the result was right.
  let isRight: () -> Bool
}

extension Contender {
  /// An operation that has its result when it returns.
  ///
  /// - Parameters:
  ///   - expected: what comes out.
  ///   - make: the operation, whole: nothing outside it is prepared, nothing left to be done.
  ///   - read: what has come out; not part of what is measured.
  init<Product, Outcome: Equatable>(
    expecting expected: Outcome, _ make: @escaping () -> Product,
    read: @escaping (Product) -> Outcome?
  ) {
    repeated = { count in
      for _ in 0..<count { blackHole(make()) }
    }
    isRight = { read(make()) == expected }
  }
}

/// Uses a value, as far as the optimiser can tell.
@inline(never)
func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { black_hole($0) }
}

/// A value that the optimiser cannot see through, so that it computes nothing from it beforehand.
@inline(never)
func opaque<Value>(_ value: Value) -> Value {
  var value = value
  withUnsafeMutablePointer(to: &value) { black_hole($0) }
  return value
}
