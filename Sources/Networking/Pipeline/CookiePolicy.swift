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

  /// Returns the jar of this policy.
  ///
  /// - Parameter sessionJar: The jar of the client's session.
  /// - Returns: The jar, or `nil` if cookies are not stored.
  func jar(orOfSession sessionJar: CookieJar?) -> CookieJar? {
    switch self {
    case .session: sessionJar
    case .none: nil
    case .jar(let jar): jar
    }
  }
}
