public import Foundation
import Networking
public import Promises

extension OAuth2Client {
  /// Returns this client with the URLs of the server's metadata.
  ///
  /// The metadata of OAuth2 is read from `/.well-known/oauth-authorization-server`; without it, that
  /// of OpenID Connect from `/.well-known/openid-configuration`. The issuer in it must be equal to
  /// `issuer`, which then is the ``issuer`` of the client. URLs that the client has already are kept.
  ///
  /// Source: RFC 8414 section 3; OpenID Connect Discovery 1.0 section 4.
  ///
  /// - Parameters:
  ///   - issuer: The issuer, such as `https://login.example.com/tenant`.
  ///   - sessionConfiguration: The transport of the requests.
  ///   - configuration: The configuration of the requests.
  /// - Returns: A promise of the client. It is rejected with ``OAuth2Error`` if there is no metadata
  ///   or its issuer differs, and with ``NetworkError`` if there is no response.
  public func discovering(
    issuer: URL, sessionConfiguration: SessionConfiguration = .default,
    configuration: NetworkingConfiguration = .default
  ) -> Promise<OAuth2Client> {
    discovering(issuer, OAuth2Context(self, over: .session(sessionConfiguration), configuration))
  }

  /// Returns this client with the URLs of the server's metadata, read over a transport.
  ///
  /// - Parameters:
  ///   - issuer: The issuer.
  ///   - transport: The transport of the requests.
  ///   - configuration: The configuration of the requests.
  /// - Returns: A promise of the client, as without a transport.
  public func discovering(
    issuer: URL, transport: any Transport, configuration: NetworkingConfiguration = .default
  ) -> Promise<OAuth2Client> {
    discovering(issuer, OAuth2Context(self, over: .transport(transport), configuration))
  }

  private func discovering(_ issuer: URL, _ context: OAuth2Context) -> Promise<OAuth2Client> {
    firstly {
      _ = try endpoint(issuer, "the issuer")
      let urls = try Self.metadataURLs(of: issuer)
      return context.getJSON(urls.oauth)
        .recover(on: .inline) { error -> Promise<JSON> in
          // A server without this document responds with a status or with a page.
          guard error is OAuth2Error else { throw error }
          return context.getJSON(urls.openID)
        }
        .map { json in try with(json, of: issuer) }
    }
  }

  /// Returns the URLs of the two documents.
  ///
  /// The name of the first one stands before the path of the issuer.
  static func metadataURLs(of issuer: URL) throws -> (oauth: URL, openID: URL) {
    guard var parts = URLComponents(url: issuer, resolvingAgainstBaseURL: true),
      parts.query == nil, parts.fragment == nil
    else { throw OAuth2Error(.issuerMismatch, "an issuer has no query and no fragment") }
    var path = parts.percentEncodedPath
    if path.hasSuffix("/") { path.removeLast() }
    parts.percentEncodedPath = "/.well-known/oauth-authorization-server" + path
    let oauth = parts.url
    parts.percentEncodedPath = path + "/.well-known/openid-configuration"
    guard let oauth, let openID = parts.url else { throw OAuth2Error(.issuerMismatch) }
    return (oauth, openID)
  }

  private func with(_ json: JSON, of issuer: URL) throws -> OAuth2Client {
    guard json["issuer"].string == issuer.absoluteString else {
      throw OAuth2Error(.issuerMismatch, "the metadata is that of another issuer")
    }
    let url = { (name: String) in json[name].string.flatMap { URL(reference: $0) } }
    var client = self
    client.issuer = issuer.absoluteString
    client.tokenURL = tokenURL ?? url("token_endpoint")
    client.authorizationURL = authorizationURL ?? url("authorization_endpoint")
    client.deviceAuthorizationURL =
      deviceAuthorizationURL ?? url("device_authorization_endpoint")
    client.revocationURL = revocationURL ?? url("revocation_endpoint")
    client.introspectionURL = introspectionURL ?? url("introspection_endpoint")
    client.sendsIssuer =
      sendsIssuer || json["authorization_response_iss_parameter_supported"].bool ?? false
    return client
  }
}
