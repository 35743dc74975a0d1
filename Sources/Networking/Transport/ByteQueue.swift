import Foundation

/// Pieces of bytes, first in, first out.
struct ByteQueue {
  private var pieces: [Data] = []
  /// The pieces before it have been taken.
  private var first = 0
  /// How many bytes of the first piece have been taken.
  private var offset = 0
  /// How many bytes there are.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ piece: Data) {
    guard !piece.isEmpty else { return }
    pieces.append(piece)
    count += piece.count
  }

  /// Takes out the first piece, or what is left of it.
  mutating func popFirst() -> Data? {
    guard first < pieces.count else { return nil }
    let piece = pieces[first].dropFirst(offset)
    count -= piece.count
    leavePiece()
    return piece
  }

  /// Takes out the first bytes, as many as there are and fit.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count, first < pieces.count {
      let piece = pieces[first].dropFirst(offset)
      let taken = min(piece.count, buffer.count - filled)
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + taken)])
      piece.prefix(taken).copyBytes(to: room)
      filled += taken
      offset += taken
      if taken == piece.count { leavePiece() }
    }
    count -= filled
    return filled
  }

  private mutating func leavePiece() {
    pieces[first] = Data()
    first += 1
    offset = 0
    // Moved together once half of the places are empty, so that taking out costs the same on average.
    if first * 2 >= pieces.count {
      pieces.removeFirst(first)
      first = 0
    }
  }
}
