import BenchmarkSupport

/// A limit for the measurements of a shape.
enum Budget {
  /// The median ratio of Catena's time to that of the reference.
  case ratio(atMost: Double)
  /// The median of Catena's time per step minus that of the reference, in nanoseconds.
  case additionalTime(atMost: Double, steps: Int)
  /// Catena's allocations per step, without the `given` ones, which the measured program makes itself:
  /// for the promise that it starts from and for those that its closures return.
  case allocations(atMost: Double, steps: Int, given: Int)
  /// Catena's allocations per step minus those of the reference.
  case additionalAllocations(atMost: Double, steps: Int)

  /// Returns the measured value as text, and whether it is within the budget.
  func verdict(on measurement: Measurement) -> (finding: String, isMet: Bool) {
    switch self {
    case .ratio(let limit):
      let ratio = measurement.ratios.median
      return (
        "\(ratio.text(2)) x \(measurement.comparison.rawValue), limit \(limit.text(1))",
        ratio <= limit
      )
    case .additionalTime(let limit, let steps):
      let time = measurement.differences.median / Double(steps)
      return ("\(time.text(0)) ns more per step, limit \(limit.text(0))", time <= limit)
    case .allocations(let limit, let steps, let given):
      let perStep = (measurement.catena.allocations - Double(given)) / Double(steps)
      return ("\(perStep.text(2)) allocations per step, limit \(limit.text(0))", perStep <= limit)
    case .additionalAllocations(let limit, let steps):
      let difference = measurement.catena.allocations - measurement.reference.allocations
      let perStep = difference / Double(steps)
      return (
        "\(perStep.text(2)) more allocations per step, limit \(limit.text(0))", perStep <= limit
      )
    }
  }
}
