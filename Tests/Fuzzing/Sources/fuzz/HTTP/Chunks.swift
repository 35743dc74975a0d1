import Foundation

@testable import Mocking
@testable import Networking

extension FuzzTarget {
  /// The decoder of the chunked transfer coding.
  ///
  /// The input is a chunked body with its trailers.
  static let chunks = FuzzTarget("chunks") { input in
    let whole = ChunkReader.read([input.bytes[...]])
    expect(whole == ChunkReader.read(input.pieces()), "the size of the pieces has no effect")
    expect(whole.body.count <= input.bytes.count, "the coding never makes a body shorter")
    // Any bytes are decoded from the chunks that they are sent in.
    var written: [UInt8] = []
    for piece in input.pieces() {
      written += Array("\(String(piece.count, radix: 16));a=b\r\n".utf8) + piece
      written += Array("\r\n".utf8)
    }
    let read = ChunkReader.read([ArraySlice(written + Array("0\r\nA: b\r\n\r\n".utf8))])
    expect(read.body == input.bytes, "a chunked body is decoded to the same bytes")
    expect(read.outcome == .complete(["A"]) && read.rest == 0, "the end of the body is found")
    Growth.checkLinear(input) { bytes in
      _ = ChunkReader.read([bytes[...]])
    }
  }
}

/// A driver of the decoder.
private enum ChunkReader {
  enum Outcome: Equatable {
    case incomplete
    /// The body has ended, with trailers of these names.
    case complete([String])
    case failed(HTTPParseError)
  }

  struct Result: Equatable {
    var body: [UInt8] = []
    var outcome = Outcome.incomplete
    /// The number of bytes after the end of the body.
    var rest = 0
  }

  static func read(_ pieces: [ArraySlice<UInt8>]) -> Result {
    var decoder = ChunkedDecoder(limits: MockServerLimits())
    var input = InputBuffer()
    var result = Result()
    for piece in pieces {
      piece.withUnsafeBytes { input.append($0) }
      guard result.outcome == .incomplete else { continue }
      do throws(HTTPParseError) {
        let isComplete = try decoder.decode(&input) { (piece) throws(HTTPParseError) in
          expect(!piece.isEmpty, "no piece is empty")
          result.body += piece
        }
        if isComplete { result.outcome = .complete(decoder.trailers.map(\.name)) }
      } catch {
        result.outcome = .failed(error)
      }
    }
    if case .complete = result.outcome { result.rest = input.count }
    return result
  }
}
