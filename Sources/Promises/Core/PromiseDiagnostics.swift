import Foundation
import Synchronization

/// Reports promises that were used wrongly, each with the line that made them.
///
/// Nothing here is on the path of a promise that is used well: a report costs something only when
/// there is one to make.
///
/// ```swift
/// PromiseDiagnostics.handler = { event in logger.warning("\(event)") }
/// PromiseDiagnostics.watchPending(longerThan: .seconds(60))
/// ```
public enum PromiseDiagnostics {
  /// Gets every report.
  ///
  /// Nil keeps silent. At first it writes a line to standard error for each.
  /// One for the whole process. It is called on whatever thread the report arises, perhaps inside
  /// the release of an object, and from several at once; it should hand over and return.
  public static var handler: (@Sendable (_ event: PromiseEvent) -> Void)? {
    get { state.withLock { $0.handler } }
    set {
      // The old one is released after unlocking: a report may follow from that.
      let old = state.withLock { state in
        defer { state.handler = newValue }
        return state.handler
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Reports every promise that is made from now on and pends for longer than `limit`, once.
  ///
  /// It looks at promises made with a resolver or from a task, on which all others depend. A report
  /// does not touch the promise. Each promise made while the watch is on costs a timer.
  ///
  /// - Parameters:
  ///   - limit: how long a promise may pend; nil ends the watch, also for promises made before.
  ///   - scheduler: whose time counts.
  public static func watchPending(
    longerThan limit: Duration?, scheduler: some Scheduler = .live
  ) {
    let watch = limit.map { PendingWatch(limit: $0, scheduler: scheduler) }
    let old = state.withLock { state in
      defer { state.watch = watch }
      return state.watch
    }
    withExtendedLifetime(old) {}
    isWatching.store(limit != nil, ordering: .relaxed)
  }

  // MARK: Inside

  struct PendingWatch: Sendable {
    let limit: Duration
    let scheduler: any Scheduler
  }

  private struct State {
    var handler: (@Sendable (PromiseEvent) -> Void)? = { event in
      FileHandle.standardError.write(Data("warning: \(event)\n".utf8))
    }
    var watch: PendingWatch?
  }

  private static let state = Mutex(State())
  private static let isWatching = Atomic(false)

  static func report(_ event: PromiseEvent) {
    handler?(event)
  }

  /// The watch in force; one relaxed load when there is none.
  static var watch: PendingWatch? {
    guard isWatching.load(ordering: .relaxed) else { return nil }
    return state.withLock { $0.watch }
  }
}

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

extension Promise {
  /// From deinit, of a rejected promise that nobody took on.
  func reportUnhandled() {
    guard let error, !error.isCancellation, error as? PromiseError != .abandoned else { return }
    PromiseDiagnostics.report(.unhandledRejection(error, at: site))
  }

  /// From deinit, of a pending promise.
  func reportNeverSettled() {
    PromiseDiagnostics.report(.neverSettled(at: site, after: nil))
  }

  /// Rejects for a resolver that was released, unless it had been called; for a handler that was dropped.
  @usableFromInline
  func abandon() {
    var isAbandoned = false
    let isDue = settle(by: .resolver) {
      error = PromiseError.abandoned
      isAbandoned = true
    }
    if isAbandoned { PromiseDiagnostics.report(.abandoned(at: site)) }
    if isDue { Trampoline.deliver(self) }
  }

  @usableFromInline
  func watchIfEnabled() {
    guard let watch = PromiseDiagnostics.watch else { return }
    let (site, limit) = (site, watch.limit)
    _ = watch.scheduler.schedule(after: limit) { [weak self] in
      guard let self, !isSettled, PromiseDiagnostics.watch != nil else { return }
      PromiseDiagnostics.report(.neverSettled(at: site, after: limit))
    }
  }
}

/// The place in the source where a promise was made: what a diagnostic points at.
///
/// Its description is `module/file.swift:line`, as `#fileID` and `#line` give them, so that no path
/// of the machine that compiled the program is in it.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  private let staticFile: StaticString
  private let shortLine: UInt32

  /// Names a place; the operators pass their caller's `#fileID` and `#line`.
  ///
  /// - Parameters:
  ///   - file: a `#fileID`.
  ///   - line: a `#line`, counted from 1.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    staticFile = file
    shortLine = UInt32(truncatingIfNeeded: line)
  }

  /// The module and the file's name, `Module/File.swift`.
  public var file: String { "\(staticFile)" }

  /// The line in the file, counted from 1.
  public var line: Int { Int(shortLine) }

  /// `Module/File.swift:line`.
  public var description: String { "\(file):\(line)" }

  /// Two sites are equal when file and line are.
  public static func == (left: CallSite, right: CallSite) -> Bool {
    left.line == right.line && left.file == right.file
  }

  /// Feeds file and line to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
  }
}
