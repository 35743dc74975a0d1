public import Foundation
import Networking
import Promises

/// The state of a token by the authorization server.
///
/// Source: RFC 7662 section 2.2.
public struct TokenIntrospection: Sendable {
  /// Whether the token can be used.
  public let isActive: Bool
  /// The scope.
  ///
  /// `nil` if the server has not said.
  public let scope: Set<String>?
  /// The identifier of the client that the token was issued to.
  public let clientID: String?
  /// The name of the user.
  public let username: String?
  /// The time at which the token expires.
  public let expires: Date?
  /// All members of the response.
  public let members: JSON

  init(_ json: JSON) throws {
    guard let isActive = json["active"].bool else {
      throw OAuth2Error(.malformedResponse, "the response does not say whether the token is active")
    }
    self.isActive = isActive
    scope = json["scope"].string.map { Set($0.split(separator: " ").map(String.init)) }
    clientID = json["client_id"].string
    username = json["username"].string
    expires = json["exp"].double.map { Date(timeIntervalSince1970: $0) }
    members = json
  }
}
