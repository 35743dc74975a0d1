/// What ``PromiseDiagnostics`` reports about a promise.
public enum PromiseEvent: Sendable, CustomStringConvertible {
  /// A promise was rejected and released, and nobody had attached a `fail`, an `always`, a `recover`,
  /// an await or a wait to it or to a promise derived from it.
  ///
  /// Cancellations are not reported, nor are rejections that follow from an abandoned promise, which
  /// has a report of its own.
  case unhandledRejection(any Error, at: CallSite)

  /// A resolver was released without having been called, or a custom ``ExecutionContext`` has dropped a
  /// handler; the promise has been rejected with ``PromiseError/abandoned``.
  case abandoned(at: CallSite)

  /// A promise has been pending for as long as ``PromiseDiagnostics/watchPending(longerThan:scheduler:)``
  /// was told, or, where the time is nil, has been released while pending, so that nothing can settle
  /// it any more.
  case neverSettled(at: CallSite, after: Duration?)

  /// One line for people, which shows at most 200 characters of an error.
  public var description: String {
    switch self {
    case .unhandledRejection(let error, let site):
      "nobody handled the rejection of the promise made at \(site): \("\(error)".prefix(200))"
    case .abandoned(let site):
      "the promise made at \(site) was abandoned: what was to settle it was released without doing so"
    case .neverSettled(let site, let time?):
      "the promise made at \(site) is still pending after \(time)"
    case .neverSettled(let site, nil):
      "the promise made at \(site) was released while pending; its handlers never ran"
    }
  }

  /// The line that made the promise.
  public var site: CallSite {
    switch self {
    case .unhandledRejection(_, let site), .abandoned(let site), .neverSettled(let site, _):
      site
    }
  }
}
