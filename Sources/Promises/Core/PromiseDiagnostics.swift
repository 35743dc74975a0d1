import CatenaSystem
import Synchronization

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
    get { handlerState.withLock { $0 } }
    set { handlerState.replace(with: newValue) }
  }

  // MARK: Internals

  /// Receives each new promise that is created with a resolver or from a task.
  typealias CreationObserver = @Sendable (_ promise: any Settleable, _ site: CallSite) -> Void

  private static let handlerState = Mutex<(@Sendable (PromiseEvent) -> Void)?>({ event in
    StandardStream.error.write("warning: \(event)\n")
  })
  private static let creationObserverState = Mutex<CreationObserver?>(nil)
  private static let hasCreationObserver = Atomic(false)

  static func report(_ event: PromiseEvent) {
    handler?(event)
  }

  /// The observer of new promises, set by ``watchPending(longerThan:scheduler:)``.
  ///
  /// `nil` if there is none, at the cost of one relaxed load.
  static var creationObserver: CreationObserver? {
    guard hasCreationObserver.load(ordering: .relaxed) else { return nil }
    return creationObserverState.withLock { $0 }
  }

  /// Replaces the observer of new promises.
  ///
  /// `nil` removes it.
  static func setCreationObserver(_ creationObserver: CreationObserver?) {
    creationObserverState.replace(with: creationObserver)
    hasCreationObserver.store(creationObserver != nil, ordering: .relaxed)
  }
}

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

extension Mutex where Value: Sendable {
  /// Replaces the value, and releases the former one after unlocking, because this may run a user's
  /// `deinit` or cause a report.
  func replace(with value: Value) {
    let former = withLock { current in
      defer { current = value }
      return current
    }
    withExtendedLifetime(former) {}
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

extension Promise {
  /// Reports a rejected promise without a handler for the rejection.
  ///
  /// Called from `deinit`.
  func reportUnhandled() {
    guard let error, !error.isCancellation, error as? PromiseError != .abandoned else { return }
    PromiseDiagnostics.report(.unhandledRejection(error, at: site))
  }

  /// Reports a pending promise.
  ///
  /// Called from `deinit`.
  func reportNeverSettled() {
    PromiseDiagnostics.report(.neverSettled(at: site, after: nil))
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
  func notifyCreationObserver() {
    PromiseDiagnostics.creationObserver?(self, site)
  }
}

/// The source location of a promise, for diagnostics.
///
/// The description is `module/file.swift:line`, as in `#fileID` and `#line`. It contains no path of
/// the machine that compiled the program.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  private let staticFile: StaticString
  private let shortLine: UInt32

  /// Creates a source location.
  ///
  /// Operators pass the `#fileID` and `#line` of their caller.
  ///
  /// - Parameters:
  ///   - file: A `#fileID`.
  ///   - line: A `#line`, counted from 1.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    staticFile = file
    shortLine = UInt32(truncatingIfNeeded: line)
  }

  /// The module and the file name: `Module/File.swift`.
  public var file: String { "\(staticFile)" }

  /// Whether the location is in a module of this package.
  var isInternal: Bool {
    let file = file
    return ["Promises/", "Networking/", "Mocking/"].contains { file.hasPrefix($0) }
  }

  /// The line in the file, counted from 1.
  public var line: Int { Int(shortLine) }

  /// The location as `Module/File.swift:line`.
  public var description: String { "\(file):\(line)" }

  /// Returns whether two locations have the same file and line.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.file == right.file
  }

  /// Hashes the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
  }
}
