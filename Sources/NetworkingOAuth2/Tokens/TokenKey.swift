import CatenaSystem
import Foundation

/// The key of a token in a store.
public struct TokenKey: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identifier of the client.
  public var clientID: String
  /// The URL of the token endpoint, without a default port and a fragment.
  ///
  /// Another server, and another realm of a server, may have a client with the same identifier.
  public var server: String
  /// The owner of the token.
  public var level: TokenLevel
  /// The name of the account, for apps with several users.
  public var account: String

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - clientID: The identifier of the client.
  ///   - server: The URL of the token endpoint.
  ///   - level: The owner of the token.
  ///   - account: The name of the account.
  public init(
    clientID: String, server: String = "", level: TokenLevel = .user, account: String = ""
  ) {
    self.clientID = clientID
    self.server = server
    self.level = level
    self.account = account
  }

  /// The parts of the key, percent-encoded and separated by slashes.
  public var description: String {
    [clientID, server, level.rawValue, account].map(PercentEncoding.url.encoded)
      .joined(separator: "/")
  }

  /// A number that is the same in every process, for the names of lock files.
  ///
  /// Two keys with the same number share a lock.
  var stableHash: UInt64 {
    // Not the hash of Swift, which differs from process to process.
    var checksum = Checksum()
    for part in [clientID, server, level.rawValue, account] {
      checksum.add(part.utf8)
      checksum.add(0)
    }
    return checksum.value
  }
}

/// The owner of a token: the user, or the client itself.
public enum TokenLevel: String, Sendable, Hashable, Codable, CaseIterable {
  /// A token that acts for a user.
  case user
  /// A token that acts for the client, from client credentials.
  case client
}
