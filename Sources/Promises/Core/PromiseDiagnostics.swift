import CatenaSystem

/// The reports of incorrect use of promises, each with the source location of the promise.
///
/// Diagnostics cost almost nothing until a report is made.
///
/// ```swift
/// PromiseDiagnostics.handler = { event in logger.warning("\(event)") }
/// PromiseDiagnostics.watchPending(longerThan: .seconds(60))
/// ```
public enum PromiseDiagnostics {
  /// The handler of all reports in the process.
  ///
  /// `nil` discards the reports.
  ///
  /// The default handler writes a line to standard error for each report. If that is closed, full or
  /// read-only, or is a pipe without a reader, the line is lost; this causes no failure and raises no
  /// `SIGPIPE`. If nobody reads a full pipe, the handler waits for a second, and then discards reports
  /// without a wait until the pipe is read again; a line says how many.
  ///
  /// The handler is called on the thread that causes the report, possibly during the release of an
  /// object, and on several threads concurrently. It should return quickly.
  public static var handler: (@Sendable (_ event: PromiseEvent) -> Void)? {
    get { state.withLock { $0.handler } }
    set {
      // Released after unlocking, because the release may cause a report.
      let former = state.withLock { state in
        defer { state.handler = newValue }
        return state
      }
      withExtendedLifetime(former) {}
    }
  }

  // MARK: Internals

  /// Receives each new promise that is created with a resolver or from a task.
  typealias CreationObserver = @Sendable (_ promise: any Settleable, _ site: CallSite) -> Void

  /// A structure, because each access to a closure that a `Mutex` has as its value would wrap it once
  /// more.
  private struct State: Sendable {
    var handler: (@Sendable (PromiseEvent) -> Void)? = { event in
      StandardStream.error.write("warning: \(event)\n")
    }
    var creationObserver: CreationObserver?
  }

  private static let state = Mutex(State())
  private static let hasCreationObserver = Atomic(false)

  static func report(_ event: PromiseEvent) { handler?(event) }

  /// The observer of new promises, set by ``watchPending(longerThan:scheduler:)``.
  ///
  /// `nil` if there is none, at the cost of one relaxed load.
  static var creationObserver: CreationObserver? {
    guard hasCreationObserver.load(ordering: .relaxed) else { return nil }
    return state.withLock { $0.creationObserver }
  }

  /// Replaces the observer of new promises.
  ///
  /// `nil` removes it.
  static func setCreationObserver(_ creationObserver: CreationObserver?) {
    let former = state.withLock { state in
      defer { state.creationObserver = creationObserver }
      return state
    }
    withExtendedLifetime(former) {}
    hasCreationObserver.store(creationObserver != nil, ordering: .relaxed)
  }
}

extension Promise {
  /// Reports a rejected promise without a handler for the rejection.
  ///
  /// Called from `deinit`.
  func reportUnhandled() {
    guard let error, !error.isCancellation, error as? PromiseError != .abandoned else { return }
    PromiseDiagnostics.report(.unhandledRejection(error, at: site))
  }

  /// Rejects the promise with ``PromiseError/abandoned`` and reports it.
  ///
  /// Called when a resolver is released without a call, or when a context drops a handler.
  @usableFromInline
  func abandon() {
    var isAbandoned = false
    let needsDelivery = settle(by: .resolver) {
      error = PromiseError.abandoned
      isAbandoned = true
    }
    if isAbandoned { PromiseDiagnostics.report(.abandoned(at: site)) }
    if needsDelivery { Trampoline.deliver(self) }
  }

  /// Passes this promise to the observer of new promises, if there is one.
  @usableFromInline
  func notifyCreationObserver() { PromiseDiagnostics.creationObserver?(self, site) }
}
