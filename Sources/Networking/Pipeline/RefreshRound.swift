import CatenaSystem
import Promises

/// The identity of one renewal of credentials, which marks the code of the renewal and its requests.
///
/// A renewal is the refresh of a ``RefreshInterceptor``, a middleware, or the work of
/// ``Networking/renewCredentials(_:)``.
final class RefreshRound: Sendable, HashableByIdentity {
  /// The renewal in which the current code runs, if any, running or ended.
  static var current: RefreshRound? { HandlerScope.innermost.flatMap { $0.mark as? RefreshRound } }

  /// The object that runs the refresh.
  ///
  /// `nil` for other renewals, for which no request waits.
  let owner: SharedRefresh?
  /// The number of the refresh.
  let number: Int
  /// The running refresh of another interceptor whose request caused this renewal, if any.
  let outer: RefreshRound?
  /// The sessions of the request that caused the renewal, whose credentials are renewed.
  let sessions: CallSessions
  /// Whether a renewal that removes the credentials ends the session of the user.
  let canSignOut: Bool
  private let isOver = Atomic(false)

  /// Makes the identity of a renewal.
  ///
  /// - Parameters:
  ///   - owner: The object that runs the refresh. `nil` if there is none.
  ///   - number: The number of the refresh.
  ///   - outer: The renewal in which the request was made that causes this one, if any.
  ///   - sessions: The sessions of that request.
  ///   - canSignOut: Whether to remove the credentials is a sign-out.
  init(
    owner: SharedRefresh? = nil, number: Int = 0, in outer: RefreshRound?,
    of sessions: CallSessions, canSignOut: Bool = true
  ) {
    self.owner = owner
    self.number = number
    // A refresh that has ended is released, so that the list stays short.
    self.outer = outer?.isInProgress == true ? outer : nil
    self.sessions = sessions
    self.canSignOut = canSignOut
  }

  /// Whether requests wait for this refresh, or for the one that has caused it.
  var isInProgress: Bool { owner?.isInProgress(number) ?? outer?.isInProgress ?? false }

  /// Whether the work of the renewal has not ended.
  var isRunning: Bool { !isOver.load(ordering: .acquiring) }

  /// Runs the work of the renewal, and ends the renewal with the promise of the work.
  ///
  /// - Parameter work: A closure that starts the work.
  /// - Returns: The promise of the closure.
  func run<Value: Sendable>(_ work: () throws -> Promise<Value>) -> Promise<Value> {
    firstly { try HandlerScope(mark: self).run(work) }.always(on: .inline) { self.finish($0) }
  }

  /// Records the end of the work.
  ///
  /// The code of work that was cancelled may go on, and still belongs to the renewal.
  func finish<Value>(_ result: Result<Value, any Error>) {
    if case .failure(let error) = result, error.isCancellation { return }
    isOver.store(true, ordering: .releasing)
  }

  /// Whether the user of this renewal has signed out before its work has ended, so that its result must
  /// not be used.
  var isObsolete: Bool { isRunning && sessions.hasEnded }
}
