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

/// A year of two sessions with one store in virtual time, compared with a plain model of one session.
@Suite(.gated)
struct OAuth2YearTests {
  /// The tokens as the server and the user see them, without sharing, waiting or storing.
  private struct Model {
    /// The time by the scheduler at which the access token expires at the server.
    var validUntil: Duration?
    /// The time by the clock of the device after which the session refreshes.
    var freshUntil: Date?
    var issued = Date.distantPast
    var isRevoked = false
    var isRefreshRevoked = false
    var refreshes = 0

    mutating func signIn(at now: Duration, _ clock: Date, life: Duration) {
      validUntil = now + life
      issued = clock
      let seconds = life / .seconds(1)
      freshUntil = clock + seconds - min(60, seconds / 10)
      isRevoked = false
    }

    /// Returns the expected end of a request: a status, or `nil` for an error.
    mutating func request(at now: Duration, _ clock: Date, life: Duration, fails: Bool) -> Int? {
      guard let freshUntil, let validUntil else { return nil }
      let isFresh = clock < freshUntil && clock >= issued - 60
      if isFresh, !isRevoked, now < validUntil { return 200 }
      if fails { return nil }
      if isRefreshRevoked {
        self.freshUntil = nil
        return nil
      }
      refreshes += 1
      signIn(at: now, clock, life: life)
      return 200
    }

    var isSignedIn: Bool { freshUntil != nil }
  }

  @Test(arguments: 1...6)
  func aYearGoesLikeTheModel(seed: UInt64) async throws {
    var chance = SeededGenerator(seed: seed)
    let life = Duration.seconds(Int.random(in: 60...90_000, using: &chance))
    let fixture = try OAuth2Fixture { $0.accessTokenLife = life }
    // The difference between the clock of the device and the time of the server.
    let drift = Mutex(0.0)
    let clock: @Sendable () -> Date = { [time = fixture.time] in
      OAuth2Fixture.start.addingTimeInterval(time.now / .seconds(1) + drift.withLock { $0 })
    }
    let store = MemoryTokenStore()
    let sessions = (0..<2).map { _ in fixture.session(store: store) { $0.wallClock = clock } }
    let clients = sessions.map { fixture.client($0) }
    var model = Model()
    // The sessions that have seen a sign-in.
    var signedIn: Set<Int> = []
    let year = Duration.seconds(365 * 86_400)
    var steps = 0
    while fixture.time.now < year {
      steps += 1
      let pause = Duration.seconds(Double.random(in: 1...(3 * 86_400), using: &chance))
      await fixture.time.advance(by: pause)
      let now = fixture.time.now
      if !model.isSignedIn {
        let index = Int.random(in: 0..<2, using: &chance)
        _ = try await fixture.signIn(sessions[index])
        signedIn.insert(index)
        model.signIn(at: fixture.time.now, clock(), life: life)
        model.isRefreshRevoked = false
        // The other session still has the former sign-in, and its next request may be that of another
        // user.
        let first = clients[1 - index].request(.get("orders"))
        await fixture.time.advance(by: .milliseconds(200))
        let isEnded = await first.result.failure(as: NetworkError.self)?.code == .sessionEnded
        #expect(isEnded == signedIn.contains(1 - index))
        signedIn.insert(1 - index)
        continue
      }
      var fails = false
      switch Int.random(in: 0..<12, using: &chance) {
      case 0:
        fixture.login.revokeAll()
        model.isRevoked = true
      case 1:
        fixture.login.revokeAll(includingRefreshTokens: true)
        (model.isRevoked, model.isRefreshRevoked) = (true, true)
      case 2: drift.withLock { $0 -= Double.random(in: 0...7_200, using: &chance) }
      case 3: drift.withLock { $0 = 0 }
      case 4: fails = true
      default: break
      }
      var expected = model
      let end = expected.request(at: now, clock(), life: life, fails: fails)
      let faults = expected.refreshes > model.refreshes || !expected.isSignedIn || end == nil
      if fails, faults { fixture.login.fail(.noResponse) }
      model = expected
      // After a failure the next request tries again, so there is one.
      let count = fails ? 1 : Int.random(in: 1...5, using: &chance)
      let indices = (0..<count).map { _ in Int.random(in: 0..<2, using: &chance) }
      let promises = indices.map { clients[$0].request(.get("orders")) }
      // A session that waits for the lock of the store tries again after up to 100 ms.
      await fixture.time.advance(by: .milliseconds(200))
      let statuses = OAuth2Fixture.statuses(promises)
      #expect(statuses == Array(repeating: end, count: count), "step \(steps) of seed \(seed)")
      #expect(fixture.login.counts.refreshes == model.refreshes, "step \(steps) of seed \(seed)")
      #expect(
        (store.token(for: TokenKey(for: fixture.login.client("app"))) != nil) == model.isSignedIn)
      for promise in promises { promise.fail { _ in } }
    }
    #expect(steps > 100)
    #expect(fixture.login.counts.reused == 0)
  }
}
