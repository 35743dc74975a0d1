/// What logging in gives: the token that every other request needs.
struct Session: Codable, Sendable {
  var token: String
}
