/// Which errors a handler is for.
///
/// A cancellation is what somebody asked for; a program seldom wants to show it as a failure.
public enum ErrorPolicy: Sendable {
  /// Every error but those that are a cancellation, as ``Swift/Error/isCancellation`` tells.
  case allErrorsExceptCancellation
  /// Every error.
  case allErrors

  @usableFromInline
  func covers(_ error: any Error) -> Bool {
    self == .allErrors || !error.isCancellation
  }
}
