import CatenaSystem
public import Foundation
import Networking
import Promises

/// A strategy that leaves the redirect to the app, for custom schemes and for universal links.
///
/// ```swift
/// let consent = ManualConsent(redirectURL: URL(string: "com.example.shop:/callback")!) { page in
///   await UIApplication.shared.open(page)
/// }
/// let signedIn = session.signIn(.authorizationCode(consent))
/// consent.handleOpen(url)                       // in the app's handler of URLs
/// ```
public final class ManualConsent: ConsentStrategy {
  private struct Waiting {
    var request: ConsentRequest
    var resolver: Resolver<URL>
  }

  private let redirectURL: URL
  private let open: @Sendable @isolated(any) (_ page: URL) async throws -> Void
  private let waiting = Mutex<[String: Waiting]>([:])

  /// Creates a strategy.
  ///
  /// - Parameters:
  ///   - redirectURL: The redirect URL, which the app handles.
  ///   - open: A closure that opens the page. It runs once for each sign-in, on its actor.
  public init(
    redirectURL: URL,
    @_inheritActorContext open:
      @escaping @Sendable @isolated(any) (_ page: URL) async throws -> Void
  ) {
    self.redirectURL = redirectURL
    self.open = open
  }

  /// Handles a URL that the app was opened with.
  ///
  /// - Parameter url: The URL.
  /// - Returns: Whether it is the redirect of a sign-in in progress, which then continues.
  @discardableResult
  public func handleOpen(_ url: URL) -> Bool {
    let found = waiting.withLock { waiting -> Waiting? in
      let match = waiting.first { $0.value.request.isResponse(url, to: redirectURL) }
      return match.flatMap { waiting.removeValue(forKey: $0.key) }
    }
    found?.resolver.fulfill(url)
    return found != nil
  }

  /// Cancels all sign-ins in progress, for example when the user closes the page.
  public func cancel() {
    let all = waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values.map(\.resolver)
    }
    for resolver in all { resolver.reject(OAuth2Error(.consentCancelled)) }
  }

  /// Shows the page, and waits for the redirect.
  ///
  /// - Parameter request: The request.
  /// - Returns: The redirect.
  /// - Throws: ``OAuth2Error`` if the page cannot be shown or the user cancels.
  public func consent(to request: ConsentRequest) async throws -> ConsentResponse {
    let (promise, resolver) = Promise<URL>.pending(on: .inline)
    waiting.withLock { $0[request.state] = Waiting(request: request, resolver: resolver) }
    defer {
      let removed = waiting.withLock { $0.removeValue(forKey: request.state) }
      // Rejected as cancelled, so that it is not reported as abandoned.
      removed?.resolver.reject(CancellationError())
    }
    do {
      try await open(request.pageURL(redirectingTo: redirectURL))
    } catch {
      throw OAuth2Error(.consentUnavailable, underlying: error)
    }
    return ConsentResponse(try await promise.value, redirectURL: redirectURL)
  }
}
