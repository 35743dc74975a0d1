#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

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
