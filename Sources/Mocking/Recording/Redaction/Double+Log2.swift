import Foundation

extension Double {
  /// The logarithm to the base of 2.
  var log2: Double { Foundation.log2(self) }
}
