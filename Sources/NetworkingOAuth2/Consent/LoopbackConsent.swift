import CatenaBrowser
import CatenaSystem
public import Foundation
import Networking
import Promises

/// A strategy that receives the redirect with an HTTP server on the loopback interface.
///
/// ```swift
/// try await session.signIn(.authorizationCode(LoopbackConsent())).value
/// ```
///
/// The server listens on a free port of 127.0.0.1, or on that of the client's redirect URL. It
/// ignores requests that are not the redirect of this sign-in, responds to the first one that is with
/// a page, and stops. It also stops on timeout and when the sign-in is cancelled.
///
/// Source: RFC 8252 section 7.3.
public struct LoopbackConsent: ConsentStrategy {
  private let path: String
  private let page: String
  private let open: @Sendable @isolated(any) (_ page: URL) async throws -> Void

  /// The page that the user sees after a redirect with a code.
  public static let defaultPage = """
    <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Sign-in</title>
    <body style="font-family: sans-serif; margin: 4em"><h1>You can return to the app.</h1>
    <p>You can close this window.</p></body></html>
    """
  /// The page after a redirect with an error.
  private static let refusalPage = """
    <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Sign-in</title>
    <body style="font-family: sans-serif; margin: 4em"><h1>You are not signed in.</h1>
    <p>You can close this window, and try again in the app.</p></body></html>
    """

  /// Creates a strategy that opens the page with the browser of the desktop.
  ///
  /// On Linux this is the program `xdg-open`, on macOS `open`.
  ///
  /// - Parameters:
  ///   - path: The path of the redirect URL, if the client has no redirect URL.
  ///   - page: The HTML that the user sees at the end.
  public init(path: String = "/callback", page: String = Self.defaultPage) {
    self.init(path: path, page: page) { url in try SystemBrowser.open(url) }
  }

  /// Creates a strategy with a closure that opens the page.
  ///
  /// - Parameters:
  ///   - path: The path of the redirect URL, if the client has no redirect URL.
  ///   - page: The HTML that the user sees at the end.
  ///   - open: The closure. It runs once for each sign-in, on its actor.
  public init(
    path: String = "/callback", page: String = Self.defaultPage,
    @_inheritActorContext open:
      @escaping @Sendable @isolated(any) (_ page: URL) async throws -> Void
  ) {
    self.path = path.hasPrefix("/") ? path : "/" + path
    self.page = page
    self.open = open
  }

  /// Shows the page, and waits for the redirect.
  ///
  /// - Parameter request: The request.
  /// - Returns: The redirect.
  /// - Throws: ``OAuth2Error`` if the page cannot be shown or the user cancels.
  public func consent(to request: ConsentRequest) async throws -> ConsentResponse {
    let host = request.redirectURL?.host ?? "127.0.0.1"
    let redirectPath = request.redirectURL?.path(percentEncoded: true)
    let path = redirectPath == "" ? "/" : redirectPath ?? path
    let isHTTP = request.redirectURL.map { $0.scheme?.lowercased() == "http" && $0.query == nil }
    guard ["127.0.0.1", "localhost"].contains(host), isHTTP ?? true,
      let port = UInt16(exactly: request.redirectURL?.port ?? 0)
    else {
      throw OAuth2Error(
        .consentUnavailable, "the redirect URL is not http://127.0.0.1 with a port and a path")
    }
    let listener = try LoopbackListener(port: port) { url in
      let names = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.map(\.name)
      return names?.contains("code") == true ? page : Self.refusalPage
    }
    guard let redirectURL = URL(reference: "http://\(host):\(listener.port)\(path)") else {
      listener.stop()
      throw OAuth2Error(.consentUnavailable, "the path of the redirect URL is invalid")
    }
    return try await withTaskCancellationHandler {
      defer { listener.stop() }
      let promise = listener.start { target in
        guard let url = URL(reference: "http://\(host):\(listener.port)\(target)") else {
          return nil
        }
        return request.isResponse(url, to: redirectURL) ? url : nil
      }
      do {
        try await open(request.pageURL(redirectingTo: redirectURL))
      } catch {
        listener.stop()
        _ = try? await promise.value
        if error is CancellationError { throw error }
        throw (error as? OAuth2Error) ?? OAuth2Error(.consentUnavailable, underlying: error)
      }
      return ConsentResponse(try await promise.value, redirectURL: redirectURL)
    } onCancel: {
      listener.stop()
    }
  }
}
