import Foundation
import Mocking
import MockingOAuth2
import Networking
import NetworkingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

/// A refresh whose lease another process takes over, as from a process that is suspended.
@Suite(.gated)
struct TakenOverRefreshTests {
  private let fixture: OAuth2Fixture
  private let folder = TemporaryFolder(in: TemporaryFolder.memory)
  private let session: OAuth2Session

  init() throws {
    fixture = try OAuth2Fixture()
    session = fixture.session(store: try FileTokenStore(folder.url("tokens")))
  }

  private var key: TokenKey { TokenKey(for: session.client) }

  /// Begins a refresh that waits for a response, or for its repetition, and ends its lease.
  private func refreshWithoutLease(_ mock: Mock) async throws -> Promise<OAuth2Token> {
    _ = try await fixture.signIn(session)
    fixture.login.fail(.response(mock.delayed(by: .milliseconds(100))))
    let refresh = session.refresh()
    await fixture.time.advance(by: .milliseconds(50))
    let lease = try #require(
      folder.names.first { $0.hasSuffix(".lock") && $0 != "tokens.lock" })
    unlink(folder.url(lease).path)
    return refresh
  }

  @Test func isNotRepeatedWithTheRefreshTokenThatTheOtherProcessHasUsed() async throws {
    let refresh = try await refreshWithoutLease(.status(503))
    // The other process stores its token while this one waits for the repetition.
    var other = try #require(try session.store.token(for: key))
    (other.accessToken, other.refreshToken) = ("other", "next")
    try session.store.setToken(other, for: key)
    await fixture.time.run()
    #expect(try await refresh.value.accessToken == "other")
    #expect(fixture.login.counts.refreshes == 0)
    #expect(try session.store.token(for: key) == other)
  }

  @Test func doesNotRemoveTheTokenThatTheOtherProcessRefreshes() async throws {
    let refresh = try await refreshWithoutLease(.json(["error": "invalid_grant"], status: 400))
    await fixture.time.run()
    let token = try await refresh.value
    #expect(try session.store.token(for: key) == token)
    #expect(session.currentToken() == token && fixture.login.counts.refreshes == 1)
  }
}
