#if canImport(AuthenticationServices) && !os(watchOS)
  import AuthenticationServices
  import Foundation
  #if canImport(UIKit)
    public import UIKit
  #else
    public import AppKit
  #endif

  /// A strategy that shows the page in a window of the system, on Apple platforms.
  ///
  /// ```swift
  /// let consent = WebAuthenticationConsent(isEphemeral: true) { view.window }
  /// try await session.signIn(.authorizationCode(consent)).value
  /// ```
  ///
  /// The redirect URL of the client has one of two forms. Any other is refused before a page is
  /// shown.
  /// - A scheme of the app, such as `com.example.shop:/callback`.
  /// - `https` without a port, from iOS 17.4, macOS 14.4, tvOS 17.4 and visionOS 1.1. The host must
  ///   be in the associated domains of the app, with the service `webcredentials`.
  ///
  /// The page is shown at most once for each sign-in, and the sign-in ends once. If the task is
  /// cancelled before the page is shown, no page is shown. A later cancellation removes the page. A
  /// cancellation after the redirect has no effect.
  public struct WebAuthenticationConsent: ConsentStrategy {
    #if canImport(UIKit)
      /// The class of the windows of the platform.
      public typealias Window = UIWindow
    #else
      /// The class of the windows of the platform.
      public typealias Window = NSWindow
    #endif

    private let isEphemeral: Bool
    private let anchor: @MainActor @Sendable () -> Window?

    /// Creates a strategy.
    ///
    /// tvOS uses the whole screen and no browser, so the parameters have no effect there.
    ///
    /// - Parameters:
    ///   - isEphemeral: Whether the window has no cookies of the browser, so that the user signs in
    ///     each time.
    ///   - anchor: A closure that returns the window of the app for the page. It runs once for each
    ///     sign-in, directly before the page is shown. An app with several windows, and an app
    ///     extension, needs it. `nil` uses the key window of the active scene, on macOS the key
    ///     window.
    public init(
      isEphemeral: Bool = false, anchor: @escaping @MainActor @Sendable () -> Window? = { nil }
    ) {
      self.isEphemeral = isEphemeral
      self.anchor = anchor
    }

    /// Shows the page, and waits for the redirect.
    ///
    /// - Parameter request: The request.
    /// - Returns: The redirect.
    /// - Throws: ``OAuth2Error`` with the code `consentCancelled` if the user closes the page,
    ///   `consentUnavailable` with a reason if the redirect URL is refused, there is no window in
    ///   the foreground, or the system does not show the page, and `stateMismatch` if the redirect
    ///   is not that of the request; `CancellationError` if the task is cancelled.
    public func consent(to request: ConsentRequest) async throws -> ConsentResponse {
      guard let redirectURL = request.redirectURL else {
        throw OAuth2Error(.consentUnavailable, "the client has no redirect URL")
      }
      let callback = try ConsentCallback(redirectURL, supportsHTTPS: Self.hasCallbacks)
      let page = request.pageURL(redirectingTo: redirectURL)
      let window = ConsentWindow(errorDomain: ASWebAuthenticationSessionErrorDomain)
      let url = try await window.show { completion in
        #if os(tvOS)
          return WebAuthenticationWindow(page, callback, completion)
        #else
          guard let anchor = self.anchor() ?? Self.keyWindow else {
            throw OAuth2Error(.consentUnavailable, "the app has no window in the foreground")
          }
          return WebAuthenticationWindow(page, callback, isEphemeral, anchor, completion)
        #endif
      }
      guard request.isResponse(url, to: redirectURL) else { throw OAuth2Error(.stateMismatch) }
      return ConsentResponse(url, redirectURL: redirectURL)
    }

    private static var hasCallbacks: Bool {
      if #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *) { true } else { false }
    }

    #if canImport(UIKit) && !os(tvOS)
      /// The key window of the scene in front.
      @MainActor private static var keyWindow: Window? {
        // Found by its selector, because the property is not available to app extensions.
        let selector = NSSelectorFromString("sharedApplication")
        guard UIApplication.responds(to: selector),
          let application = UIApplication.perform(selector)?.takeUnretainedValue() as? UIApplication
        else { return nil }
        let scenes = application.connectedScenes.compactMap { $0 as? UIWindowScene }
        for state in [UIScene.ActivationState.foregroundActive, .foregroundInactive] {
          let windows = scenes.filter { $0.activationState == state }.compactMap { $0.keyWindow }
          if let window = windows.first { return window }
        }
        return nil
      }
    #elseif canImport(AppKit)
      /// The key window, or a new one for a program without windows, which the system accepts.
      @MainActor private static var keyWindow: Window? {
        let application = NSApplication.shared
        return application.keyWindow ?? application.mainWindow
          ?? application.windows.first { $0.isVisible } ?? NSWindow()
      }
    #endif
  }

  /// The session of one sign-in, with its window.
  @MainActor
  private final class WebAuthenticationWindow: NSObject, ConsentWindowSession {
    private let session: ASWebAuthenticationSession

    #if os(tvOS)
      init(
        _ page: URL, _ callback: ConsentCallback, _ completion: @escaping ConsentWindow.Completion
      ) {
        session = Self.session(page, callback, completion)
        super.init()
      }
    #else
      private let anchor: ASPresentationAnchor

      init(
        _ page: URL, _ callback: ConsentCallback, _ isEphemeral: Bool,
        _ anchor: ASPresentationAnchor, _ completion: @escaping ConsentWindow.Completion
      ) {
        session = Self.session(page, callback, completion)
        self.anchor = anchor
        super.init()
        session.prefersEphemeralWebBrowserSession = isEphemeral
        session.presentationContextProvider = self
      }
    #endif

    private static func session(
      _ page: URL, _ callback: ConsentCallback, _ completion: @escaping ConsentWindow.Completion
    ) -> ASWebAuthenticationSession {
      if #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *) {
        let callback: ASWebAuthenticationSession.Callback =
          switch callback {
          case .scheme(let scheme): .customScheme(scheme)
          case .https(let host, let path): .https(host: host, path: path)
          }
        return ASWebAuthenticationSession(
          url: page, callback: callback, completionHandler: completion)
      }
      return ASWebAuthenticationSession(
        url: page, callbackURLScheme: callback.scheme, completionHandler: completion)
    }

    func start() -> Bool { session.start() }

    func cancel() { session.cancel() }
  }

  #if !os(tvOS)
    extension WebAuthenticationWindow: ASWebAuthenticationPresentationContextProviding {
      // The SDKs before Xcode 26 require it for any isolation, and later ones on the main actor.
      nonisolated func presentationAnchor(
        for session: ASWebAuthenticationSession
      ) -> ASPresentationAnchor { anchor }
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
