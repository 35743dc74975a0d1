/// A piece of work that promises are put to, done by each contender in its own way.
struct Shape {
  let name: String
  /// How many operations one round measures; so many that a round takes a few milliseconds.
  let operations: Int
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
