import BenchmarkSupport

/// A limit for the measurements of a shape.
enum Budget {
  /// The median ratio of Catena's time to SwiftNIO's.
  case ratio(atMost: Double)
  /// Catena's allocations per step, without the `given` ones, which the measured program makes itself:
  /// for the promise that it starts from and for those that its closures return.
  case allocations(atMost: Double, steps: Int, given: Int)

  /// Returns the measured value as text, and whether it is within the budget.
  func verdict(on measurement: Measurement) -> (finding: String, isMet: Bool) {
    switch self {
    case .ratio(let limit):
      let ratio = measurement.ratios.median
      return ("\(ratio.text(2)) x NIO, limit \(limit.text(1))", ratio <= limit)
    case .allocations(let limit, let steps, let given):
      let perStep = (measurement.catena.allocations - Double(given)) / Double(steps)
      return ("\(perStep.text(2)) allocations per step, limit \(limit.text(0))", perStep <= limit)
    }
  }
}
