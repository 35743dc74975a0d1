import Foundation

/// A stretch of a body.
public enum BodyPiece: Sendable, Hashable {
  /// Bytes in memory.
  case data(Data)
  /// The bytes of a file, read as they are sent.
  case file(URL)
}
