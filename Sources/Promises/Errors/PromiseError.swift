/// Why a promise was rejected by this module itself, and not by the work that it stands for.
///
/// Cancellation is not among them: that is the language's own `CancellationError`.
public enum PromiseError: Error, Equatable {
  /// The promise's ``Resolver`` was released without having been called, or a custom
  /// ``ExecutionContext`` has dropped the handler that was to settle it.
  case abandoned
  /// The promise would have waited for itself, directly or through others (Promises/A+ 2.3.1).
  case cycle
  /// No outcome within the time given to ``Promise/timeout(_:scheduler:file:line:)`` or
  /// ``Promise/wait(timeout:)``.
  case timedOut
  /// ``any(_:file:line:)`` or ``race(_:file:line:)`` was given no promise at all.
  case empty
  /// The value did not meet the condition of ``Promise/validate(on:file:line:where:)``.
  case unacceptableValue
  /// The closure of ``Promise/compactMap(on:file:line:_:)`` returned nil.
  case missingValue
}

extension PromiseError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .abandoned:
      "the promise was abandoned: what was to settle it was released without doing so"
    case .cycle: "the promise would have waited for itself"
    case .timedOut: "the promise had no outcome within its time limit"
    case .empty: "there was no promise to choose from"
    case .unacceptableValue: "the value was refused by validate(where:)"
    case .missingValue: "compactMap's closure returned nil"
    }
  }
}
