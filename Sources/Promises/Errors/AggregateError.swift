/// Every one of several promises was rejected: the error of ``any(_:file:line:)``.
///
/// Source: ECMA-262, AggregateError.
public struct AggregateError: Error, CustomStringConvertible {
  /// The errors, in the order in which the promises were given; at least one.
  public let errors: [any Error]

  /// One line for people: how many there were, and the first.
  public var description: String {
    let first = errors.first.map { ", the first: \($0)" } ?? ""
    return "all \(errors.count) promises were rejected\(first)"
  }
}
