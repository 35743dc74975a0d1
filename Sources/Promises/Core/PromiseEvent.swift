/// A report from ``PromiseDiagnostics`` about a promise.
public enum PromiseEvent: Sendable, CustomStringConvertible {
  /// A promise was rejected and released without a handler for the rejection.
  ///
  /// Neither the promise nor a promise derived from it had a `fail`, an `always`, a `recover`, an
  /// await or a wait. Cancellations are not reported. Rejections that follow from an abandoned
  /// promise are not reported either, because the abandonment has its own report.
  case unhandledRejection(any Error, at: CallSite)

  /// A resolver was released without a call, or a custom ``ExecutionContext`` dropped a handler.
  ///
  /// The promise has been rejected with ``PromiseError/abandoned``.
  case abandoned(at: CallSite)

  /// A promise was still pending at the time limit of
  /// ``PromiseDiagnostics/watchPending(longerThan:scheduler:)``, or was released while pending.
  ///
  /// `after` is the limit. It is `nil` for a promise that was released while pending and can no
  /// longer settle.
  case neverSettled(at: CallSite, after: Duration?)

  /// A one-line description with at most 200 characters of the error.
  public var description: String {
    switch self {
    case .unhandledRejection(let error, let site):
      "unhandled rejection of the promise created at \(site): \("\(error)".prefix(200))"
    case .abandoned(let site):
      "the promise created at \(site) was abandoned: "
        + "its resolver or handler was released before settling it"
    case .neverSettled(let site, let time?):
      "the promise created at \(site) is still pending after \(time.rounded)"
    case .neverSettled(let site, nil):
      "the promise created at \(site) was released while pending; its handlers never ran"
    }
  }

  /// The source location of the promise.
  public var site: CallSite {
    switch self {
    case .unhandledRejection(_, let site), .abandoned(let site), .neverSettled(let site, _):
      site
    }
  }
}

extension Duration {
  /// The duration for a text, rounded to milliseconds or, below one of them, to microseconds.
  ///
  /// Random delays and measured times otherwise have up to 18 decimals.
  package var rounded: Duration {
    let unit: Duration =
      (.milliseconds(-1)...(.milliseconds(1))).contains(self)
      ? .microseconds(1) : .milliseconds(1)
    let count = (self / unit).rounded()
    return abs(count) < 1e15 ? unit * Int(count) : self
  }
}
