/// Whoever knows what credentials are in force now: the client.
protocol CredentialSource: AnyObject, Sendable {
  /// The credentials, and the one origin that they are for; nil is none.
  var credentials: NetworkingSettings.Credentials? { get }
}
