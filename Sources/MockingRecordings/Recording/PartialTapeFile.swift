import CatenaSystem
import Foundation
import Networking

/// A file with the exchanges of an unsaved recording, in the folder of the recording, which is locked.
///
/// The lock is a file with the suffix `.lock` beside the recording, which is removed with it. Files of
/// earlier recordings that were not saved are kept: the second file has the suffix `.2.partial`.
///
/// Each exchange is written together with the end of the archive, which the next exchange
/// overwrites. The file is therefore a readable archive after each write, and keeps the exchanges
/// if the process crashes. The cost of appending does not depend on the number of exchanges.
final class PartialTapeFile {
  private static let start = Data(
    #"{"log":{"version":"1.2","creator":{"name":"Catena","version":"1"},"entries":["#.utf8)
  private static let end = Data("\n]}}\n".utf8)

  /// The names of the files of earlier recordings.
  let earlierFiles: [String]
  private let lock: FileLock
  private let file: OpenFile
  /// The position of the end of the archive, or 0 if its start could not be written.
  private var offset = 0
  /// Whether the next exchange is the first one, which is written without a comma before it.
  private var isFirst = true

  /// Locks the recording and creates the file.
  ///
  /// - Parameter file: The file of the recording.
  /// - Throws: ``RecordingError/fileInUse(file:)``, or ``RecordingError/unwritable(file:reason:)`` if a
  ///   file cannot be created.
  init(of file: URL) throws(RecordingError) {
    let folder = file.standardizedFileURL.deletingLastPathComponent()
    let lock: FileLock?
    do throws(FileError) {
      try PartialFile.prepare(file, replacing: true)
      let path = folder.appending(path: "\(file.lastPathComponent).lock").path
      lock = try FileLock(tryLocking: path, isTemporary: true)
    } catch {
      throw .unwritable(file: file, reason: error.cause)
    }
    guard let lock else { throw .fileInUse(file: file) }
    self.lock = lock
    var (earlierFiles, name) = ([String](), "\(file.lastPathComponent).partial")
    while Self.hasExchanges(folder.appending(path: name).path) {
      earlierFiles.append(name)
      name = "\(file.lastPathComponent).\(earlierFiles.count + 1).partial"
    }
    self.earlierFiles = earlierFiles
    let path = folder.appending(path: name).path
    // Creates a new file instead of truncating, because an old file may have another owner or mode.
    unlink(path)
    do throws(FileError) {
      self.file = try OpenFile(creating: path)
    } catch {
      throw .unwritable(file: file, reason: error.cause)
    }
    if write(Self.start + Self.end) { offset = Self.start.count }
  }

  /// Returns whether a file exists and is larger than an archive without exchanges.
  private static func hasExchanges(_ path: String) -> Bool {
    guard let status = try? FileStatus(path), status.isRegular else { return false }
    return Int(status.byteCount) > start.count + end.count
  }

  /// Writes bytes at the position of the end of the archive.
  private func write(_ data: Data) -> Bool { (try? file.write(data, at: Int64(offset))) != nil }

  /// Appends an exchange.
  ///
  /// An exchange that cannot be written is omitted from this file, but not from the saved
  /// recording.
  func append(_ entry: HAR.Entry) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard offset > 0, let data = try? encoder.encode(entry) else { return }
    let addition = Data((isFirst ? "\n" : ",\n").utf8) + data
    guard write(addition + Self.end) else { return }
    offset += addition.count
    isFirst = false
  }

  /// Replaces all exchanges.
  func restart(_ entries: [HAR.Entry]) {
    guard offset > 0, (try? file.truncate(to: 0)) != nil else { return }
    offset = 0
    if write(Self.start + Self.end) { offset = Self.start.count }
    isFirst = true
    for entry in entries { append(entry) }
  }

  /// Removes the file.
  func remove() {
    unlink(file.path)
  }
}
