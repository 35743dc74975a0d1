import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct JoinedBodyTests {
  private let folder = TemporaryFolder()

  private func file(_ data: Data, _ name: String = "film.mov") throws -> URL {
    try folder.file(name, data)
  }

  /// Returns a stream of pieces of a size.
  private func stream(_ data: Data, length: Int64? = nil, piece: Int = 7_000) -> BodyStream {
    BodyStream(length: length) {
      AsyncStream { continuation in
        for start in stride(from: 0, to: data.count, by: piece) {
          continuation.yield(data.dropFirst(start).prefix(piece))
        }
        continuation.finish()
      }
    }
  }

  private func readAll(_ reader: BodyReader, upTo size: Int = 10_000) async throws -> Data {
    var all = Data()
    while let piece = try await reader.next(upTo: size) { all += piece }
    return all
  }

  @Test(arguments: [0, 1, 9_999, 300_000])
  func memoryFilesAndStreamsAreReadInOrder(_ size: Int) async throws {
    let data = Data.pattern(size)
    let url = try file(data)
    let whole = stream(data, length: Int64(size))
    let body = HTTPBody.pieces([
      .stream(whole), .data(Data("<".utf8)), .file(url), .stream(whole), .stream(whole),
      .file(url), .data(Data(">".utf8)),
    ])
    let reader = try BodyReader(body)
    #expect(reader.length == Int64(5 * size + 2) && body.byteCount == reader.length)
    #expect(reader.isRepeatable && body.isRepeatable)
    let expected = data + Data("<".utf8) + data + data + data + data + Data(">".utf8)
    #expect(try await readAll(reader) == expected)
    reader.rewind()
    #expect(try await readAll(reader, upTo: 1 << 20) == expected)
  }

  @Test func theLengthIsUnknownIfThatOfAStreamIs() async throws {
    let data = Data.pattern(20_000)
    let body = HTTPBody.pieces([.data(data), .stream(stream(data)), .data(data)])
    let reader = try BodyReader(body)
    #expect(reader.length == nil && body.byteCount == nil)
    #expect(try await readAll(reader) == data + data + data)
  }

  @Test func aStreamThatCanBeReadOnceMakesTheBodySo() async throws {
    let once = BodyStream(
      length: 1,
      once: AsyncStream<Data> { continuation in
        continuation.yield(Data("b".utf8))
        continuation.finish()
      })
    let body = HTTPBody.pieces([.data(Data("a".utf8)), .stream(once)])
    let reader = try BodyReader(body)
    #expect(!reader.isRepeatable && !body.isRepeatable)
    #expect(try await readAll(reader) == Data("ab".utf8))
    reader.rewind()
    let failure = await #expect(throws: TransportFailure.self) { try await readAll(reader) }
    #expect(failure?.detail.hasSuffix("can be sent only once and has already been sent") == true)
  }

  @Test(arguments: [(2, "it has more than 2 bytes"), (4, "it ended after 3 of 4 bytes")])
  func aStreamOfAWrongLengthFailsTheBody(_ length: Int64, _ reason: String) async throws {
    let stream = stream(Data("abc".utf8), length: length)
    let reader = try BodyReader(.pieces([.stream(stream), .data(Data("end".utf8))]))
    let failure = await #expect(throws: TransportFailure.self) { try await readAll(reader) }
    #expect(failure?.code == .encodingFailed)
    #expect(failure?.detail == "The body cannot be read: \(reason)")
  }

  @Test func aSumOfLengthsThatOverflowsIsNoLength() throws {
    let long = stream(Data(), length: .max)
    let body = HTTPBody.pieces([.stream(long), .data(Data("a".utf8))])
    #expect(try BodyReader(body).length == nil && body.byteCount == nil)
  }

  @Test func theErrorOfAStreamIsTheUnderlyingError() async throws {
    let broken = BodyStream {
      AsyncThrowingStream<Data, any Error> { $0.finish(throwing: TestError("s3cret")) }
    }
    let reader = try BodyReader(.pieces([.data(Data("a".utf8)), .stream(broken)]))
    let failure = await #expect(throws: TransportFailure.self) { try await readAll(reader) }
    #expect(failure?.detail == "The body cannot be read: its stream failed")
    #expect(failure?.underlying as? TestError == TestError("s3cret"))
  }

  @Test func allFilesAreOpenedBeforeTheFirstStreamStarts() async throws {
    let missing = folder.url("missing.mov")
    let started = Counter()
    let stream = BodyStream {
      _ = started.add()
      return AsyncStream<Data> { $0.finish() }
    }
    let failure = #expect(throws: TransportFailure.self) {
      try BodyReader(.pieces([.stream(stream), .file(missing)]))
    }
    #expect(
      failure?.detail
        == "The body cannot be read: the file missing.mov cannot be opened: No such file or directory"
    )
    #expect(started.value == 0)
  }

  // MARK: Files that change

  enum Change: CaseIterable {
    case truncation
    case growth
    case truncationAfterReading
    case growthOfAnEmptyFile

    var reason: String {
      switch self {
      case .truncation, .truncationAfterReading:
        "the file film.mov was truncated while it was sent"
      case .growth, .growthOfAnEmptyFile: "the file film.mov grew while it was sent"
      }
    }
  }

  @Test(arguments: Change.allCases)
  func aFileWhoseSizeChangesMeanwhileFailsTheBody(_ change: Change) async throws {
    let url = try file(change == .growthOfAnEmptyFile ? Data() : .pattern(100_000))
    // Nothing is read before the first read, which changes the file, or before the stream ends.
    let changing = BodyStream(length: 1) {
      #expect(
        truncate(url.path, change == .growth || change == .growthOfAnEmptyFile ? 100_001 : 9) == 0)
      return AsyncStream<Data> { continuation in
        continuation.yield(Data("s".utf8))
        continuation.finish()
      }
    }
    var pieces: [BodyPiece] = [.stream(changing), .file(url), .data(Data("end".utf8))]
    if change == .truncationAfterReading {
      pieces = [.file(url), .data(Data("end".utf8))]
      let reader = try BodyReader(.pieces(pieces))
      let pieces = try PieceReader(pieces)
      var buffer = [UInt8](repeating: 0, count: 100_000)
      let count = try buffer.withUnsafeMutableBytes { try pieces.read(into: $0, at: 0) }
      #expect(count == 100_000)
      #expect(truncate(url.path, 9) == 0)
      let error = #expect(throws: PieceReader.ReadError.self) {
        try buffer.withUnsafeMutableBytes { try pieces.read(into: $0, at: 100_000) }
      }
      #expect(error?.reason == change.reason)
      withExtendedLifetime(reader) {}
      return
    }
    let reader = try BodyReader(.pieces(pieces))
    let failure = await #expect(throws: TransportFailure.self) { try await readAll(reader) }
    #expect(failure?.code == .encodingFailed)
    #expect(failure?.detail == "The body cannot be read: \(change.reason)")
  }

  @Test func aFileThatIsDeletedMeanwhileIsReadToItsEnd() async throws {
    let url = try file(.pattern(1 << 20))
    let reader = try BodyReader(.pieces([.file(url), .data(Data("end".utf8))]))
    try FileManager.default.removeItem(at: url)
    try Data("another".utf8).write(to: url)
    #expect(try await readAll(reader) == Data.pattern(1 << 20) + Data("end".utf8))
  }

  @Test func foldersAndNamedPipesAreRefused() throws {
    let pipe = folder.url("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    for url in [pipe, folder.url, URL(fileURLWithPath: "/dev/null")] {
      for body in [HTTPBody.file(url), .pieces([.data(Data("a".utf8)), .file(url)])] {
        let failure = #expect(throws: TransportFailure.self) { try BodyReader(body) }
        #expect(failure?.code == .encodingFailed)
        #expect(failure?.detail.hasSuffix("\(url.lastPathComponent) is not a regular file") == true)
        #expect(body.byteCount == nil)
      }
    }
  }

  #if os(Linux)
    @Test func aFileOfUnknownSizeIsRefused() {
      let failure = #expect(throws: TransportFailure.self) {
        try BodyReader(.file(URL(fileURLWithPath: "/proc/self/status")))
      }
      #expect(failure?.detail.contains("the size of the file status is not known") == true)
    }
  #endif
}
