import Foundation

/// The size of tests with random cases.
package enum TestSize {
  /// Whether the environment variable `SIZE_FULL` asks for all cases.
  private static let isFull = ProcessInfo.processInfo.environment["SIZE_FULL"] != nil

  /// Returns the size of a test.
  ///
  /// - Parameters:
  ///   - usual: The size in each run.
  ///   - full: The size with `SIZE_FULL`, as each night.
  /// - Returns: The size.
  package static func of(_ usual: Int, full: Int) -> Int { isFull ? full : usual }
}
