import Foundation

extension [Double] {
  /// The median; for an even count, the upper of the two middle elements.
  public var median: Double { isEmpty ? .nan : sorted()[count / 2] }

  /// The minimum and the maximum, as text.
  public var spread: String { "\((self.min() ?? .nan).text(2))..\((self.max() ?? .nan).text(2))" }
}

extension Double {
  /// Returns the number as text.
  ///
  /// - Parameter digits: The number of digits after the decimal point.
  /// - Returns: The text.
  public func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }

  /// The number of nanoseconds as text, with a unit.
  public var duration: String {
    switch self {
    case ..<10_000: "\(text(0)) ns"
    case ..<10_000_000: "\((self / 1000).text(0)) us"
    default: "\((self / 1_000_000).text(1)) ms"
    }
  }
}
