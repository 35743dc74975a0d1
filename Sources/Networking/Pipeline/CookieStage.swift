import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the cookies that a store has for a hop's URL, and keeps those that the answer sets.
///
/// A `Cookie` field that the request brings is left as it is.
struct CookieStage: BuiltInStage {
  let storage: HTTPCookieStorage

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    let url = exchange.request.url
    if !exchange.request.headers.contains("Cookie"),
      let cookies = storage.cookies(for: url), !cookies.isEmpty
    {
      exchange.request.headers["Cookie"] = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }
    return next(exchange).map { response in
      store(response.headers.values(for: "Set-Cookie"), from: url)
      return response
    }
  }

  private func store(_ values: [String], from url: URL) {
    for value in values {
      // One by one: a list of them joined by commas could not be told apart from a date's comma.
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }
  }
}
