import BenchmarkSupport
import CAllocations

/// The results of all rounds of one shape.
struct Measurement {
  /// The results of one contender.
  struct Series {
    /// The time per operation, one element for each round.
    var nanoseconds: [Double] = []
    /// The allocations per operation on the measuring thread.
    var allocations = 0.0
  }

  let name: String
  let comparison: Shape.Comparison
  var catena = Series()
  var reference = Series()
  var tasks: Series?
  var budgets: [Budget] = []

  /// The ratio of Catena's time to that of the reference in each round.
  ///
  /// The two alternate within a round, so other load on the machine affects both.
  var ratios: [Double] { zip(catena.nanoseconds, reference.nanoseconds).map { $0 / $1 } }

  /// The difference between Catena's time and that of the reference in each round, in nanoseconds.
  var differences: [Double] { zip(catena.nanoseconds, reference.nanoseconds).map { $0 - $1 } }
}

extension Shape {
  /// Measures the contenders alternately, A B A B, after one unmeasured turn each.
  func measured(rounds: Int) -> Measurement {
    var result = Measurement(
      name: name, comparison: comparison, tasks: tasks.map { _ in .init() }, budgets: budgets)
    for contender in [catena, reference, tasks].compactMap(\.self) {
      precondition(contender.isCorrect(), "\(name): the result is incorrect")
      contender.repeated(operations)
    }
    for _ in 0..<rounds { addRound(to: &result) }
    // After the others, because the threads of the tasks would evict their caches.
    if let tasks {
      for _ in 0..<rounds {
        result.tasks?.nanoseconds.append((0..<turns).map { _ in time(tasks) }.median)
      }
    }
    result.catena.allocations = allocations(of: catena)
    result.reference.allocations = allocations(of: reference)
    return result
  }

  /// Adds a round of many short turns.
  ///
  /// Its result is the median turn, so turns that another process interrupts do not count.
  private func addRound(to result: inout Measurement) {
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<turns {
      ours.append(time(catena))
      theirs.append(time(reference))
    }
    result.catena.nanoseconds.append(ours.median)
    result.reference.nanoseconds.append(theirs.median)
  }

  /// Returns the nanoseconds per operation over one turn.
  private func time(_ contender: Contender) -> Double {
    let start = ContinuousClock.now
    contender.repeated(operations)
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
  }

  /// Returns the allocations per operation of a contender, without a clock.
  func countedAllocations(of contender: Contender) -> Double {
    contender.repeated(operations)
    return allocations(of: contender)
  }

  /// Returns the allocations per operation on this thread over one turn.
  ///
  /// A turn must have run before.
  private func allocations(of contender: Contender) -> Double {
    let before = allocations_so_far()
    contender.repeated(operations)
    return Double(allocations_so_far() - before) / Double(operations)
  }
}
