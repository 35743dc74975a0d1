/// The attempts of a call, as they begin and end.
struct AttemptLog {
  private var finished: [Attempt] = []
  private var current: (delay: Duration, start: Duration)?
  /// How many of them a retry policy has asked for, which a limit counts.
  var repetitions = 0

  /// How many have begun.
  var count: Int { finished.count + (current == nil ? 0 : 1) }

  /// Begins an attempt; one that nobody has ended is unfinished.
  mutating func begin(after delay: Duration, at now: Duration) {
    end(.unfinished, at: now)
    current = (delay, now)
  }

  /// Takes back the attempt under way, which has sent nothing.
  mutating func withdraw() {
    current = nil
  }

  /// Ends the attempt under way; without one it changes nothing.
  mutating func end(_ outcome: Attempt.Outcome, at now: Duration) {
    guard let (delay, start) = current.take() else { return }
    finished.append(
      Attempt(number: finished.count + 1, delay: delay, duration: now - start, outcome: outcome))
  }

  /// Adds what came of attempts that were made elsewhere, numbered on from those that are here.
  mutating func append(_ attempts: [Attempt]) {
    for attempt in attempts {
      finished.append(
        Attempt(
          number: finished.count + 1, delay: attempt.delay, duration: attempt.duration,
          outcome: attempt.outcome))
    }
  }

  /// All that have begun, in order.
  func attempts(at now: Duration) -> [Attempt] {
    var log = self
    log.end(.unfinished, at: now)
    return log.finished
  }
}
