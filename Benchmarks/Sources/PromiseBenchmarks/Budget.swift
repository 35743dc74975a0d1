import BenchmarkSupport
/// A limit that is set to a shape.
enum Budget {
  /// The median ratio of our time to SwiftNIO's.
  case ratio(atMost: Double)
  /// Our allocations a step, beyond those `given`: blocks that the program under measurement asks for
  /// itself, such as the promise that it starts from and those that its closures return.
  case allocations(atMost: Double, steps: Int, given: Int)

  /// What was found, and whether it is within the budget.
  func verdict(on measurement: Measurement) -> (finding: String, isKept: Bool) {
    switch self {
    case .ratio(let limit):
      let ratio = measurement.ratios.median
      return ("\(ratio.text(2)) x NIO of \(limit.text(1))", ratio <= limit)
    case .allocations(let limit, let steps, let given):
      let perStep = (measurement.catena.allocations - Double(given)) / Double(steps)
      return ("\(perStep.text(2)) allocations a step of \(limit.text(0))", perStep <= limit)
    }
  }
}
