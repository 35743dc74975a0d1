import CAllocations

/// What the rounds of one shape have shown.
struct Measurement {
  /// One contender's part.
  struct Series {
    /// Per operation, one for each round.
    var nanoseconds: [Double] = []
    /// Per operation, on the measuring thread, in the last round.
    var allocations = 0.0
  }

  let name: String
  var catena = Series()
  var nio = Series()
  var tasks: Series?
  var budgets: [Budget] = []

  /// Our time in relation to SwiftNIO's, round by round: the two of a round ran next to each other, so
  /// that what the machine does besides weighs on both.
  var ratios: [Double] { zip(catena.nanoseconds, nio.nanoseconds).map { $0 / $1 } }
}

extension Shape {
  /// Lets the contenders run in turn, A B A B, after a round that counts for nothing.
  func measured(rounds: Int) -> Measurement {
    var result = Measurement(name: name, tasks: tasks.map { _ in .init() }, budgets: budgets)
    for contender in [catena, nio, tasks].compactMap(\.self) {
      precondition(contender.isRight(), "\(name): the result is wrong")
      contender.repeated(operations)
    }
    for _ in 0..<rounds {
      result.catena.add(catena, operations)
      result.nio.add(nio, operations)
    }
    // Not between the two, whose caches its threads would empty.
    for _ in 0..<rounds { if let tasks { result.tasks?.add(tasks, operations) } }
    return result
  }

  /// Our allocations alone: no clock, no peer.
  func countedAllocations() -> Double {
    var series = Measurement.Series()
    catena.repeated(operations)
    series.add(catena, operations)
    return series.allocations
  }
}

extension Measurement.Series {
  fileprivate mutating func add(_ contender: Contender, _ operations: Int) {
    let allocationsBefore = allocations_so_far()
    let start = ContinuousClock.now
    contender.repeated(operations)
    let elapsed = ContinuousClock.now - start
    allocations = Double(allocations_so_far() - allocationsBefore) / Double(operations)
    nanoseconds.append(elapsed / .nanoseconds(1) / Double(operations))
  }
}
