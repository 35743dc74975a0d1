import Promises

extension Promise {
  /// Whether it is pending at this moment.
  package var stillPends: Bool {
    if case .pending = state { true } else { false }
  }

  /// Whether it has been rejected with a `CancellationError` by now.
  package var wasCancelled: Bool {
    if case .rejected(let error) = state { error is CancellationError } else { false }
  }

  /// What it has been rejected with by now; nil when it has not.
  package var settledError: (any Error)? {
    if case .rejected(let error) = state { error } else { nil }
  }

  /// What it has been fulfilled with by now; nil when it has not.
  package var settledValue: Value? {
    if case .fulfilled(let value) = state { value } else { nil }
  }
}
