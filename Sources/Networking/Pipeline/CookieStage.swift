import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the cookies that a store has for a hop's URL, and keeps those that the answer sets.
///
/// A `Cookie` field that the request brings is left as it is. What Foundation's storage on Linux does not
/// look at is looked at here: the path and the domain of a cookie, whether it is for secure connections only,
/// and its age.
///
/// Source: RFC 6265 sections 5.1.3, 5.1.4, 5.2.2, 5.3 and 5.4.
struct CookieStage: BuiltInStage {
  let storage: HTTPCookieStorage

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    let url = exchange.request.url
    exchange.request = addingCookies(to: exchange.request)
    return next(exchange).map { response in
      store(response.headers.values(for: "Set-Cookie"), from: url)
      return response
    }
  }

  /// The request with the cookies for its URL, unless it brings some itself.
  func addingCookies(to request: HTTPRequest) -> HTTPRequest {
    let url = request.url
    guard !request.headers.contains("Cookie"),
      let cookies = storage.cookies(for: url)?.filter({ CookieScope.of($0).covers(url) }),
      !cookies.isEmpty
    else { return request }
    var request = request
    request.headers["Cookie"] = Self.field(
      cookies.count == 1 ? cookies : cookies.sorted(by: CookieScope.goesFirst))
    return request
  }

  /// The field for cookies, in their order: Foundation makes a dictionary of it, for half a microsecond more.
  ///
  /// Source: RFC 6265 section 5.4, step 4.
  private static func field(_ cookies: [HTTPCookie]) -> String {
    var field = ""
    for cookie in cookies {
      if !field.isEmpty { field += "; " }
      field += cookie.name
      field += "="
      field += cookie.value
    }
    return field
  }

  private func store(_ values: [String], from url: URL) {
    for value in values {
      // One by one: a list of them joined by commas could not be told apart from a date's comma.
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
        .filter { CookieDomain.isOwn($0, setBy: value, from: url) }
        .map { CookieScope.rescoped($0, setBy: value, from: url) }
      if CookieScope.takesBack(value) {
        for cookie in cookies { storage.deleteCookie(cookie) }
      } else {
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
      }
    }
  }
}
