import Foundation
package import Networking

/// Arithmetic of variables and templates, in which the text of a number counts as the number.
extension JSON {
  /// The value of an integer, or of the text of one.
  package var asInteger: Int? {
    guard case .string(let text) = self else { return int }
    guard text.utf8.count <= Self.maximumNumberLength else { return nil }
    return Int(text) ?? asNumber.flatMap { Int(exactly: $0) }
  }

  /// The value of a number, or of the text of a number.
  package var asNumber: Double? {
    if case .string(let text) = self {
      guard text.utf8.count <= Self.maximumNumberLength else { return nil }
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
    return double
  }

  /// The maximum length of the text of a number, in bytes.
  ///
  /// A filter of a list may parse a text once for each element.
  static let maximumNumberLength = 100

  /// Returns the result of an operation, an integer if both operands are integers.
  ///
  /// - Parameters:
  ///   - other: The right operand.
  ///   - integers: The operation on integers.
  ///   - numbers: The operation on all other numbers, and for an overflow of integers.
  /// - Returns: The result. `null` if an operand is not a number.
  package func calculated(
    with other: JSON,
    _ integers: (Int) -> (Int) -> (partialValue: Int, overflow: Bool),
    _ numbers: (Double, Double) -> Double
  ) -> JSON {
    if let left = asInteger, let right = other.asInteger {
      let result = integers(left)(right)
      if !result.overflow { return .int(result.partialValue) }
    }
    guard let left = asNumber, let right = other.asNumber else { return .null }
    return .rounded(numbers(left, right))
  }

  /// Returns a number rounded to 15 digits, so that 0.1 + 0.2 is 0.3.
  package static func rounded(_ value: Double) -> JSON {
    guard value.isFinite else { return .null }
    // A larger number has no digits after the point that could be wrong.
    guard abs(value) < 1e15 else { return .double(value) }
    return .double(Double(String(format: "%.15g", value)) ?? value)
  }
}
