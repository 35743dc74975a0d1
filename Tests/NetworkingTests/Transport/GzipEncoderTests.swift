import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import Networking

/// The encoder of request bodies.
@Suite(.gated)
struct GzipEncoderTests {
  /// Returns bytes that compress badly, deterministic for a seed.
  private func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var generator = SeededGenerator(seed: seed)
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private func collected(_ stream: BodyStream) async throws -> Data {
    let reader = try BodyReader(.stream(stream))
    var bytes = Data()
    while let piece = try await reader.next() { bytes += piece }
    return bytes
  }

  /// Decodes a body as a mock server does.
  private func decoded(_ data: Data) throws -> Data {
    try #require(ContentCoding.decoded(data, codings: ["gzip"]))
  }

  @Test(arguments: [0, 1, 7, 32_767, 32_768, 32_769, 1 << 20, 3_000_001])
  func bytesInMemoryRoundTrip(_ count: Int) throws {
    for data in [noise(count), Data.pattern(count), Data(count: count)] {
      let middle = count / 3
      let pieces = [data.prefix(middle), Data(), data.suffix(from: middle)]
      #expect(try decoded(GzipEncoder.encode([data])) == data)
      #expect(try decoded(GzipEncoder.encode(pieces)) == data)
    }
    let zeros = try GzipEncoder.encode([Data(count: 3_000_001)])
    #expect(zeros.count < 10_000)
  }

  @Test func filesAndStreamsRoundTripAndCanBeReadAgain() async throws {
    let folder = TemporaryFolder()
    let data = noise(700_000) + Data.pattern(500_000)
    try data.write(to: folder.url("body"))
    let pieces = stride(from: 0, to: data.count, by: 50_000).map {
      data.dropFirst($0).prefix(50_000)
    }
    let stream = BodyStream {
      AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
      }
    }
    let bodies: [HTTPBody] = [
      .file(folder.url("body")), .stream(stream),
      .pieces([.data(data.prefix(10)), .file(folder.url("body"))]),
    ]
    for (body, expected) in zip(bodies, [data, data, data.prefix(10) + data]) {
      let compressed = body.compressedStream
      #expect(compressed.length == nil && compressed.isRepeatable)
      let first = try await collected(compressed)
      #expect(try decoded(first) == expected)
      #expect(try await collected(compressed) == first)
    }
  }

  @Test func equalBytesHaveEqualResultsWithoutATime() throws {
    let data = Data.pattern(100_000)
    let result = try GzipEncoder.encode([data])
    #expect(try GzipEncoder.encode([data]) == result)
    #expect(Array(result.prefix(8)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    var checksum = GzipChecksum()
    checksum.add(data.prefix(7))
    checksum.add(data.dropFirst(7))
    #expect(Array(result.suffix(8)) == checksum.trailer)
  }

  @Test func theChecksumIsThatOfThePublishedVector() {
    var checksum = GzipChecksum()
    checksum.add(Data("123456789".utf8))
    #expect(checksum.trailer == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
  }

  @Test func aStreamThatCanBeReadOnceIsNotRepeatable() async throws {
    let once = AsyncStream<Data> { continuation in
      continuation.yield(Data("a".utf8))
      continuation.finish()
    }
    let compressed = HTTPBody.stream(BodyStream(once: once)).compressedStream
    #expect(!compressed.isRepeatable)
    _ = try await collected(compressed)
    let error = await #expect(throws: TransportFailure.self) { try await collected(compressed) }
    #expect(error?.detail.contains("can be sent only once") == true)
  }

  @Test func aFileThatDoesNotExistFailsWithItsReason() async throws {
    let folder = TemporaryFolder()
    let stream = HTTPBody.file(folder.url("none")).compressedStream
    let error = await #expect(throws: TransportFailure.self) { try await collected(stream) }
    #expect(error?.code == .encodingFailed)
    #expect(
      error?.detail
        == "The body cannot be read: the file none cannot be opened: No such file or directory")
  }
}
