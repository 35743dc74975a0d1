import CatenaSystem
import Foundation

/// The events of an exchange that its receiver does not accept yet, in bounded memory.
///
/// The first bytes of the body stay in memory. All further ones go to a file without a name, to which
/// only this process has access. They are written and read on the calling thread. The file is not
/// synchronized, so this usually takes the time of a copy to the page cache.
struct HeldEvents: ~Copyable, Sendable {
  /// The maximum number of bytes in memory; a quarter of them is read from the file at a time.
  var memoryLimit = 1 << 20
  /// The folder of the file, or `nil` for the temporary folder.
  var folder: URL?
  /// The events before the held bytes, with at most one `sent` in a row.
  private(set) var early: [TransportEvent] = []
  private(set) var memory = Data()
  /// The file with the bytes that follow those in memory, or `nil` if there are none.
  private(set) var file: OpenFile?
  /// The positions in the file of the bytes that have not been read.
  private(set) var unread: Range<Int64> = 0..<0
  /// The events after the body.
  private(set) var late: [TransportEvent] = []

  var isEmpty: Bool { early.isEmpty && memory.isEmpty && unread.isEmpty && late.isEmpty }

  /// Adds an event after the others.
  ///
  /// A `sent` event replaces the previous one, and is not held behind bytes of the response.
  ///
  /// - Throws: `FileError` if bytes cannot be written, for example because the disk is full.
  mutating func add(_ event: TransportEvent) throws(FileError) {
    switch event {
    case .body(let bytes) where unread.isEmpty && memory.count + bytes.count <= memoryLimit:
      memory.append(bytes)
    case .body(let bytes): try write(bytes)
    case .trailers, .end, .failure: late.append(event)
    case .connected, .servedLocally, .sent, .head:
      if case .sent = event, case .sent = early.last { early.removeLast() }
      early.append(event)
    }
  }

  private mutating func write(_ bytes: Data) throws(FileError) {
    if unread.isEmpty {
      let folder = folder ?? FileManager.default.temporaryDirectory
      let path = folder.appending(path: PartialFile.newName()).path
      file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, creating: 0o600)
      unlink(path)
    }
    try file?.write(bytes, at: unread.upperBound)
    unread = unread.lowerBound..<(unread.upperBound + Int64(bytes.count))
  }

  /// Removes and returns the next event, or returns `nil` if there is none.
  ///
  /// - Throws: `FileError` if bytes cannot be read.
  mutating func next() throws(FileError) -> TransportEvent? {
    if !early.isEmpty { return early.removeFirst() }
    if !memory.isEmpty {
      defer { memory = Data() }
      return .body(memory)
    }
    let count = min(memoryLimit / 4, unread.count)
    guard let bytes = try file?.read(count, at: unread.lowerBound) else {
      return late.isEmpty ? nil : late.removeFirst()
    }
    guard bytes.count == count else { throw FileError("", "cannot be read", number: nil) }
    unread.removeFirst(count)
    if unread.isEmpty {
      file = nil
      unread = 0..<0
    }
    return .body(bytes)
  }
}
