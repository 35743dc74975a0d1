/// What a queue's operations are doing, in numbers, and so whether one of them is about to start.
///
/// ```
/// waiting --starting--> starting --begun--> running --finished-->
/// ```
struct QueueOccupancy: Sendable {
  /// How many may be started and not finished at once.
  let width: Int
  /// Whether none may start.
  var isSuspended = false
  private var waiting = 0
  private var starting = 0
  /// Started and not finished, those that are starting among them.
  private var started = 0

  init(width: Int) {
    self.width = width
  }

  /// Whether something happens in the queue without waiting for anything outside: an operation is
  /// starting, or one has its turn.
  var isBusy: Bool {
    starting > 0 || (!isSuspended && waiting > 0 && started < width)
  }

  /// An operation has joined.
  mutating func add() {
    waiting += 1
  }

  /// An operation's turn has come.
  mutating func start() {
    waiting -= 1
    starting += 1
    started += 1
  }

  /// It has done what it does at once, and now waits for an answer.
  mutating func begin() {
    starting -= 1
  }

  /// It is over.
  mutating func finish() {
    started -= 1
  }
}
