/// A use of promises, which both contenders implement.
struct Shape {
  /// The choice of the reference.
  enum Comparison: String {
    /// The same work with SwiftNIO's futures.
    case nio = "NIO"
    /// The same steps with Catena and an explicit context.
    case explicitContext = "with on:"
  }

  let name: String
  /// The number of operations per turn: few enough that most turns run within one time slice of the
  /// process, and enough that the cost of the clock is negligible.
  let operations: Int
  /// The number of turns of each contender per round.
  var turns = 20
  let catena: Contender
  /// The contender with which Catena is compared.
  let reference: Contender
  var comparison = Comparison.nio
  /// The same work with Swift tasks, for orientation only.
  var tasks: Contender?
  var budgets: [Budget] = []
}

extension Shape {
  /// All shapes, in the order of the table.
  static var all: [Shape] {
    [
      oneThen,
      thens(10), thens(1000),
      promises(10), promises(1000),
      when(1000), when(100_000),
      twoThreads,
      stepsWithoutIsolation(100), stepsOfTheMainActor(100), stepsOfAnActor(100),
    ]
  }
}
