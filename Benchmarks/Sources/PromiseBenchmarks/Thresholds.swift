import BenchmarkSupport

/// The expected number of Catena's allocations for each shape that is compared with SwiftNIO.
///
/// `--check` fails if the count of a shape has grown by more than a tenth, or if the shape is not in
/// the list. Update a number when a change lowers it, or when there is a reason to raise it.
///
/// The threshold of the other shapes is the count of their reference and their budget.
enum Thresholds {
  static let allocations: [String: Double] = [
    "one then, settled": 2,
    "10 then, pending": 21,
    "1000 then, pending": 2001,
    "10 promise-returning": 31,
    "1000 promise-returning": 3001,
    "when over 1000": 3010,
    "when over 100000": 300_010,
    "2 threads settle 2000": 8005,
  ]

  /// Compares the counts with the thresholds, prints them, and returns whether all are within them.
  static func check(_ shapes: [Shape]) -> Bool {
    var table = Table("shape", "allocations", "threshold", "verdict")
    var hasPassed = true
    for shape in shapes {
      let found = shape.countedAllocations(of: shape.catena)
      let known = allocations[shape.name] ?? shape.limitFromReference
      let isWithin = known.map { found <= $0 * 1.1 } ?? false
      hasPassed = hasPassed && isWithin
      let verdict = known == nil ? "UNKNOWN" : isWithin ? "ok" : "GROWN"
      table.add(shape.name, found.text(0), known?.text(0) ?? "", verdict)
    }
    table.printed()
    return hasPassed
  }
}

extension Shape {
  /// The allocations of the reference and the permitted additional ones.
  ///
  /// `nil` without a budget for them.
  fileprivate var limitFromReference: Double? {
    for case .additionalAllocations(let limit, let steps) in budgets {
      return countedAllocations(of: reference) + limit * Double(steps)
    }
    return nil
  }
}
