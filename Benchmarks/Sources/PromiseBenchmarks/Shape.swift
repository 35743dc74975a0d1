/// A use of promises, which each contender implements with its library.
struct Shape {
  let name: String
  /// The number of operations per turn: few enough that most turns run within one time slice of the
  /// process, and enough that the cost of the clock is negligible.
  let operations: Int
  /// The number of turns of each contender per round.
  var turns = 20
  let catena: Contender
  let nio: Contender
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
    ]
  }
}
