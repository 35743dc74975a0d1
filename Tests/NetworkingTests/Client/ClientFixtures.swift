import Foundation
import Networking
import TestSupport

#if os(Linux) || os(macOS)
  extension ScriptedServer {
    /// The URL of the server as a request path, for a client without a base URL.
    var path: RequestPath { RequestPath(raw: url().absoluteString) }
  }
#endif

extension NetworkingConfiguration {
  /// A configuration without cookies and without an idle timeout.
  ///
  /// The idle timeout is disabled because other tests can delay the machine for any time.
  static var plain: NetworkingConfiguration {
    var plain = NetworkingConfiguration()
    plain.cookies = .none
    plain.idleTimeout = nil
    return plain
  }
}

/// An attribute for tests.
enum TenantKey: RequestAttributeKey {
  static let defaultValue: String? = nil
}

/// An API of boards with four endpoints.
enum BoardsAPI: RequestConvertible {
  case login(user: String, password: String)
  case boards
  case board(id: Int)
  case delete(Int)

  static let baseURL: URL? = URL(string: "https://api.example.com/v1/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .login(let user, let password):
      .post("login", parameters: ["user": .string(user), "password": .string(password)])
    case .boards: .get("boards")
    case .board(let id): .get("boards/\(id)")
    case .delete(let id): .delete("boards/\(id)", .storedOffline)
    }
  }
}
