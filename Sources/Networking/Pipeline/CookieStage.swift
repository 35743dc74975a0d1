import Foundation
import Promises

/// The stage that adds the cookies of a jar to each hop, and stores the cookies of the response.
///
/// A `Cookie` field of the request takes precedence.
///
/// Source: RFC 6265bis sections 5.6 to 5.8.
struct CookieStage: BuiltInStage {
  let jar: CookieJar
  /// The client's clock, by which cookies expire unless the jar has a clock.
  var wallClock: @Sendable () -> Date = { Date() }

  /// The number of changes of the names and values that are sent.
  var revision: UInt64 { jar.revision(at: wallClock()) }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var changed = exchange
    let (url, request) = (exchange.request.url, addingCookies(to: exchange.request))
    // An exchange is copied if it changes.
    if request.headers.count > exchange.request.headers.count { changed.request = request }
    return next(changed).followed { result in
      // Fast path: no cookies.
      if case .success(let response) = result, response.headers.contains("Set-Cookie") {
        jar.store(
          response.headers, from: url, at: wallClock(), unless: { exchange.call.sessions.hasEnded })
      }
      return nil
    }
  }

  /// Returns the request with the cookies for its URL, unless it has a `Cookie` field.
  func addingCookies(to request: HTTPRequest) -> HTTPRequest {
    // Fast path: no cookies.
    guard !jar.isEmpty, !request.headers.contains("Cookie"),
      let field = jar.field(for: request.url, at: wallClock())
    else { return request }
    return copy(of: request) { $0.headers["Cookie"] = field }
  }
}
