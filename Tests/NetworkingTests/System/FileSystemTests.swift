import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem
@testable import Networking

@Suite(.gated)
struct FileSystemTests {
  private let temporary = TemporaryFolder()

  /// The end of a folder is told from an error by `errno` alone.
  @Test func anEarlierErrorIsNotOneOfTheListing() throws {
    _ = try temporary.file("a", "")
    let path = temporary.url.path
    errno = EIO
    let names = try FileSystem().names(in: path)
    #expect(names.map(\.text) == ["a"])
  }

  @Test func eachCreatedFolderIsSynchronizedInItsParent() throws {
    let steps = Log<String>()
    let fileSystem = FileSystem { steps.append($0) }
    let path = temporary.url("a/b/c").path
    try fileSystem.createDirectories(path)
    #expect(try fileSystem.isDirectory(path))
    #expect(steps.entries == Array(repeating: "synchronize folder", count: 3))
    try fileSystem.createDirectories(path)
    #expect(steps.entries.count == 3)
  }

  @Test func aFolderIsExcludedFromBackupsAgainAfterItWasRemoved() throws {
    let steps = Log<String>()
    let fileSystem = FileSystem { if $0 == "exclude from backups" { steps.append($0) } }
    let folder = temporary.url("a/b")
    for count in 1...2 {
      try fileSystem.createDirectoriesWithoutBackup(folder.path)
      #expect(try fileSystem.isDirectory(folder.path))
      #expect(steps.entries.count == count)
      #if canImport(Darwin)
        let values = try folder.resourceValues(forKeys: [.isExcludedFromBackupKey])
        #expect(values.isExcludedFromBackup == true)
      #endif
      try fileSystem.remove(folder.path)
    }
  }

  @Test(arguments: [0, 1, 256 << 10, 256 << 10 + 1])
  func aFileAtTheLimitIsCopiedAndALargerOneIsNot(_ count: Int) throws {
    let file = try temporary.file("source", Data.pattern(count))
    let copy = try FileSystem().copy(file, to: temporary.url("copy").path, limit: Int64(count))
    #expect(copy?.byteCount == Int64(count))
    #expect(try Data(contentsOf: temporary.url("copy")) == Data.pattern(count))
    let larger = try FileSystem().copy(
      file, to: temporary.url("larger").path, limit: Int64(count) - 1)
    #expect(larger == nil)
  }

  @Test func symbolicLinksInTheStoreAreNotFollowed() throws {
    let file = try temporary.file("target", "text")
    let link = temporary.url("link").path
    #expect(symlink(file.path, link) == 0)
    #expect(try FileSystem().contentSummary(file.path)?.byteCount == 4)
    #expect(try FileSystem().contentSummary(link) == nil)
    #expect(try EntryRecord.read(link) == nil)
    #expect(try !FileSystem().isDirectory(link))
    #expect(throws: FileError.self) { try FileSystem().write(Data("new".utf8), to: link) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "text")
  }

  @Test func aFileThatCannotBeExaminedIsAnError() throws {
    // A component of a path may have 255 bytes.
    let path = temporary.url(String(repeating: "a", count: 300)).path
    let error = #expect(throws: FileError.self) { try FileSystem().isDirectory(path) }
    #expect(error?.number == ENAMETOOLONG && error?.path == path)
    #expect(try !FileSystem().isDirectory(temporary.url("missing").path))
  }

  /// The name of the file is examined for the error, which must not change its reason.
  @Test func theReasonOfAnErrorIsThatOfTheFailedCall() throws {
    let link = temporary.url("link").path
    #expect(symlink("missing", link) == 0)
    let error = #expect(throws: FileError.self) { try FileSystem().write(Data(), to: link) }
    #expect(error == FileError(link, "cannot be opened", number: EEXIST))
    #expect(error?.reason == "link cannot be opened: File exists")
  }

  // MARK: Whole files

  @Test func onlyAMissingFileAndAnEmptyOneAreNone() throws {
    let fileSystem = FileSystem()
    #expect(try fileSystem.read(temporary.url("missing").path, limit: 4) == nil)
    let file = try temporary.file("file", "")
    #expect(try fileSystem.read(file.path, limit: 4) == nil)
    try Data("text".utf8).write(to: file)
    #expect(try fileSystem.read(file.path, limit: 4) == Data("text".utf8))
    // A link to itself, of which one is the folder.
    #expect(symlink("loop", temporary.url("loop").path) == 0)
    for (path, limit) in [("file", 3), ("loop", 4), ("loop/file", 4), ("", 4)] {
      #expect(throws: FileError.self, "\(path)") {
        try fileSystem.read(temporary.url(path).path, limit: limit)
      }
    }
  }

  @Test(arguments: [true, false])
  func aFileIsReplacedByANewOne(isDurable: Bool) throws {
    let steps = Log<String>()
    let fileSystem = FileSystem { steps.append($0) }
    let file = try temporary.file("file", "old")
    let other = try temporary.file("other", "text")
    #expect(link(other.path, file.path + ".new") == 0)
    try fileSystem.replace(file.path, with: Data("new".utf8), isDurable: isDurable)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    #expect(try String(contentsOf: other, encoding: .utf8) == "text")
    #expect(temporary.names == ["file", "other"])
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(
      steps.entries
        == (isDurable
          ? ["remove", "create", "write", "synchronize", "rename", "synchronize folder"]
          : ["remove", "create", "write", "rename"]))
  }

  @Test func aFileOfAnotherPathTakesThePlaceOfAFileOrIsRemoved() throws {
    let steps = Log<String>()
    let fileSystem = FileSystem { steps.append($0) }
    let file = try temporary.file("file", "old")
    let new = temporary.url("incoming").path
    try fileSystem.replace(file.path, with: Data("new".utf8), through: new, isDurable: false)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    #expect(temporary.names == ["file"])
    #expect(steps.entries == ["create", "write", "rename"])
    let folder = temporary.url("folder").path
    try fileSystem.createDirectory(folder)
    #expect(throws: FileError.self) {
      try fileSystem.replace(folder, with: Data("text".utf8), through: new)
    }
    #expect(temporary.names == ["file", "folder"])
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process whose file size is limited to 4 KiB.
    @Test func aReplacementThatFailsLeavesTheOldFileAlone() async {
      await #expect(processExitsWith: .success) {
        let temporary = TemporaryFolder()
        let file = try temporary.file("file", "old")
        #expect(ProcessResources.limitFileSize(to: 4_096))
        let error = #expect(throws: FileError.self) {
          try FileSystem().replace(file.path, with: Data(count: 10_000))
        }
        #expect(error?.number == EFBIG)
        #expect(temporary.names == ["file"])
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
      }
    }
  #endif
}
