#if os(Linux)
  import Foundation

  @testable import Networking

  extension FuzzTarget {
    /// The decoder of content codings.
    ///
    /// The first line of the input is the value of `Content-Encoding`; the rest is the body.
    static let contentCodings = FuzzTarget("content-codings") { input in
      let (line, body) = input.firstLine
      let codings = HTTPHeaders([.init(name: "Content-Encoding", value: line)]).contentCodings
      guard !codings.isEmpty else { return }
      Growth.checkLinear(FuzzInput(body)) { bytes in _ = decode([bytes[...]], codings) }
      let whole = decode([body[...]], codings)
      let pieces = decode(FuzzInput(body).pieces(), codings)
      expect(whole.isRejected == pieces.isRejected, "the size of the pieces has no effect")
      guard !whole.isRejected else { return }
      expect(whole == pieces, "the decoded body does not depend on the sizes of the pieces")
      expect(whole.isComplete || !body.isEmpty, "an empty body is complete")
    }

    private struct Decoded: Equatable {
      var body = Data()
      var isRejected = false
      var isComplete = false
    }

    private static func decode(_ pieces: [ArraySlice<UInt8>], _ codings: [Substring]) -> Decoded {
      var decoded = Decoded()
      do {
        // A client delivers a body with an unknown coding as it is.
        guard let decoder = try ContentDecoder(codings) else {
          decoded.isRejected = true
          return decoded
        }
        var received = 0
        for piece in pieces {
          received += piece.count
          try piece.withUnsafeBytes { bytes in
            var input = bytes
            while let piece = try decoder.next(&input) {
              expect(piece.data.count <= 32 << 10, "a piece has at most 32 KiB")
              expect(piece.work > 0 && piece.work < 2 << 20, "the work for a piece is bounded")
              decoded.body += piece.data
              expect(
                decoded.body.count <= max(17 << 20, 1_200 * received), "the output is bounded")
            }
            expect(input.isEmpty || decoder.isComplete, "the decoder stops at the end only")
          }
        }
        decoded.isComplete = decoder.isComplete
      } catch {
        decoded.isRejected = true
      }
      return decoded
    }
  }
#endif
