#if os(Linux)
  import Foundation
  import Networking

  /// How many bytes came, and whether they count up from 0 to 255, again and again, as a mock's of
  /// `.bytes` do; nothing of them is kept.
  struct CountedBytes {
    private(set) var count = 0
    private(set) var isInOrder = true

    mutating func take(_ piece: Data) {
      let shift = count & 0xFF
      isInOrder =
        isInOrder
        && piece.withUnsafeBytes { bytes in
          // Looked at in a few places of each piece: as many bytes as there are would take minutes.
          stride(from: 0, to: bytes.count, by: 4_093).allSatisfy {
            bytes[$0] == UInt8(truncatingIfNeeded: shift + $0)
          }
        }
      count += piece.count
    }

    /// The same bytes as a body that is made as it is sent, in pieces of 64 KiB.
    static func stream(_ count: Int, tellsLength: Bool) -> BodyStream {
      let piece = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0) })
      return BodyStream(length: tellsLength ? Int64(count) : nil) {
        Pieces(piece: piece, remaining: count)
      }
    }

    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
      let piece: Data
      var remaining: Int

      func makeAsyncIterator() -> Pieces { self }

      mutating func next() async -> Data? {
        guard remaining > 0 else { return nil }
        let next = piece.prefix(remaining)
        remaining -= next.count
        return next
      }
    }
  }
#endif
