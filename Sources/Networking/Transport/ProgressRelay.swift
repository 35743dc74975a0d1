import Synchronization

/// Tells several how one transfer gets on, those too who come in the middle of it.
final class ProgressRelay: ProgressReporting {
  private struct State {
    var progress = TransferProgress()
    var reporters: [Int: any ProgressReporting] = [:]
  }

  private let state = Mutex(State())

  /// Tells another one, at once when there is something to tell.
  ///
  /// - Parameters:
  ///   - reporter: who is told.
  ///   - number: by what name it is removed.
  func add(_ reporter: any ProgressReporting, for number: Int) {
    let hasBegun = state.withLock { state in
      state.reporters[number] = reporter
      return state.progress != TransferProgress()
    }
    if hasBegun { tell(reporter) }
  }

  /// Tells one no more.
  func remove(_ number: Int) {
    let reporter = state.withLock { $0.reporters.removeValue(forKey: number) }
    withExtendedLifetime(reporter) {}
  }

  func begin() {
    for reporter in update({ $0 = TransferProgress() }) { reporter.begin() }
  }

  func change(_ change: (inout TransferProgress) -> Void) {
    for reporter in update(change) { tell(reporter) }
  }

  private func update(_ change: (inout TransferProgress) -> Void) -> [any ProgressReporting] {
    state.withLock { state in
      change(&state.progress)
      return state.reporters.isEmpty ? [] : Array(state.reporters.values)
    }
  }

  /// What is newest is read when the reporter takes it in, so that of two who tell it the later one never
  /// takes it back.
  private func tell(_ reporter: any ProgressReporting) {
    reporter.change { $0 = state.withLock { $0.progress } }
  }
}
