import BenchmarkSupport
import CAllocations

/// What the rounds of one shape have shown.
struct Measurement {
  /// One contender's part.
  struct Series {
    /// Per operation, one for each round.
    var nanoseconds: [Double] = []
    /// Per operation, on the measuring thread.
    var allocations = 0.0
  }

  let name: String
  var catena = Series()
  var nio = Series()
  var tasks: Series?
  var budgets: [Budget] = []

  /// Our time in relation to SwiftNIO's, round by round: in a round the two ran in turn, so that what the machine does besides weighs on both.
  var ratios: [Double] { zip(catena.nanoseconds, nio.nanoseconds).map { $0 / $1 } }
}

extension Shape {
  /// Lets the contenders run in turn, A B A B, after a turn that counts for nothing.
  func measured(rounds: Int) -> Measurement {
    var result = Measurement(name: name, tasks: tasks.map { _ in .init() }, budgets: budgets)
    for contender in [catena, nio, tasks].compactMap(\.self) {
      precondition(contender.isRight(), "\(name): the result is wrong")
      contender.repeated(operations)
    }
    for _ in 0..<rounds { addRound(to: &result) }
    // Not between the two, whose caches its threads would empty.
    if let tasks {
      for _ in 0..<rounds {
        result.tasks?.nanoseconds.append((0..<turns).map { _ in time(tasks) }.median)
      }
    }
    result.catena.allocations = allocations(of: catena)
    result.nio.allocations = allocations(of: nio)
    return result
  }

  /// A round of many short turns, of which the median counts: a turn that another process broke into
  /// does not.
  private func addRound(to result: inout Measurement) {
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<turns {
      ours.append(time(catena))
      theirs.append(time(nio))
    }
    result.catena.nanoseconds.append(ours.median)
    result.nio.nanoseconds.append(theirs.median)
  }

  /// Nanoseconds an operation, over one turn.
  private func time(_ contender: Contender) -> Double {
    let start = ContinuousClock.now
    contender.repeated(operations)
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
  }

  /// Our allocations alone: no clock, no peer.
  func countedAllocations() -> Double {
    catena.repeated(operations)
    return allocations(of: catena)
  }

  /// Allocations an operation, on this thread, over one turn; it has to have had one before.
  private func allocations(of contender: Contender) -> Double {
    let before = allocations_so_far()
    contender.repeated(operations)
    return Double(allocations_so_far() - before) / Double(operations)
  }
}
