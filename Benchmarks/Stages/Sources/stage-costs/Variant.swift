@testable import Networking

/// A pipeline to measure, with its exchanges.
struct Variant {
  /// The name in the table.
  let name: String
  /// The limit for the cost in addition to the empty pipeline, in microseconds, or `nil`.
  let budget: Double?
  let pipeline: Pipeline
  /// Returns the exchange at an index of a batch.
  let exchange: (Int) -> Exchange

  init(
    _ name: String, budget: Double? = 1, _ stages: [any Interceptor],
    _ exchange: @escaping (Int) -> Exchange
  ) {
    self.name = name
    self.budget = budget
    pipeline = Pipeline(stages)
    self.exchange = exchange
  }
}
