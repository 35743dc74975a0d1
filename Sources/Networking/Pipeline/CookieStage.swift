import Promises

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

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
    let url = exchange.request.url
    changed.request = addingCookies(to: exchange.request)
    return next(changed).map { response in
      // Fast path: no cookies.
      if response.headers.contains("Set-Cookie") {
        jar.store(
          response.headers, from: url, at: wallClock(), unless: { exchange.call.sessions.hasEnded })
      }
      return response
    }
  }

  /// Returns the request with the cookies for its URL, unless it has a `Cookie` field.
  func addingCookies(to request: HTTPRequest) -> HTTPRequest {
    // Fast path: no cookies.
    guard !jar.isEmpty, !request.headers.contains("Cookie"),
      let field = jar.field(for: request.url, at: wallClock())
    else { return request }
    var request = request
    request.headers["Cookie"] = field
    return request
  }
}

/// The cookies of a client.
public enum CookiePolicy: Sendable {
  /// The cookies of the client's ``SessionConfiguration``.
  ///
  /// A client on a custom transport uses ``CookieJar/shared``.
  case session
  /// No cookies.
  ///
  /// Cookies are neither stored nor sent, except those in a request's own `Cookie` field.
  case none
  /// A jar, which several clients can use.
  case jar(CookieJar)
  /// A jar in memory that is connected to a Foundation storage.
  ///
  /// The jar begins with the cookies that the storage has when the first client with this storage is
  /// made. From then on the requests of all such clients use the jar. Each change of the jar is
  /// copied to the storage, on a queue of the jar; ``CookieJar/synchronize()`` waits for it. Later
  /// changes of the storage by others are not noticed: use
  /// ``CookieJar/importCookies(from:)`` with ``Networking/cookieJar``.
  case storage(HTTPCookieStorage)

  /// Returns the jar of this policy.
  ///
  /// - Parameter sessionJar: The jar of the client's session.
  /// - Returns: The jar, or `nil` if cookies are not stored.
  func jar(orOfSession sessionJar: CookieJar?) -> CookieJar? {
    switch self {
    case .session: sessionJar
    case .none: nil
    case .jar(let jar): jar
    case .storage(let storage): .mirroring(storage)
    }
  }
}
