import CatenaTesting
import Foundation
import NetworkingOAuth2
import Testing

@testable import BoardsKit

extension Workspace {
  /// The workspace of a signed-in user on the real servers, which the traits of a test mock.
  static func signedIn() -> Workspace {
    let tokens = MemoryTokenStore()
    let backend = Backend.live(tokens: tokens, consent: ClosedPage())
    tokens.setToken(OAuth2Token(accessToken: "t-1"), for: TokenKey(for: backend.session.client))
    return Workspace(backend)
  }
}

extension DemoServer {
  /// The workspace of a signed-in user on the demo server.
  @MainActor func signedIn() async -> Workspace {
    let workspace = Workspace(backend)
    workspace.account.signIn()
    await Test.virtualTime.run()
    return workspace
  }
}

/// A sign-in page that the user closes.
struct ClosedPage: ConsentStrategy {
  func consent(to request: ConsentRequest) async throws -> ConsentResponse {
    throw OAuth2Error(.consentCancelled)
  }
}

extension Board {
  static let kite = Board(id: 2, title: "Kite")
}
