import CatenaSystem
import Foundation

/// The name and the password of a client for servers with Digest authentication, and their latest
/// challenges.
///
/// It responds to a challenge, and adds a response to later requests of the same protection space
/// without another challenge. All requests of a client share it.
///
/// Source: RFC 7616.
final class DigestAuthenticator: Sendable {
  private let username: String
  private let password: String
  private let makeClientNonce: @Sendable () -> String
  private let spaces = Mutex(DigestSpaces())

  /// Creates an authenticator.
  ///
  /// It loads the platform's hash functions, which may block.
  ///
  /// - Parameters:
  ///   - username: The name of the user.
  ///   - password: The password.
  ///   - makeClientNonce: A closure that returns an unpredictable text.
  init(
    username: String, password: String,
    makeClientNonce: @escaping @Sendable () -> String = DigestAuthenticator.randomNonce
  ) {
    self.username = username
    self.password = password
    self.makeClientNonce = makeClientNonce
    _ = DigestAlgorithm.md5.isAvailable
  }

  /// A text that no other name or password has.
  var identity: String { "\(username.utf8.count) \(username)\(password)" }

  /// Returns the value of the `Authorization` field for a request, or `nil` before the first
  /// challenge for its URL.
  func fieldValue(for request: HTTPRequest) -> String? {
    value(spaces.withLock { $0.use(for: request.url) }, for: request)
  }

  /// Returns the value of the `Authorization` field for a request that the server has challenged.
  ///
  /// - Parameters:
  ///   - request: The request, without the field.
  ///   - response: The response with the status 401.
  /// - Returns: The value, or `nil` if the response has no supported challenge.
  func fieldValue(for request: HTTPRequest, after response: Response) -> String? {
    guard let challenge = DigestChallenge.first(of: response) else { return nil }
    let nonce = makeClientNonce()
    return value(
      spaces.withLock { spaces in
        spaces.challenge(challenge, at: request.url, clientNonce: nonce)
        return spaces.use(challenge.realm)
      }, for: request)
  }

  /// Handles the response to a request with a value of this authenticator.
  ///
  /// A further 401 means that the name or the password is wrong: they are not sent again before the
  /// next challenge. Another response may have the nonce of the next request.
  ///
  /// Source: RFC 7616 section 3.5.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: The request.
  func receive(_ response: Response, to request: HTTPRequest) {
    if response.status == 401 {
      guard let challenge = DigestChallenge.first(of: response), !challenge.isStale else { return }
      return spaces.withLock { $0.remove(challenge.realm) }
    }
    guard let info = response.headers["Authentication-Info"],
      let next = AuthenticationChallenge.parameters(info)["nextnonce"]
    else { return }
    spaces.withLock { $0.replaceNonce(for: request.url, by: next) }
  }

  private func value(_ use: DigestSpaces.Space?, for request: HTTPRequest) -> String? {
    use.flatMap {
      DigestResponse(
        username: username, password: password, challenge: $0.challenge,
        clientNonce: $0.clientNonce, count: $0.count
      ).fieldValue(for: request)
    }
  }

  private static func randomNonce() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
  }
}

extension DigestAuthenticator: CustomStringConvertible, CustomReflectable {
  /// The name of the user, without the password.
  var description: String { "\(username):\(Redactor.mask)" }

  /// A mirror without the password.
  var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// The protection spaces of a server, and the number of requests with each nonce.
struct DigestSpaces {
  /// A protection space.
  struct Space {
    var challenge: DigestChallenge
    /// The URLs of the space.
    let domain: DigestDomain
    let clientNonce: String
    /// The number of requests with the nonce.
    var count: UInt32 = 0
  }

  /// The limit for the number of spaces.
  ///
  /// A server can name any number of realms.
  private static let maximumCount = 16

  /// The spaces, latest challenge first.
  private var spaces: [Space] = []

  /// Replaces the challenge of a realm.
  ///
  /// The URIs of its domain are relative to the URL of the request that was challenged.
  ///
  /// A nonce that the server repeats keeps its count, because the server rejects a count that it has
  /// received before.
  mutating func challenge(_ challenge: DigestChallenge, at url: URL, clientNonce: String) {
    var space = Space(
      challenge: challenge, domain: DigestDomain(of: challenge, relativeTo: url),
      clientNonce: clientNonce)
    let previous = spaces.first { $0.challenge.realm == challenge.realm }
    if let previous, previous.challenge.nonce == challenge.nonce { space.count = previous.count }
    remove(challenge.realm)
    spaces.insert(space, at: 0)
    if spaces.count > Self.maximumCount { spaces.removeLast() }
  }

  mutating func remove(_ realm: String) { spaces.removeAll { $0.challenge.realm == realm } }

  /// Counts a request to a URL, and returns `nil` if no space contains it.
  mutating func use(for url: URL) -> Space? {
    spaces.firstIndex { $0.domain.contains(url) }.flatMap { use(at: $0) }
  }

  /// Counts a request to a realm.
  mutating func use(_ realm: String) -> Space? {
    spaces.firstIndex { $0.challenge.realm == realm }.flatMap { use(at: $0) }
  }

  private mutating func use(at index: Int) -> Space? {
    // The count has eight digits. A further request needs another nonce.
    guard spaces[index].count < .max else { return nil }
    spaces[index].count += 1
    return spaces[index]
  }

  /// Replaces the nonce of the space of a URL, and restarts its count.
  mutating func replaceNonce(for url: URL, by nonce: String) {
    guard
      let index = spaces.firstIndex(where: { $0.domain.contains(url) }),
      spaces[index].challenge.nonce != nonce
    else { return }
    spaces[index].challenge.nonce = nonce
    spaces[index].count = 0
  }
}
