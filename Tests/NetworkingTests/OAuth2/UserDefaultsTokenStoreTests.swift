import CatenaSystem
import Foundation
import Mocking
import MockingOAuth2
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The store in user defaults of a device, which read as empty before its first unlock.
@Suite(.gated)
struct UserDefaultsTokenStoreTests {
  /// A device with the user defaults of an app, and the file beside them.
  private final class Device: Sendable {
    struct State {
      var values: [String: Data] = [:]
      var hasMarker = false
      var isLocked = false
      /// Whether the system still has the empty values from before the unlock.
      var isStale = false
      var canWriteMarker = true
    }

    let state = Mutex(State())
    /// The name of the domain, which no other device has.
    let domain = UUID().uuidString

    /// A store of a process, with the locks of all stores of this process.
    func store(inProcess process: Int = 1) -> UserDefaultsTokenStore {
      UserDefaultsTokenStore(source, domain: "\(domain)-\(process)", prefix: "p/")
    }

    private var source: DefaultsSource {
      DefaultsSource(
        value: { name in
          self.state.withLock { $0.isLocked || $0.isStale ? nil : $0.values[name] }
        },
        setValue: { value, name in
          self.state.withLock { state in
            // The system replaces all values by those that it has in memory.
            if state.isLocked || state.isStale { state.values = [:] }
            state.values[name] = value
          }
        },
        marker: {
          self.state.withLock { state in
            guard state.hasMarker else { return .absent }
            return state.isLocked ? .unreadable : .readable
          }
        },
        placeMarker: {
          self.state.withLock { state in
            state.hasMarker = state.canWriteMarker
            return state.hasMarker
          }
        })
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var names: Set<String> { state.withLock { Set($0.values.keys) } }
    var hasMarker: Bool { state.withLock { $0.hasMarker } }
  }

  private let device = Device()
  private let key = TokenKey(clientID: "app")
  private let token = OAuth2Token(accessToken: "a", refreshToken: "r")

  private func expectLocked(_ body: () throws -> Void) {
    let error = #expect(throws: OAuth2Error.self) { try body() }
    #expect(error?.code == .storeFailed)
    #expect(error?.description.contains("before the first unlock") == true)
  }

  @Test func aNewInstallationHasNoTokenAndNoCanary() throws {
    let store = device.store()
    #expect(try store.token(for: key) == nil)
    try store.setToken(nil, for: key)
    #expect(device.names.isEmpty && !device.hasMarker)
  }

  @Test func theFirstTokenBringsTheCanaryAndTheMarker() throws {
    try device.store().setToken(token, for: key)
    #expect(device.names == ["p/\(key)", "p/CatenaCanary"] && device.hasMarker)
    #expect(try device.store(inProcess: 2).token(for: key) == token)
    #expect(try device.store(inProcess: 2).token(for: TokenKey(clientID: "other")) == nil)
  }

  @Test func beforeTheFirstUnlockNothingIsReadAndNothingIsLost() throws {
    try device.store().setToken(token, for: key)
    device.change { $0.isLocked = true }
    let store = device.store(inProcess: 2)
    expectLocked { _ = try store.token(for: key) }
    expectLocked { try store.setToken(OAuth2Token(accessToken: "new"), for: key) }
    expectLocked { try store.setToken(nil, for: key) }
    expectLocked { _ = try store.addToken(OAuth2Token(accessToken: "new"), for: key) }
    device.change { $0.isLocked = false }
    #expect(try store.token(for: key) == token)
    try store.setToken(nil, for: key)
    #expect(try store.token(for: key) == nil)
  }

  @Test(arguments: [true, false])
  func emptyValuesAfterTheUnlockAreNotTrusted(isReadBeforeTheUnlock: Bool) throws {
    try device.store().setToken(token, for: key)
    device.change { ($0.isLocked, $0.isStale) = (true, true) }
    let store = device.store(inProcess: 2)
    if isReadBeforeTheUnlock { expectLocked { _ = try store.token(for: key) } }
    device.change { $0.isLocked = false }
    expectLocked { _ = try store.token(for: key) }
    expectLocked { try device.store(inProcess: 2).setToken(token, for: key) }
    // The next process reads the values anew.
    device.change { $0.isStale = false }
    #expect(try device.store(inProcess: 3).token(for: key) == token)
    #expect(try store.token(for: key) == token)
  }

  @Test func aSignedOutAppIsLockedToo() throws {
    let store = device.store()
    try store.setToken(token, for: key)
    try store.setToken(nil, for: key)
    device.change { $0.isLocked = true }
    expectLocked { _ = try store.token(for: key) }
    device.change { $0.isLocked = false }
    #expect(try store.token(for: key) == nil)
  }

  @Test func aDeletedAppBeginsAnew() throws {
    try device.store().setToken(token, for: key)
    device.change { $0 = Device.State() }
    let store = device.store(inProcess: 2)
    #expect(try store.token(for: key) == nil)
    try store.setToken(token, for: key)
    #expect(try store.token(for: key) == token)
  }

  @Test func anAppThatDeletesItsDefaultsCanSignInAgain() throws {
    let store = device.store()
    try store.setToken(token, for: key)
    for store in [store, device.store(inProcess: 2)] {
      device.change { $0.values = [:] }
      #expect(try store.token(for: key) == nil)
      try store.setToken(token, for: key)
      #expect(try store.token(for: key) == token)
    }
  }

  @Test func aRestoredBackupWithoutTheMarkerGetsOne() throws {
    try device.store().setToken(token, for: key)
    device.change { $0.hasMarker = false }
    #expect(try device.store(inProcess: 2).token(for: TokenKey(clientID: "other")) == nil)
    #expect(device.hasMarker)
    device.change { $0.isLocked = true }
    expectLocked { _ = try device.store(inProcess: 3).token(for: key) }
  }

  @Test func tokensWithoutACanaryGetOne() throws {
    try device.store().setToken(token, for: key)
    device.change { state in
      state.values["p/CatenaCanary"] = nil
      state.hasMarker = false
    }
    #expect(try device.store(inProcess: 2).token(for: key) == token)
    #expect(device.names.contains("p/CatenaCanary") && device.hasMarker)
  }

  @Test func aMarkerThatCannotBeWrittenIsWrittenLater() throws {
    device.change { $0.canWriteMarker = false }
    let store = device.store()
    try store.setToken(token, for: key)
    #expect(try store.token(for: key) == token && !device.hasMarker)
    device.change { $0.canWriteMarker = true }
    #expect(try store.token(for: key) == token && device.hasMarker)
  }

  @Test func aMigrationWaitsForTheUnlock() throws {
    try device.store().setToken(token, for: key)
    device.change { $0.isLocked = true }
    let new = MemoryTokenStore()
    let store = MigratingTokenStore(from: device.store(inProcess: 2), to: new)
    expectLocked { _ = try store.token(for: key) }
    device.change { $0.isLocked = false }
    #expect(try store.token(for: key) == token && new.token(for: key) == token)
    #expect(try device.store(inProcess: 2).token(for: key) == nil)
  }

  // MARK: Sessions

  @Test func aSessionIsNotSignedOutByADeviceThatIsLocked() async throws {
    let fixture = try OAuth2Fixture()
    _ = try await fixture.signIn(fixture.session(store: device.store()))
    device.change { $0.isLocked = true }
    // The next process.
    let session = fixture.session(store: device.store(inProcess: 2))
    let events = Log<String>()
    let listener = Task {
      for await event in session.events { events.append("\(event)") }
    }
    let client = fixture.client(session)
    let early = client.request(.get("orders"))
    await fixture.time.run()
    #expect((early.rejectionError as? OAuth2Error)?.code == .storeFailed)
    #expect(session.signedOut.isPending && fixture.login.counts.refreshes == 0)
    try? await session.source(.user).reload()
    device.change { $0.isLocked = false }
    let late = client.request(.get("orders"))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses([late]) == [200])
    #expect(session.signedOut.isPending)
    listener.cancel()
    await listener.value
    #expect(events.entries.allSatisfy { !$0.contains("signedOut") })
  }

  @Test func anExpiredTokenIsKeptWhileTheStoreCannotBeRead() async throws {
    let fixture = try OAuth2Fixture()
    let session = fixture.session(store: device.store())
    let token = try await fixture.signIn(session)
    await fixture.time.advance(by: .seconds(3_600))
    device.change { $0.isLocked = true }
    let client = fixture.client(session)
    let early = client.request(.get("orders"))
    await fixture.time.run()
    #expect((early.rejectionError as? OAuth2Error)?.code == .storeFailed)
    #expect(session.currentToken() == token && session.signedOut.isPending)
    #expect(fixture.login.counts.refreshes == 0)
    device.change { $0.isLocked = false }
    let late = client.request(.get("orders"))
    await fixture.time.run()
    #expect(OAuth2Fixture.statuses([late]) == [200] && fixture.login.counts.refreshes == 1)
  }
}
