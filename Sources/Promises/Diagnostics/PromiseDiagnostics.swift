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
    let watch = limit.map { Watch(limit: $0, scheduler: scheduler) }
    let old = state.withLock { state in
      defer { state.watch = watch }
      return state.watch
    }
    withExtendedLifetime(old) {}
    isWatching.store(limit != nil, ordering: .relaxed)
  }

  // MARK: Inside

  struct Watch: Sendable {
    let limit: Duration
    let scheduler: any Scheduler
  }

  private struct State {
    var handler: (@Sendable (PromiseEvent) -> Void)? = { event in
      FileHandle.standardError.write(Data("warning: \(event)\n".utf8))
    }
    var watch: Watch?
  }

  private static let state = Mutex(State())
  private static let isWatching = Atomic(false)

  static func report(_ event: PromiseEvent) {
    handler?(event)
  }

  /// The watch in force; one relaxed load when there is none.
  static var watch: Watch? {
    guard isWatching.load(ordering: .relaxed) else { return nil }
    return state.withLock { $0.watch }
  }
}
