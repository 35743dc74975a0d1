import CatenaSystem
public import Foundation
import Networking
import Promises
import Synchronization

/// A way to show the sign-in page of the server to the user, and to receive the redirect after it.
///
/// - ``browser`` opens the system's browser.
/// - ``LoopbackConsent`` receives the redirect with a server on 127.0.0.1.
/// - ``ManualConsent`` receives it from the app, for a custom scheme.
/// - `WebAuthenticationConsent` shows a window of the system on Apple platforms.
public protocol ConsentStrategy: Sendable {
  /// Shows the page, and waits for the redirect.
  ///
  /// - Parameter request: The request, which makes the URL of the page.
  /// - Returns: The redirect, for which ``ConsentRequest/isResponse(_:to:)`` is `true`.
  /// - Throws: ``OAuth2Error`` with the code `consentCancelled` or `consentUnavailable`;
  ///   `CancellationError` if the task is cancelled, as it is after the time limit. All resources
  ///   must be released then.
  func consent(to request: ConsentRequest) async throws -> ConsentResponse
}

/// A request for the consent of the user.
///
/// The description does not contain the URL.
public struct ConsentRequest: Sendable, BrieflyDescribed {
  /// The redirect URL of the client.
  ///
  /// `nil` if the strategy has to provide one.
  public let redirectURL: URL?
  private let base: URL
  private let parameters: [(name: String, value: String)]
  let state: String

  init(_ base: URL, redirectURL: URL?, state: String, parameters: [(name: String, value: String)]) {
    self.base = base
    self.redirectURL = redirectURL
    self.state = state
    self.parameters = parameters
  }

  /// Returns the URL of the page.
  ///
  /// - Parameter redirectURL: The URL to which the server redirects the browser.
  /// - Returns: The URL.
  public func pageURL(redirectingTo redirectURL: URL) -> URL {
    let all = parameters + [("redirect_uri", redirectURL.absoluteString), ("state", state)]
    let query = all.map {
      "\(PercentEncoding.url.encoded($0.name))=\(PercentEncoding.url.encoded($0.value))"
    }.joined(separator: "&")
    var components = URLComponents(url: base, resolvingAgainstBaseURL: true) ?? URLComponents()
    let existing = components.percentEncodedQuery.map { $0.isEmpty ? "" : $0 + "&" } ?? ""
    components.percentEncodedQuery = existing + query
    // A fragment is not allowed there. Source: RFC 6749 section 3.1.
    components.fragment = nil
    return components.url ?? base
  }

  /// Returns whether a URL is the redirect of this request.
  ///
  /// A URL without the `state` of this request, or with two of them, is not.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - redirectURL: The URL to which the server redirects the browser.
  /// - Returns: `true` if the sign-in continues with this URL.
  public func isResponse(_ url: URL, to redirectURL: URL) -> Bool {
    url.scheme?.lowercased() == redirectURL.scheme?.lowercased()
      && url.host?.lowercased() == redirectURL.host?.lowercased()
      && Self.path(url) == Self.path(redirectURL)
      && AuthorizationResponse(url).state == state
  }

  private static func path(_ url: URL) -> String { url.path.isEmpty ? "/" : url.path }

  /// The host of the page.
  public var description: String { "ConsentRequest(\(base.host ?? ""))" }
}

/// The redirect after the consent of the user.
///
/// The description does not contain the URL, which has the authorization code.
public struct ConsentResponse: Sendable, BrieflyDescribed {
  let url: URL
  let redirectURL: URL

  /// Creates a redirect.
  ///
  /// - Parameters:
  ///   - url: The URL that the browser was redirected to.
  ///   - redirectURL: The redirect URL of ``ConsentRequest/pageURL(redirectingTo:)``.
  public init(_ url: URL, redirectURL: URL) {
    self.url = url
    self.redirectURL = redirectURL
  }

  /// The redirect URL, without parameters.
  public var description: String { "ConsentResponse(\(redirectURL.host ?? ""))" }
}

/// The parameters of a redirect.
///
/// A parameter of the sign-in must not occur twice. All others are ignored: some servers repeat
/// `scope` for each value.
///
/// Source: RFC 6749 sections 3.1, 4.1.2 and 4.1.2.1; RFC 9207.
struct AuthorizationResponse {
  /// The values by name.
  ///
  /// A value whose encoding is invalid is `nil`.
  private var values: [String: [String?]] = [:]

  /// Reads the parameters.
  init(_ url: URL) {
    let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? ""
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(parts[0]) else { continue }
      values[name, default: []].append(parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
  }

  /// The `state`, or `nil` if the redirect does not have exactly one.
  var state: String? { try? value(of: "state") }

  /// Returns the authorization code.
  ///
  /// - Throws: ``OAuth2Error`` if the redirect has an error, or is not that of the request.
  func code(state: String, of client: OAuth2Client) throws -> String {
    guard try value(of: "state") == state else { throw OAuth2Error(.stateMismatch) }
    let sent = try value(of: "iss")
    if let issuer = client.issuer {
      switch sent {
      case issuer: break
      case nil where !client.sendsIssuer: break
      default: throw OAuth2Error(.issuerMismatch)
      }
    }
    let code = try value(of: "code")
    if let error = try value(of: "error") {
      var failure = OAuth2Error(OAuth2Error.code(ofServer: error))
      failure.serverDescription = try value(of: "error_description")
      failure.serverURI = try value(of: "error_uri")
      throw failure
    }
    guard let code, !code.isEmpty else {
      throw OAuth2Error(.malformedResponse, "the redirect has no code")
    }
    return code
  }

  /// Returns the value of a parameter, or `nil` if the redirect does not have it.
  ///
  /// - Throws: ``OAuth2Error`` if the parameter occurs twice, or if its encoding is invalid.
  private func value(of name: String) throws -> String? {
    guard let values = values[name] else { return nil }
    guard values.count == 1 else {
      throw OAuth2Error(.malformedResponse, "a parameter of the redirect occurs twice")
    }
    guard let value = values[0] else {
      throw OAuth2Error(.malformedResponse, "the redirect is not encoded")
    }
    return value
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }
}

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
