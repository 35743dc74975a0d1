import CatenaSystem
import Foundation
import Networking
import Promises

// MARK: Sign-in and sign-out

extension TokenSource {
  /// Stores and adopts the token of a sign-in.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - grant: The grant that has issued it.
  ///   - signOuts: The number of sign-outs when the sign-in began.
  /// - Returns: The token as it is stored.
  /// - Throws: ``OAuth2Error`` if it cannot be stored. ``NetworkError`` with the code `sessionEnded` after
  ///   a sign-out in the meantime.
  func signedIn(
    _ token: OAuth2Token, by grant: OAuth2Grant, after signOuts: Int
  ) async throws -> OAuth2Token {
    let token = token.replacing(nil)
    guard case .acquired(let lock) = try await lock({ nil }) else { return token }
    defer { lock.release() }
    guard self.signOuts == signOuts else { throw NetworkError.sessionEnded(nil) }
    if key.level == .client { clientGrant.withLock { $0 = grant } }
    let (store, key) = (store, key)
    let hadToken = try await onQueue { () -> Bool in
      let stored = try? store.token(for: key)
      try store.setToken(token, for: key)
      return stored != nil
    }
    let isSignedIn = machine.withLock { machine in
      guard machine.signOuts == signOuts else { return false }
      machine.signIn(token, replacingStored: hadToken)
      return true
    }
    // The sign-out that waits for the lock removes the token.
    guard isSignedIn else { throw NetworkError.sessionEnded(nil) }
    return token
  }

  /// A sign-out that has ended the session, and has yet to remove the token from the store.
  struct SignOut: Sendable {
    /// The token in memory before.
    fileprivate let inMemory: OAuth2Token?
    /// The number of sign-ins before.
    fileprivate let signIns: Int
    /// The resolver of the promise of the end of the sign-in, if there is one.
    fileprivate let awaiting: Resolver<Void>?
  }

  /// Drops the token in memory, ends the session, and refuses the token of the store until it is
  /// removed.
  func beginSignOut() -> SignOut {
    machine.withLock { machine in
      let inMemory = machine.current?.token
      let awaiting = machine.beginSignOut()
      return SignOut(inMemory: inMemory, signIns: machine.signIns, awaiting: awaiting)
    }
  }

  /// Removes the token from the store.
  ///
  /// The user is signed out even if this fails.
  ///
  /// - Returns: The last token, which may have been renewed in the meantime.
  func finish(_ signOut: SignOut) async throws -> OAuth2Token? {
    let inMemory = signOut.inMemory
    defer { signOut.awaiting?.fulfill() }
    guard case .acquired(let lock) = try await lock({ nil }) else { return inMemory }
    defer { lock.release() }
    // A sign-in that has begun after this sign-out may have replaced the token already.
    guard machine.withLock({ $0.signIns }) == signOut.signIns else {
      if key.level == .user, inMemory != nil { report(.signedOut(nil)) }
      return inMemory
    }
    let (store, key) = (store, key)
    let stored = try await onQueue { () -> OAuth2Token? in
      let stored = try store.token(for: key)
      if stored != nil { try store.setToken(nil, for: key) }
      return stored
    }
    let awaiting = machine.withLock { machine in
      machine.finishSignOut()
      return stored == nil ? nil : machine.noteSignOut()
    }
    defer { awaiting?.fulfill() }
    // A renewal that was running has ended by now, and has not been adopted.
    if key.level == .user, inMemory != nil || stored != nil { report(.signedOut(nil)) }
    return stored ?? inMemory
  }

  /// Drops the token in memory if the store has another one, after a change by another process.
  func reload() async throws {
    // A change of this session reports itself.
    guard !isChanging.load(ordering: .acquiring) else { return }
    let (store, key) = (store, key)
    let before = machine.withLock { $0.makeRenewal() }
    let stored = try await onQueue { try store.token(for: key) }
    let (event, awaiting) = machine.withLock { machine -> (Event?, Resolver<Void>?) in
      guard machine.isValid(before), let current = machine.current?.token, stored != current,
        // An older token was read before a renewal of this session.
        stored.map({ $0.issued >= current.issued }) ?? true
      else { return (nil, nil) }
      guard let stored else {
        _ = machine.signOut()
        return (key.level == .user ? .signedOut(nil) : nil, machine.noteSignOut())
      }
      _ = machine.adopt(stored, from: nil)
      return (.refreshed(key.level), nil)
    }
    if let event { report(event) }
    awaiting?.fulfill()
  }
}
