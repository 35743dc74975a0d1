@testable import Networking

/// A pipeline to be measured, and what is sent through it.
struct Variant {
  /// What it is called in the table.
  let name: String
  /// The cost beyond the pipeline of no stage that it should stay under, in microseconds; nil where there is no budget.
  let budget: Double?
  let pipeline: Pipeline
  /// The exchange of one place in a batch.
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
