import Foundation
import TestGate
import TestSupport
import Testing

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
    #expect(throws: NetworkError.self) { try FileSystem().write(Data("new".utf8), to: link) }
    #expect(try String(contentsOf: file, encoding: .utf8) == "text")
  }

  @Test func aFileThatCannotBeExaminedIsAnError() throws {
    // A component of a path may have 255 bytes.
    let path = temporary.url(String(repeating: "a", count: 300)).path
    let error = #expect(throws: NetworkError.self) { try FileSystem().isDirectory(path) }
    #expect(error?.code == .offlineStoreFailed)
    #expect((error?.underlying as? POSIXError)?.code == .ENAMETOOLONG)
    #expect(try !FileSystem().isDirectory(temporary.url("missing").path))
  }
}
