import Foundation

extension Networking {
  /// Sends a name and a password with every request from now on, to the base URL's origin only.
  ///
  /// Source: RFC 7617; both are sent in UTF-8.
  ///
  /// - Parameters:
  ///   - username: the name, without a colon.
  ///   - password: the password.
  public func authenticate(username: String, password: String) {
    let pair = Data("\(username):\(password)".utf8).base64EncodedString()
    authenticate(authorizationHeader: "Basic \(pair)")
  }

  /// Sends a token with every request from now on, to the base URL's origin only.
  ///
  /// Source: RFC 6750 section 2.1.
  ///
  /// - Parameter bearerToken: the token.
  public func authenticate(bearerToken: String) {
    authenticate(authorizationHeader: "Bearer \(bearerToken)")
  }

  /// Sends an `Authorization` field with every request from now on.
  ///
  /// It goes to the origin of the base URL in force now, on every hop there, and nowhere else: not to
  /// where a redirect leads, nor to an absolute URL elsewhere, nor to a base URL set later. A client
  /// without a base URL sends it nowhere. A request's own field comes first.
  ///
  /// - Parameter authorizationHeader: the field's value; nil sends none any more.
  public func authenticate(authorizationHeader: String?) {
    let baseURL = settings.withLock { $0.settings.baseURL }
    let origin = (baseURL() ?? Endpoint.baseURL).flatMap { Origin($0) }
    change { settings in
      settings.credentials =
        if let origin, let value = authorizationHeader { .init(value: value, origin: origin) } else
        {
          nil
        }
    }
  }
}

extension Networking: CredentialSource {
  var credentials: NetworkingSettings.Credentials? { settings.withLock { $0.settings.credentials } }
}
