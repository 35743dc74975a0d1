import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The exchanges of a recording that is not saved yet, in a file beside it.
///
/// Each is added by one write, which leaves an archive that can be read; so what was added is there
/// whatever becomes of the process. It costs the same however many there are.
final class TapeDraft {
  private static let start = Data(
    #"{"log":{"version":"1.2","creator":{"name":"Catena","version":"1"},"entries":["#.utf8)
  private static let end = Data("\n]}}\n".utf8)

  private let path: String
  private let descriptor: Int32
  private var offset = 0
  private var isFirst = true

  init(of file: URL) throws(RecordingError) {
    let folder = try ArchiveFile.makeFolder(of: file)
    path = folder.appending(path: file.lastPathComponent + ".partial").path
    // What an earlier recording has left is not this one's, nor are its owner and mode.
    unlink(path)
    descriptor = try ArchiveFile.create(path, for: file)
    if ArchiveFile.writeAll(Self.start + Self.end, to: descriptor, at: 0) {
      offset = Self.start.count
    }
  }

  deinit {
    close(descriptor)
  }

  /// Adds an exchange; one that cannot be written is left out, and saved all the same in the end.
  func append(_ entry: HAR.Entry) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard offset > 0, let data = try? encoder.encode(entry) else { return }
    let addition = Data((isFirst ? "\n" : ",\n").utf8) + data
    guard ArchiveFile.writeAll(addition + Self.end, to: descriptor, at: offset) else { return }
    offset += addition.count
    isFirst = false
  }

  /// Begins again with other exchanges.
  func restart(_ entries: [HAR.Entry]) {
    guard offset > 0, ftruncate(descriptor, 0) == 0 else { return }
    offset =
      ArchiveFile.writeAll(Self.start + Self.end, to: descriptor, at: 0) ? Self.start.count : 0
    isFirst = true
    for entry in entries { append(entry) }
  }

  /// Removes the file.
  func remove() {
    unlink(path)
  }
}
