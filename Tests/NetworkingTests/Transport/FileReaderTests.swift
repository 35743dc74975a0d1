import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct FileReaderTests {
  private let folder = TemporaryFolder()

  /// Writes a file, and removes it from the memory of the system where that is possible.
  private func file(_ data: Data) throws -> URL {
    let url = folder.url(UUID().uuidString)
    try data.write(to: url)
    #if os(Linux)
      let file = try OpenFile(url.path)
      fsync(file.descriptor)
      posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    return url
  }

  /// Reads until the end in pieces of a size.
  private func readAll(_ reader: BodyReader, upTo size: Int = 10_000) async throws -> Data {
    var all = Data()
    while let piece = try await reader.next(upTo: size) { all += piece }
    return all
  }

  @Test func aFileThatIsNotInMemoryIsReadOnAnotherThread() async throws {
    let url = try file(.pattern(10))
    var buffer = [UInt8](repeating: 0, count: 100)
    let file = try OpenFile(url.path)
    let cached = buffer.withUnsafeMutableBytes { file.readCached(into: $0, at: 0) }
    let reader = try BodyReader(.file(url))
    let ready = Log<Void>()
    let first = try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
      try reader.read(into: buffer) { ready.append(()) }
    }
    // Not every file system lets the test remove the file from memory, or keeps it out.
    #expect(first == .bytes(10) || first == .pending && cached < 0)
    if first == .pending {
      _ = await ready.entries(1)
      let second = try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
        try reader.read(into: buffer) {}
      }
      #expect(second == .bytes(10))
    }
    #expect(Data(buffer.prefix(10)) == .pattern(10))
    #expect(reader.offset == 10 && reader.isAtEnd)
  }

  #if canImport(Glibc)
    /// The files of tmpfs are always in memory.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func aFileInMemoryIsReadAtOnce() throws {
      let url = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: url) }
      try Data.pattern(10).write(to: url)
      let reader = try BodyReader(.pieces([.file(url), .file(url)]))
      var buffer = [UInt8](repeating: 0, count: 8)
      for expected in [8, 2, 8] {
        let outcome = try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
          try reader.read(into: buffer) { Issue.record("the reader does not wait") }
        }
        #expect(outcome == .bytes(expected))
      }
      #expect(Data(buffer) == Data.pattern(10).prefix(8))
      // The last bytes are not returned if a file has changed.
      #expect(truncate(url.path, 11) == 0)
      #expect(throws: TransportFailure.self) {
        try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
          try reader.read(into: buffer) {}
        }
      }
    }
  #endif

  @Test(arguments: [0, 1, 9_999, 10_000, 262_144, 262_145, 3_000_000])
  func filesAndBytesAreReadInOrder(_ size: Int) async throws {
    let data = Data.pattern(size)
    let url = try file(data)
    let body = HTTPBody.pieces([.data(data), .file(url), .data(Data("end".utf8)), .file(url)])
    let reader = try BodyReader(body)
    #expect(reader.length == Int64(3 * size + 3))
    #expect(try await readAll(reader) == data + data + Data("end".utf8) + data)
    reader.rewind()
    #expect(try await readAll(reader, upTo: 1 << 20) == data + data + Data("end".utf8) + data)
  }

  @Test func onlyABodyWithAFileOpensFiles() throws {
    let url = try file(.pattern(1))
    #expect(HTTPBody.file(url).hasFiles)
    #expect(HTTPBody.pieces([.data(Data()), .file(url)]).hasFiles)
    #expect(!HTTPBody.pieces([.data(Data()), .data(Data())]).hasFiles)
    #expect(!HTTPBody.data(Data()).hasFiles && !HTTPBody.none.hasFiles)
  }

  @Test func aFileThatIsTruncatedMeanwhileFailsAfterItsBytes() async throws {
    let url = try file(.pattern(4 << 20))
    let reader = try BodyReader(.file(url))
    #expect(try await reader.next(upTo: 1) == Data.pattern(1))
    #expect(truncate(url.path, 2 << 20) == 0)
    let failure = await #expect(throws: TransportFailure.self) { try await readAll(reader) }
    #expect(failure?.code == .encodingFailed)
    #expect(failure?.detail.contains("truncated") == true)
    #expect(reader.offset == 2 << 20)
  }

  @Test func rewindingInTheMiddleStartsAgain() async throws {
    let data = Data.pattern(2 << 20)
    let reader = try BodyReader(.file(try file(data)))
    for size in [1, 100_000, 1_500_000] {
      #expect(try await reader.next(upTo: size)?.isEmpty == false)
      reader.rewind()
    }
    #expect(try await readAll(reader, upTo: 1 << 20) == data)
  }
}
