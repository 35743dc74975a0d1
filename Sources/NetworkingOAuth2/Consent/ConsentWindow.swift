import CatenaSystem
import Foundation
import Promises

/// The states of a sign-in in a window of the system.
///
/// Events go in, and actions come out. The sign-in is settled once, by the first of: the redirect,
/// an error, the cancellation. A session that has been started is closed once, and not before
/// ``started(_:)``.
struct ConsentWindowMachine {
  /// An instruction for ``ConsentWindow``.
  enum Action {
    /// Settles the promise.
    case settle(Result<URL, any Error>)
    /// Cancels the session if it is still shown, and reports ``dismissed()`` in a later turn of the
    /// main queue.
    case close(cancels: Bool)
    /// Releases the session.
    case release
  }

  private enum Phase { case idle, starting, shown, closing, released }

  private var phase = Phase.idle
  private var isCancelled = false
  /// Whether the sign-in has ended, so that nothing is to be shown.
  private(set) var isSettled = false

  /// Returns whether to start the session.
  ///
  /// Called directly before the start.
  mutating func start() -> Bool {
    guard phase == .idle, !isSettled else { return false }
    phase = .starting
    return true
  }

  /// Handles the result of the start.
  ///
  /// The error of a failed start may arrive after its result, so that the sign-in is settled after
  /// the next turn of the main queue.
  mutating func started(_ isShown: Bool) -> [Action] {
    guard phase == .starting else { return [] }
    phase = isShown && !isSettled ? .shown : .closing
    return phase == .shown ? [] : [.close(cancels: isShown && isCancelled)]
  }

  /// Handles the cancellation of the sign-in.
  mutating func cancel() -> [Action] {
    guard !isSettled else { return [] }
    isCancelled = true
    return settle(.failure(CancellationError()))
  }

  /// Handles the redirect, or the error of the session.
  mutating func completed(_ result: Result<URL, any Error>) -> [Action] {
    isSettled ? [] : settle(result)
  }

  /// Handles the end of the turn of the main queue in which the session was closed.
  mutating func dismissed() -> [Action] {
    guard phase == .closing else { return [] }
    phase = .released
    let refusal = OAuth2Error(.consentUnavailable, "the system has not started the sign-in")
    return completed(.failure(refusal)) + [.release]
  }

  private mutating func settle(_ result: Result<URL, any Error>) -> [Action] {
    isSettled = true
    guard phase == .shown else { return [.settle(result)] }
    phase = .closing
    return [.settle(result), .close(cancels: isCancelled)]
  }
}

/// A session of the system that shows the page of a sign-in.
@MainActor protocol ConsentWindowSession: AnyObject {
  /// Shows the page.
  ///
  /// - Returns: Whether the system will show it.
  func start() -> Bool
  /// Removes the page.
  func cancel()
}

/// A sign-in in a window of the system.
///
/// The session is kept until a later turn of the main queue than that of its completion, because it
/// must not be released in its own completion or before its window has gone.
final class ConsentWindow: Sendable {
  /// The completion handler of a session.
  ///
  /// It may run on any thread, and more than once.
  typealias Completion = @Sendable (URL?, (any Error)?) -> Void

  private let errorDomain: String
  private let machine = Mutex(ConsentWindowMachine())
  private let redirect = Promise<URL>.pending(on: .inline)
  @MainActor private var session: (any ConsentWindowSession)?

  /// Creates a sign-in that shows nothing yet.
  ///
  /// - Parameter errorDomain: The domain of the errors of the session, with the codes of
  ///   `ASWebAuthenticationSessionError`.
  init(errorDomain: String) {
    self.errorDomain = errorDomain
  }

  /// Shows the page, and waits for the redirect.
  ///
  /// - Parameter makeSession: A closure that creates the session. It does not run if the task is
  ///   already cancelled.
  /// - Returns: The redirect.
  /// - Throws: ``OAuth2Error``, `CancellationError`, or the error of `makeSession`.
  func show(
    _ makeSession: @MainActor @Sendable (@escaping Completion) throws -> any ConsentWindowSession
  ) async throws -> URL {
    try await withTaskCancellationHandler {
      await start(makeSession)
      return try await redirect.promise.value
    } onCancel: {
      // Without a hop, so that it takes effect before a start that the main actor has not reached.
      perform { $0.cancel() }
    }
  }

  @MainActor private func start(
    _ makeSession: @MainActor @Sendable (@escaping Completion) throws -> any ConsentWindowSession
  ) {
    guard !machine.withLock({ $0.isSettled }) else { return }
    do {
      let session = try makeSession(completion)
      // The closure of the anchor may have cancelled the sign-in.
      guard machine.withLock({ $0.start() }) else { return }
      self.session = session
      let isShown = session.start()
      perform { $0.started(isShown) }
    } catch {
      perform { $0.completed(.failure(error)) }
    }
  }

  /// The completion handler of the session.
  ///
  /// The system calls it on a queue of its own. A closure that is written in a type of the main
  /// actor would trap there, unless it is `@Sendable`. The session keeps this object by it.
  private var completion: Completion {
    { @Sendable [self] url, error in
      let result = Self.result(url, error, domain: errorDomain)
      perform { $0.completed(result) }
    }
  }

  private func perform(
    _ event: (inout ConsentWindowMachine) -> [ConsentWindowMachine.Action]
  ) {
    for action in machine.withLock({ event(&$0) }) {
      switch action {
      case .settle(.success(let url)): redirect.resolver.fulfill(url)
      case .settle(.failure(let error)): redirect.resolver.reject(error)
      case .close(let cancels):
        Task { @MainActor in
          if cancels { session?.cancel() }
          await Task.yield()
          perform { $0.dismissed() }
        }
      case .release: Task { @MainActor in session = nil }
      }
    }
  }

  /// Returns the result of a session.
  ///
  /// - Parameters:
  ///   - url: The redirect.
  ///   - error: The error of the session.
  ///   - domain: The domain of its own errors.
  /// - Returns: The redirect, or an ``OAuth2Error``.
  static func result(
    _ url: URL?, _ error: (any Error)?, domain: String
  ) -> Result<URL, any Error> {
    if let url { return .success(url) }
    guard let error else {
      return failure(.consentUnavailable, "the system has returned no redirect and no error")
    }
    let details = error as NSError
    switch details.domain == domain ? details.code : 0 {
    case 1:
      // The system also reports a missing associated domain as a cancellation, with a reason.
      guard let reason = details.localizedFailureReason else { return failure(.consentCancelled) }
      return failure(.consentUnavailable, reason)
    case 2: return failure(.consentUnavailable, "the sign-in has no window to be shown in")
    case 3:
      return failure(.consentUnavailable, "the window of the anchor is not in the foreground")
    default: return .failure(OAuth2Error(.consentUnavailable, underlying: error))
    }
  }

  private static func failure(
    _ code: OAuth2Error.Code, _ reason: String? = nil
  ) -> Result<URL, any Error> {
    .failure(OAuth2Error(code, reason))
  }
}
