/// A piece of work that promises are put to, done by each contender in its own way.
struct Shape {
  let name: String
  /// How many operations a turn has: so few that most turns run within the slice of time that the
  /// system gives to a process, so many that the clock does not matter.
  let operations: Int
  /// How many turns each contender has in a round.
  var turns = 20
  let catena: Contender
  let nio: Contender
  /// Swift's own tasks at the same work, to look at only.
  var tasks: Contender?
  var budgets: [Budget] = []
}

extension Shape {
  /// All, in the order in which the table shows them.
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
