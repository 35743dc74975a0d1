import Foundation
import Networking
import TestSupport

// Transfers one large body and prints the memory that it needs.
//
//     large-bodies down-file URL FILE     large-bodies up-file URL FILE
//     large-bodies down-stream URL        large-bodies up-stream URL BYTES
//
// The output is the size of the body in bytes, the growth of the peak resident memory in KiB, and the
// time in seconds.
enum LargeBodies {
  private static func upload(_ request: Request) async throws -> Int64 {
    try await Networking.shared.request(request).validate().value.metrics.bytesSent
  }

  static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 3 else {
      print("usage: large-bodies down-file|down-stream|up-file|up-stream URL [FILE|BYTES]")
      exit(2)
    }
    let url = RequestPath(raw: arguments[2])
    let last = arguments.last ?? ""

    // A small exchange first, so that memory that every client needs is not counted.
    _ = try await Networking.shared.request(.head(url)).value
    let before = ProcessResources.peakKibibytes
    let start = ContinuousClock.now
    var bytes: Int64 = 0
    do {
      switch arguments[1] {
      case "down-file":
        let response = try await Networking.shared.download(
          .get(url), to: URL(fileURLWithPath: last)
        ).validate().value
        bytes = response.metrics.bytesReceived
      case "down-stream":
        let response = try await Networking.shared.stream(.get(url)).validate().value
        var count: Int64 = 0
        for try await piece in response.bytes { count += Int64(piece.count) }
        bytes = count
      case "up-file":
        bytes = try await upload(
          .upload(file: URL(fileURLWithPath: last), to: url, method: .put))
      case "up-stream":
        let piece = Data(count: 64 << 10)
        let pieces = (Int(last) ?? 0) / piece.count
        bytes = try await upload(
          .upload(
            stream: BodyStream {
              Repeated(piece: piece, count: pieces)
            }, to: url, method: .put))
      default: exit(2)
      }
    } catch {
      print(error)
      exit(1)
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print(bytes, ProcessResources.peakKibibytes - before, seconds)
  }
}

/// A sequence that repeats one piece of data.
private struct Repeated: AsyncSequence, AsyncIteratorProtocol {
  let piece: Data
  var count: Int

  func makeAsyncIterator() -> Repeated { self }

  mutating func next() async -> Data? {
    guard count > 0 else { return nil }
    count -= 1
    return piece
  }
}
