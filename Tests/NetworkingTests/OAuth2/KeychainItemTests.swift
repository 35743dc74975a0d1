import CatenaSystem
import Foundation
import TestGate
import Testing

@testable import NetworkingOAuth2

/// The changes of an item of the keychain while another process changes it, and the texts of errors.
@Suite(.gated)
struct KeychainItemTests {
  private typealias Status = KeychainItem.Status

  /// A keychain with one item, which another process changes before some calls.
  private final class Keychain: Sendable {
    struct State {
      var data: Data?
      /// The changes of the other process before the next calls.
      var changes: [Data??] = []
      var calls: [String] = []
      /// The status of each call.
      var failure: Int32?
    }

    let state: Mutex<State>

    init(_ data: Data? = nil, changes: [Data??] = [], failure: Int32? = nil) {
      state = Mutex(State(data: data, changes: changes, failure: failure))
    }

    private func call(_ name: String, _ body: (inout State) -> Int32) -> Int32 {
      state.withLock { state in
        state.calls.append(name)
        if !state.changes.isEmpty, let change = state.changes.removeFirst() { state.data = change }
        return state.failure ?? body(&state)
      }
    }

    func item(accessGroup: String? = nil) -> KeychainItem {
      KeychainItem(
        accessGroup: accessGroup,
        read: {
          var data: Data?
          let status = self.call("read") { state in
            data = state.data
            return data == nil ? Status.itemNotFound : Status.success
          }
          return (status, data)
        },
        add: { data in
          self.call("add") { state in
            guard state.data == nil else { return Status.duplicateItem }
            state.data = data
            return Status.success
          }
        },
        update: { data in
          self.call("update") { state in
            guard state.data != nil else { return Status.itemNotFound }
            state.data = data
            return Status.success
          }
        },
        delete: {
          self.call("delete") { state in
            defer { state.data = nil }
            return state.data == nil ? Status.itemNotFound : Status.success
          }
        })
    }

    var data: Data? { state.withLock { $0.data } }
    var calls: [String] { state.withLock { $0.calls } }
  }

  private let own = Data("own".utf8)
  private let other = Data("other".utf8)
  private let removed: Data?? = .some(nil)

  @Test func anItemIsAddedUpdatedReadAndRemoved() throws {
    let keychain = Keychain()
    let item = keychain.item()
    #expect(try item.data() == nil)
    try item.set(nil)
    try item.set(other)
    try item.set(own)
    #expect(try item.data() == own)
    try item.set(nil)
    #expect(try item.data() == nil)
    #expect(
      keychain.calls == ["read", "delete", "update", "add", "update", "read", "delete", "read"])
  }

  @Test func anItemThatAnotherProcessAddsInBetweenIsUpdated() throws {
    let keychain = Keychain(changes: [nil, other])
    try keychain.item().set(own)
    #expect(keychain.data == own && keychain.calls == ["update", "add", "update"])
  }

  @Test func anItemThatIsAddedAndRemovedInTurnIsAddedAgain() throws {
    let keychain = Keychain(changes: [nil, other, removed])
    try keychain.item().set(own)
    #expect(keychain.data == own && keychain.calls == ["update", "add", "update", "add"])
  }

  @Test func anItemThatIsRemovedBeforeItIsReadIsAddedAgain() throws {
    let keychain = Keychain(other, changes: [nil, removed])
    #expect(try keychain.item().addIfMissing(own) == nil)
    #expect(keychain.data == own && keychain.calls == ["add", "read", "add"])
    #expect(try keychain.item().addIfMissing(other) == own)
  }

  @Test func anotherProcessCannotKeepAChangeFromEnding() {
    let turns = [Data??](repeating: nil, count: 2 * KeychainItem.maximumAttempts)
    let added = Keychain(changes: turns.indices.map { $0.isMultiple(of: 2) ? removed : other })
    #expect(throws: OAuth2Error.self) { try added.item().set(own) }
    #expect(added.calls.count == turns.count)
    let found = Keychain(changes: turns.indices.map { $0.isMultiple(of: 2) ? other : removed })
    #expect(throws: OAuth2Error.self) { try found.item().addIfMissing(own) }
    #expect(found.calls.count == turns.count)
  }

  @Test(arguments: [
    (-34018, "keychain-access-groups"), (-34018, "Keychain Sharing"), (-34018, "TEAM.com.example"),
    (-25308, "locked"), (-25308, "has not been unlocked since it started"), (-25293, "failed"),
  ])
  func eachFailureIsNamedWithItsNumber(status: Int32, text: String) {
    let item = Keychain(own, failure: status).item(accessGroup: "TEAM.com.example")
    for body in [
      { _ = try item.data() }, { try item.set(own) }, { try item.set(nil) },
      { _ = try item.addIfMissing(own) },
    ] {
      let error = #expect(throws: OAuth2Error.self) { try body() }
      #expect(error?.code == .storeFailed)
      #expect(error?.description.contains(text) == true)
      #expect(error?.description.contains("(\(status))") == true)
    }
  }

  /// Before the first unlock of a device.
  @Test func anItemThatCannotBeReadIsNotAMissingOne() throws {
    let keychain = Keychain(own, failure: Status.interactionNotAllowed)
    #expect(throws: OAuth2Error.self) { try keychain.item().data() }
    #expect(throws: OAuth2Error.self) { try keychain.item().set(other) }
    #expect(keychain.calls == ["read", "update"] && keychain.data == own)
  }
}
