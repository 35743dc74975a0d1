import Promises
import Synchronization

/// Times the steps of one walk, from its start.
final class Stopwatch: Sendable {
  /// One step that went well.
  struct Lap: Sendable {
    let step: Step
    let requests: Int
    let duration: Duration
  }

  private struct State {
    var laps: [Lap] = []
    var began = ContinuousClock.now
  }

  private let state = Mutex(State())

  var laps: [Lap] { state.withLock { $0.laps } }

  /// The step under way: the first that has no time yet.
  var nextStep: Step {
    let done = laps.count
    return Step.allCases.dropFirst(done).first ?? .delete
  }

  func lap(_ step: Step, requests: Int) {
    let now = ContinuousClock.now
    state.withLock { state in
      state.laps.append(Lap(step: step, requests: requests, duration: now - state.began))
      state.began = now
    }
  }
}

extension Promise {
  /// Takes the time of a step when this promise is fulfilled: an operator of one's own, for chains.
  func lap(
    _ step: Step, _ stopwatch: Stopwatch,
    requests: @escaping @Sendable (Value) -> Int = { _ in 1 }
  ) -> Promise {
    tap(on: .inline) { value in stopwatch.lap(step, requests: requests(value)) }
  }
}
