import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem

@Suite(.gated)
struct FileLeaseTests {
  private let folder = TemporaryFolder()
  private let clock = SettableDate()

  private var path: String { folder.url("lease").path }

  private func take() throws -> FileLease? {
    try FileLease(taking: path, wallClock: { [clock] in clock.now })
  }

  private func wait(_ seconds: Double) {
    clock.add(seconds)
  }

  private func record() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func aLeaseExcludesOthersUntilItIsReleased() throws {
    let lease = try #require(try take())
    #expect(try take() == nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    lease.release()
    #expect(folder.names == [])
    #expect(throws: FileLease.Lost.self) { try lease.renew() }
    #expect(try take() != nil)
  }

  @Test func aLeaseEndsWithItsLifetime() throws {
    do {
      let lease = try #require(try take())
      withExtendedLifetime(lease) {}
    }
    #expect(folder.names == [])
  }

  @Test func oneOfManyThreadsTakesALease() async throws {
    let path = path
    let taken = try await withThrowingTaskGroup(of: FileLease?.self) { group in
      for _ in 0..<20 { group.addTask { try FileLease(taking: path) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(taken.count { $0 != nil } == 1)
  }

  #if os(Linux)
    /// The system would end an app that it suspends while it has such a lock.
    @Test(.enabled(if: KernelLocks.areListed, "the kernel does not list its locks"))
    func noFileIsLockedWhileALeaseIsHeld() throws {
      let lease = try #require(try take())
      #expect(KernelLocks.names(in: folder) == [])
      try lease.change { #expect(KernelLocks.names(in: folder) == ["lease"]) }
      #expect(KernelLocks.names(in: folder) == [])
      lease.release()
    }
  #endif

  // MARK: Renewal and loss

  @Test func aLeaseThatIsNotRenewedIsTakenOver() throws {
    let first = try #require(try take())
    wait(31)
    let second = try #require(try take())
    #expect(throws: FileLease.Lost.self) { try first.change {} }
    first.giveUp()
    first.release()
    #expect(try take() == nil)
    try second.change {}
    second.release()
    #expect(folder.names == [])
  }

  @Test func aChangeRenewsALease() throws {
    let lease = try #require(try take())
    for _ in 0..<10 {
      wait(15)
      #expect(try lease.change { 7 } == 7)
      #expect(try take() == nil)
    }
    lease.release()
  }

  @Test func aLeaseThatHasEndedContinuesIfNobodyHasTakenIt() throws {
    let lease = try #require(try take())
    wait(3_600)
    try lease.renew()
    #expect(try take() == nil)
    lease.release()
  }

  @Test func aLeaseThatIsGivenUpCanBeTaken() throws {
    let first = try #require(try take())
    first.giveUp()
    let second = try #require(try take())
    #expect(throws: FileLease.Lost.self) { try first.renew() }
    second.release()
    // Nobody has the lease now, but others have changed the files since.
    #expect(throws: FileLease.Lost.self) { try first.renew() }
  }

  @Test func aLeaseThatIsGivenUpContinuesIfNobodyHasTakenIt() throws {
    let lease = try #require(try take())
    lease.giveUp()
    try lease.renew()
    #expect(try take() == nil)
    lease.release()
  }

  @Test func aLeaseWhoseFileWasRemovedIsLost() throws {
    let lease = try #require(try take())
    unlink(path)
    #expect(throws: FileLease.Lost.self) { try lease.renew() }
    let other = try #require(try take())
    lease.release()
    #expect(folder.names == ["lease"])
    other.release()
  }

  @Test func anErrorOfAChangeIsThrownAndTheLeaseIsKept() throws {
    let lease = try #require(try take())
    #expect(throws: TestError.self) { try lease.change { throw TestError() } }
    try lease.renew()
    lease.release()
  }

  @Test func aReleasedLeaseIsFreeAlthoughItsFileCannotBeRemoved() throws {
    let lease = try #require(try take())
    let text = try record()
    lease.release()
    _ = try folder.file("lease", text)
    let other = try #require(try take())
    other.release()
  }

  // MARK: Records

  @Test func aClockThatWasSetBackDoesNotKeepALease() throws {
    let lease = try #require(try take())
    wait(-3_600)
    let other = try #require(try take())
    #expect(throws: FileLease.Lost.self) { try lease.renew() }
    other.release()
  }

  @Test(arguments: [
    "", "x", "owner 12", "owner x 1 system", "\u{0}\u{0}", "owner -9223372036854775808 1 s",
  ])
  func aFileThatIsNoRecordIsFree(_ text: String) throws {
    _ = try folder.file("lease", text)
    let lease = try #require(try take())
    try lease.renew()
    lease.release()
    #expect(folder.names == [])
  }

  @Test func aLinkIsAnError() throws {
    #expect(symlink("target", path) == 0)
    let error = #expect(throws: FileError.self) { try take() }
    #expect(error?.number == ELOOP)
  }

  @Test func aLeaseIsRenewedAfterAClockWasSetBack() throws {
    let lease = try #require(try take())
    wait(-3_600)
    try lease.renew()
    #expect(try take() == nil)
    lease.release()
  }

  // MARK: Processes

  #if os(Linux) || os(macOS)
    @Test func theLeaseOfADeadProcessIsFreeAtOnce() async throws {
      let lease = try #require(try take())
      let text = try record()
      let child = try await ChildProcess("/bin/sh", ["-c", "echo $$"]).end
      let number = try #require(child.lines.first)
      let dead = text.replacingOccurrences(of: " \(getpid()) ", with: " \(number) ")
      #expect(dead != text)
      // In another system or container the number says nothing.
      let parts = dead.split(separator: " ")
      #expect(!parts[3].hasPrefix("unknown"))
      let other = dead.replacingOccurrences(of: String(parts[3]), with: "other")
      try Data(other.utf8).write(to: URL(fileURLWithPath: path))
      #expect(try take() == nil)
      try Data(dead.utf8).write(to: URL(fileURLWithPath: path))
      let next = try #require(try take())
      next.release()
      lease.release()
    }
  #endif
}

/// A wall clock that a test sets.
private final class SettableDate: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var now: Date { date.withLock { $0 } }

  func add(_ seconds: Double) {
    date.withLock { $0.addTimeInterval(seconds) }
  }
}
