import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct FileReaderTests {
  private let folder = TemporaryFolder()

  private func file(_ data: Data) throws -> URL {
    let url = folder.url(UUID().uuidString)
    try data.write(to: url)
    return url
  }

  /// Reads until the end in pieces of a size.
  private func readAll(_ reader: BodyReader, upTo size: Int = 10_000) async throws -> Data {
    var all = Data()
    while let piece = try await reader.next(upTo: size) { all += piece }
    return all
  }

  @Test func aFileIsReadOnAnotherThread() async throws {
    let reader = try BodyReader(.file(try file(.pattern(10))))
    let ready = Log<Void>()
    var buffer = [UInt8](repeating: 0, count: 100)
    let first = try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
      try reader.read(into: buffer) { ready.append(()) }
    }
    #expect(first == .pending)
    _ = await ready.entries(1)
    let second = try buffer.withUnsafeMutableBytes { buffer throws(TransportFailure) in
      try reader.read(into: buffer) {}
    }
    #expect(second == .bytes(10))
    #expect(reader.offset == 10 && reader.isAtEnd)
  }

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
