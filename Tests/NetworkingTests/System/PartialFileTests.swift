import Foundation
import TestGate
import TestSupport
import Testing

@testable import CatenaSystem

@Suite(.gated)
struct PartialFileTests {
  private let folder = TemporaryFolder()

  private var target: URL { folder.url("report.bin") }

  @Test(arguments: [true, false])
  func aFileAppearsAtItsTargetWhenItIsCommitted(_ replaces: Bool) throws {
    let file = try PartialFile(for: target, replacing: replaces)
    try file.write(Data("new".utf8))
    #expect(!FileManager.default.fileExists(atPath: target.path))
    try file.commit()
    #expect(try Data(contentsOf: target) == Data("new".utf8))
    #expect(folder.names == ["report.bin"])
  }

  @Test func aTargetThatIsCreatedBeforeTheCommitIsNotReplaced() throws {
    do {
      let file = try PartialFile(for: target, replacing: false)
      try file.write(Data("new".utf8))
      try Data("old".utf8).write(to: target)
      let error = #expect(throws: FileError.self) { try file.commit() }
      #expect(error?.cause == "a file with that name already exists")
    }
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    #expect(folder.names == ["report.bin"])
  }

  @Test func aWrittenFileIsReadableByItsOwnerOnlyAndReplacesAnEarlierOne() throws {
    let target = folder.url("sub/state.json")
    for text in ["old", "new"] { try PartialFile.write(Data(text.utf8), to: target) }
    #expect(try String(contentsOf: target, encoding: .utf8) == "new")
    let attributes = try FileManager.default.attributesOfItem(atPath: target.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(folder.names == ["sub"])
    let error = #expect(throws: FileError.self) {
      try PartialFile.write(Data(), to: folder.url("sub"))
    }
    #expect(error?.cause == "a folder with that name already exists")
  }

  /// No user can create a file in `/proc`, and other systems have no such folder.
  @Test func aFileThatCannotBeCreatedIsAnError() {
    #expect(throws: FileError.self) {
      try PartialFile(for: URL(fileURLWithPath: "/proc/report.bin"), replacing: true)
    }
  }
}

@Suite(.gated)
struct TemporaryFileTests {
  #if os(Linux)
    /// The changes of a folder since the object was made, as the kernel reports them.
    private final class FolderWatch {
      private let descriptor: Int32

      init(_ folder: URL) throws {
        descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        try #require(descriptor >= 0)
        let mask = UInt32(IN_CREATE | IN_ATTRIB)
        try #require(inotify_add_watch(descriptor, folder.path, mask) >= 0)
      }

      deinit { close(descriptor) }

      /// Returns the masks of the events of one file, in order.
      func events(of name: String) -> [Int32] {
        var masks: [Int32] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
          let count = read(descriptor, &buffer, buffer.count)
          guard count > 0 else { return masks }
          buffer.withUnsafeBytes { bytes in
            var position = 0
            while position < count {
              let event = bytes.loadUnaligned(
                fromByteOffset: position, as: inotify_event.self)
              let start = position + MemoryLayout<inotify_event>.size
              let text = bytes[start..<(start + Int(event.len))].prefix { $0 != 0 }
              if String(decoding: text, as: UTF8.self) == name {
                masks.append(Int32(bitPattern: event.mask))
              }
              position = start + Int(event.len)
            }
          }
        }
      }
    }
  #endif

  /// A file that is created with other permissions, and changed afterwards, can be opened in
  /// between.
  @Test func aTemporaryFileHasItsPermissionsFromItsCreation() async throws {
    #if os(Linux)
      let watch = try FolderWatch(FileManager.default.temporaryDirectory)
    #endif
    let modes = Log<Int>()
    let file = try await TemporaryFile { file in
      var status = stat()
      #expect(fstat(file.descriptor, &status) == 0)
      modes.append(Int(status.st_mode) & 0o777)
      try file.write(Data("private".utf8))
    }
    #expect(modes.entries == [0o600])
    #if os(Linux)
      #expect(watch.events(of: file.url.lastPathComponent) == [IN_CREATE])
    #endif
    #expect(try Data(contentsOf: file.url) == Data("private".utf8))
  }

  @Test func aTemporaryFileIsRemovedAtTheEnd() async throws {
    var file: TemporaryFile? = try await TemporaryFile { _ in }
    let path = try #require(file?.url.path)
    #expect(FileManager.default.fileExists(atPath: path))
    file = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
