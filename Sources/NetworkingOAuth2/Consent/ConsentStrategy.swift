/// A way to show the sign-in page of the server to the user, and to receive the redirect after it.
///
/// - ``browser`` opens the system's browser.
/// - ``LoopbackConsent`` receives the redirect with a server on 127.0.0.1.
/// - ``ManualConsent`` receives it from the app, for a custom scheme.
/// - `WebAuthenticationConsent` shows a window of the system on Apple platforms.
///
/// Another strategy needs one method:
///
/// ```swift
/// struct PageInTheApp: ConsentStrategy {
///   let redirectURL = URL(string: "com.example.shop:/signed-in")!
///
///   func consent(to request: ConsentRequest) async throws -> ConsentResponse {
///     let url = try await WebPage.show(request.pageURL(redirectingTo: redirectURL)) { url in
///       request.isResponse(url, to: redirectURL)
///     }
///     return ConsentResponse(url, redirectURL: redirectURL)
///   }
/// }
/// ```
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
