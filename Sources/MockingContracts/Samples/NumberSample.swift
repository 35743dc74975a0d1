import Foundation
import Mocking
import Networking

/// A number within the limits of a schema.
struct NumberSample {
  private let shape: SchemaShape
  private let isInteger: Bool
  private let name: String

  init(_ shape: SchemaShape, isInteger: Bool, name: String) {
    self.shape = shape
    self.isInteger = isInteger
    self.name = name
  }

  func value(_ sampler: inout SchemaSampler) -> JSON {
    let usual = SampleNames.range(ofNumber: name, isInteger: isInteger)
    var (low, high) = (-Double.infinity, Double.infinity)
    let step = isInteger ? 1 : 0.01
    for (bound, limit) in shape.limits {
      guard let limit = limit.double else { continue }
      switch bound {
      case .minimum: low = max(low, limit)
      case .maximum: high = min(high, limit)
      case .exclusiveMinimum: low = max(low, isInteger ? limit.rounded(.down) + 1 : limit.nextUp)
      case .exclusiveMaximum: high = min(high, isInteger ? limit.rounded(.up) - 1 : limit.nextDown)
      }
    }
    switch (low.isFinite, high.isFinite) {
    case (true, true):
      if usual.lowerBound >= low, usual.upperBound <= high {
        (low, high) = (usual.lowerBound, usual.upperBound)
      }
    case (true, false):
      high = usual.upperBound > low ? usual.upperBound : low + max(low.magnitude, 100)
      low = max(low, min(usual.lowerBound, high))
    case (false, true):
      low = usual.lowerBound < high ? usual.lowerBound : high - max(high.magnitude, 100)
      high = min(high, max(usual.upperBound, low))
    case (false, false): (low, high) = (usual.lowerBound, usual.upperBound)
    }
    if let divisor = shape.divisor?.double, divisor > 0 {
      return multiple(of: divisor, low, high, &sampler)
    }
    guard isInteger else {
      let value = low + (high - low) * sampler.random.unit()
      let rounded = (value / step).rounded() * step
      let text = String(format: "%.2f", rounded)
      let result = Double(text) ?? value
      return .double(result >= low && result <= high ? result : value)
    }
    let (first, last) = (clamped(low.rounded(.up)), clamped(high.rounded(.down)))
    guard first <= last else { return .int(first) }
    let (span, isTooLong) = last.subtractingReportingOverflow(first)
    return .int(isTooLong ? first : first + sampler.below(span == .max ? span : span + 1))
  }

  private func multiple(
    of divisor: Double, _ low: Double, _ high: Double, _ sampler: inout SchemaSampler
  ) -> JSON {
    let (first, last) = (
      clamped((low / divisor).rounded(.up)), clamped((high / divisor).rounded(.down))
    )
    var count = first
    // Many validators divide binary numbers, by which 4.31 is no multiple of 0.01.
    for _ in 0..<20 {
      count = first + sampler.below(max(min(last &- first, 1_000_000), 0) + 1)
      let quotient = Double("\((shape.divisor?.decimal ?? 1) * Decimal(count))").map {
        $0 / divisor
      }
      if quotient == Double(count) { break }
    }
    if let exact = shape.divisor?.int,
      let product = Optional(count.multipliedReportingOverflow(by: exact)),
      !product.overflow
    {
      return .int(product.partialValue)
    }
    let product = (shape.divisor?.decimal ?? 1) * Decimal(count)
    let value = Double(product.description) ?? 0
    return isInteger ? Int(exactly: value).map { .int($0) } ?? .double(value) : .double(value)
  }

  /// Returns the integer that is nearest to a number without a fraction.
  private func clamped(_ value: Double) -> Int { Int(max(min(value, 9.2e18), -9.2e18)) }
}
