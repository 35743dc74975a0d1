#if canImport(AuthenticationServices) && !os(watchOS)
  import AuthenticationServices
  import Foundation
  import Promises

  /// A strategy that shows the page in a window of the system, on Apple platforms.
  ///
  /// The client needs a redirect URL with a scheme of the app, such as `com.example.shop:/callback`.
  public struct WebAuthenticationConsent: ConsentStrategy {
    private let isEphemeral: Bool

    /// Creates a strategy.
    ///
    /// - Parameter isEphemeral: Whether the window has no cookies of the browser, so that the user
    ///   signs in each time.
    public init(isEphemeral: Bool = false) {
      self.isEphemeral = isEphemeral
    }

    /// Shows the page, and waits for the redirect.
    ///
    /// - Parameter request: The request.
    /// - Returns: The redirect.
    /// - Throws: ``OAuth2Error`` if the page cannot be shown or the user cancels.
    public func consent(to request: ConsentRequest) async throws -> ConsentResponse {
      guard let redirectURL = request.redirectURL, let scheme = redirectURL.scheme else {
        throw OAuth2Error(.consentUnavailable, "the client has no redirect URL")
      }
      let window = await WebAuthenticationWindow()
      let page = request.pageURL(redirectingTo: redirectURL)
      let url = try await withTaskCancellationHandler {
        try await window.show(page, scheme: scheme, isEphemeral: isEphemeral).value
      } onCancel: {
        Task { await window.cancel() }
      }
      guard request.isResponse(url, to: redirectURL) else { throw OAuth2Error(.stateMismatch) }
      return ConsentResponse(url, redirectURL: redirectURL)
    }
  }

  /// The window of one sign-in.
  @MainActor
  private final class WebAuthenticationWindow: NSObject {
    private var session: ASWebAuthenticationSession?

    func show(_ page: URL, scheme: String, isEphemeral: Bool) -> Promise<URL> {
      let (promise, resolver) = Promise<URL>.pending(on: .inline)
      // The system may call the closure on any thread.
      let session = ASWebAuthenticationSession(url: page, callbackURLScheme: scheme) {
        @Sendable url, error in
        if let url {
          resolver.fulfill(url)
        } else if let error = error as? ASWebAuthenticationSessionError,
          error.code == .canceledLogin
        {
          resolver.reject(OAuth2Error(.consentCancelled))
        } else {
          resolver.reject(OAuth2Error(.consentUnavailable, underlying: error))
        }
      }
      #if !os(tvOS)
        session.prefersEphemeralWebBrowserSession = isEphemeral
        session.presentationContextProvider = self
      #endif
      self.session = session
      if !session.start() { resolver.reject(OAuth2Error(.consentUnavailable)) }
      return promise
    }

    func cancel() {
      session?.cancel()
    }
  }

  #if !os(tvOS)
    extension WebAuthenticationWindow: ASWebAuthenticationPresentationContextProviding {
      func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
        ASPresentationAnchor()
      }
    }
  #endif

  extension ConsentStrategy where Self == WebAuthenticationConsent {
    /// The window of the system for sign-ins.
    public static var browser: WebAuthenticationConsent { WebAuthenticationConsent() }
  }
#else
  extension ConsentStrategy where Self == LoopbackConsent {
    /// The browser of the desktop, with a redirect to the loopback interface.
    public static var browser: LoopbackConsent { LoopbackConsent() }
  }
#endif
