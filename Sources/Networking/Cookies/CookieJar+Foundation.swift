import CatenaSystem
import Promises

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension CookieJar {
  /// Stores the cookies of a Foundation storage.
  ///
  /// Cookies that have expired, and those that no jar stores, such as those without a name, are left
  /// out. The storage is not changed.
  ///
  /// - Parameter storage: The storage.
  public func importCookies(from storage: HTTPCookieStorage) {
    // Read before locking.
    let found = (storage.cookies ?? []).map { Cookie($0) }.filter { $0.defect == nil }
    change { store, now, changes in
      for cookie in found where !cookie.hasExpired(at: now) {
        changes += store.set(cookie.limited(at: now), at: now)
      }
    }
  }

  /// Copies the cookies to a Foundation storage.
  ///
  /// The storage replaces cookies of the same name, domain and path, and keeps all others. A
  /// persistent storage writes its file on the caller's thread, possibly once for each cookie. On
  /// Linux that file is readable by other users.
  ///
  /// - Parameter storage: The storage.
  public func exportCookies(to storage: HTTPCookieStorage) {
    for cookie in cookies { HTTPCookie(cookie).map(storage.setCookie) }
  }

  /// The jars of the storages that clients use.
  ///
  /// A jar retains its storage, so the identity of a storage is not used again while the jar lives.
  private static let mirrors = Mutex<[ObjectIdentifier: Mirrored]>([:])

  private struct Mirrored { weak var jar: CookieJar? }

  /// Returns the jar that copies its changes to a storage; all clients of a storage have the same
  /// one.
  ///
  /// The jar begins with the cookies of the storage, and copies each of its changes to the storage,
  /// on its own queue.
  ///
  /// - Parameter storage: The storage.
  /// - Returns: The jar.
  static func mirroring(_ storage: HTTPCookieStorage) -> CookieJar {
    if let jar = mirrors.withLock({ $0[ObjectIdentifier(storage)]?.jar }) { return jar }
    // Read outside the lock. The jar of another thread that was faster is preferred below.
    let jar = CookieJar()
    jar.importCookies(from: storage)
    jar.observe { change in
      switch change {
      case .stored(let cookie, _): HTTPCookie(cookie).map(storage.setCookie)
      case .removed(let cookie, _): HTTPCookie(cookie).map(storage.deleteCookie)
      }
    }
    return mirrors.withLock { mirrors in
      if let first = mirrors[ObjectIdentifier(storage)]?.jar { return first }
      mirrors = mirrors.filter { $0.value.jar != nil }
      mirrors[ObjectIdentifier(storage)] = Mirrored(jar: jar)
      return jar
    }
  }
}

extension Cookie {
  /// Creates a cookie from one of Foundation's.
  ///
  /// Foundation has no ``sameSite`` on Linux.
  ///
  /// - Parameter cookie: The cookie. A domain with a leading dot includes the hosts below it.
  public init(_ cookie: HTTPCookie) {
    let domain = cookie.domain
    let isHostOnly = !domain.hasPrefix(".")
    self.init(
      cookie.name, cookie.value, domain: isHostOnly ? domain : String(domain.dropFirst()),
      isHostOnly: isHostOnly, path: cookie.path.hasPrefix("/") ? cookie.path : "/",
      expires: cookie.expiresDate, isSecure: cookie.isSecure,
      isHTTPOnly: cookie.isHTTPOnly, sameSite: Self.sameSite(of: cookie))
  }

  private static func sameSite(of cookie: HTTPCookie) -> SameSite {
    #if canImport(Darwin)
      cookie.sameSitePolicy.flatMap { SameSite(rawValue: $0.rawValue.lowercased()) } ?? .unspecified
    #else
      .unspecified
    #endif
  }
}

extension HTTPCookie {
  /// Creates a Foundation cookie, or returns `nil` if Foundation does not accept it.
  ///
  /// The properties are values, so that Foundation parses nothing. It has no
  /// ``Cookie/sameSite-swift.property`` on Linux.
  ///
  /// - Parameter cookie: The cookie.
  public convenience init?(_ cookie: Cookie) {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: cookie.name, .value: cookie.value, .path: cookie.path,
      .domain: (cookie.isHostOnly ? "" : ".") + cookie.domain,
    ]
    if let expires = cookie.expires {
      properties[.expires] = expires
    } else {
      properties[.discard] = "TRUE"
    }
    if cookie.isSecure { properties[.secure] = "TRUE" }
    if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    #if canImport(Darwin)
      switch cookie.sameSite {
      case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax
      case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict
      case .none, .unspecified: break
      }
    #endif
    self.init(properties: properties)
  }
}
