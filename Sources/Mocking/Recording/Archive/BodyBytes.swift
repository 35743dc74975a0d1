import Foundation
import Networking

/// The bytes of a request's body, without taking them from whoever sends them.
enum BodyBytes {
  /// Reads a body.
  ///
  /// - Returns: nil when it is beyond the limit, cannot be read, or can be read but once.
  static func read(_ body: HTTPBody, limit: Int) -> Data? {
    if case .data(let data) = body { return data.count <= limit ? data : nil }
    let pieces = body.allPieces
    guard !pieces.isEmpty else { return nil }
    var bytes = Data()
    for piece in pieces {
      switch piece {
      case .data(let data):
        guard bytes.count + data.count <= limit else { return nil }
        bytes += data
      case .file(let file):
        guard let data = contents(of: file, limit: limit - bytes.count) else { return nil }
        bytes += data
      }
    }
    return bytes
  }

  private static func contents(of file: URL, limit: Int) -> Data? {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
    defer { try? handle.close() }
    // One byte more than is allowed tells whether there is more.
    var bytes = Data()
    while bytes.count <= limit {
      guard let more = try? handle.read(upToCount: min(limit + 1 - bytes.count, 1 << 16)) else {
        break
      }
      guard !more.isEmpty else { break }
      bytes += more
    }
    return bytes.count <= limit ? bytes : nil
  }
}
