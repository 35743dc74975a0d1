import Foundation

extension [Double] {
  /// The middle one; of an even number the upper of the two.
  public var median: Double { isEmpty ? .nan : sorted()[count / 2] }

  /// The smallest and the largest.
  public var spread: String { "\((self.min() ?? .nan).text(2))..\((self.max() ?? .nan).text(2))" }
}

extension Double {
  /// The number for people.
  ///
  /// - Parameter digits: how many after the point.
  /// - Returns: the text.
  public func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }

  /// Nanoseconds for people.
  public var duration: String {
    switch self {
    case ..<10_000: "\(text(0)) ns"
    case ..<10_000_000: "\((self / 1000).text(0)) us"
    default: "\((self / 1_000_000).text(1)) ms"
    }
  }
}
