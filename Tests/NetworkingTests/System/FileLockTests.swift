import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

@Suite(.gated)
struct FileLockTests {
  private let folder = TemporaryFolder()

  private var path: String { folder.url("lock").path }

  /// Returns whether the lock is free.
  private func isFree() throws -> Bool {
    let lock = try FileLock(tryLocking: path)
    return lock != nil
  }

  @Test func aLockExcludesOthersUntilTheEndOfItsLifetime() throws {
    do {
      let lock = try FileLock(waitingFor: path)
      #expect(try !isFree())
      let late = try FileLock(tryLocking: path, waitingAtMost: .zero)
      let isLate = late == nil
      #expect(isLate)
      _ = consume lock
    }
    #expect(try isFree())
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func theFileOfATemporaryLockIsRemovedWithIt() throws {
    do {
      let lock = try FileLock(tryLocking: path, isTemporary: true)
      let isLocked = lock != nil
      #expect(isLocked && folder.names == ["lock"])
    }
    #expect(folder.names == [])
  }

  @Test func aLockFileThatIsALinkIsAnError() throws {
    #expect(symlink("target", path) == 0)
    let error = #expect(throws: FileError.self) { try isFree() }
    #expect(error?.number == ELOOP)
    #expect(folder.names == ["lock"])
  }

  /// The number of an offline store's last entry is in its lock file.
  @Test func aNumberInALockFileIsReadAgain() throws {
    for number in [7, 1, EntryName.maximumNumber] {
      try FileLock(waitingFor: path).writeNumber(number)
      #expect(try FileLock(waitingFor: path).number == number)
    }
    for text in ["", "12", "000000000000-12", "-00000000000001", "abcdefghijklmno"] {
      try Data(text.utf8).write(to: folder.url("lock"))
      #expect(try FileLock(waitingFor: path).number == 0, "\(text)")
    }
  }
}

/// The errors of files in other modules.
@Suite(.gated)
struct FileErrorTests {
  private let error = FileError("/folder/film.mp4", "cannot be written", number: EFBIG)

  @Test(arguments: [
    (NetworkError.Code.offlineStoreFailed, "film.mp4 cannot be written: File too large"),
    (.cookieFileFailed, "film.mp4 cannot be written: File too large"),
    (.fileNotWritten, "File too large"),
  ])
  func anErrorOfAFileGetsACode(_ code: NetworkError.Code, _ reason: String) {
    let reported = #expect(throws: NetworkError.self) {
      try NetworkError.reporting(code) { throw error }
    }
    #expect(reported?.code == code && reported?.reason == reason)
    #expect((reported?.underlying as? POSIXError)?.code == .EFBIG)
  }

  @Test func otherErrorsAreUnchanged() {
    #expect(throws: TestError.self) {
      try NetworkError.reporting(.fileNotWritten) { throw TestError() }
    }
    let error = #expect(throws: NetworkError.self) {
      try NetworkError.reporting(.fileNotWritten) { throw NetworkError(.transferInProgress) }
    }
    #expect(error?.code == .transferInProgress)
  }

  @Test func theCauseOfAnErrorIsThatOfTheSystem() throws {
    #expect(error.reason == "film.mp4 cannot be written: File too large")
    #expect(FileError("a", "is too long", number: nil).reason == "a is too long")
    #expect(FileError("a", "is too long", number: nil).cause == "is too long")
    #expect(FileError.cause(of: error) == "File too large")
    let missing = #expect(throws: (any Error).self) {
      try Data(contentsOf: URL(fileURLWithPath: "/none/a"))
    }
    #expect(missing.map(FileError.cause) == "No such file or directory")
  }

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b", "a", "b"), ("/a/", "/a", ""),
  ])
  func aPathIsSplitAtItsLastSlash(_ path: String, _ folder: String, _ name: String) {
    #expect(FilePath.split(path) == (folder, name))
  }
}
