import CatenaSystem
import Foundation
import Networking

/// An open file with an exclusive lock across threads and processes.
///
/// The lock is that of the file itself, so that no lock file remains. A file that was renamed or
/// removed by the owner of the lock is not the one at the path any more; it is then opened again. The
/// system releases the lock if the process dies. A file of another user, as ``FileOwner`` tells, is
/// replaced by a new one.
final class LockedFile: Sendable {
  private let file: OpenFile
  private let isLocked = Atomic(true)

  /// Opens and locks a file, without waiting.
  ///
  /// - Parameters:
  ///   - path: The path. The file is created if there is none.
  ///   - mode: The permissions of a new file.
  ///   - isNew: Whether the file must not exist.
  /// - Throws: ``NetworkError`` with the code `transferInProgress` if the lock is held, or
  ///   `fileNotWritten`.
  init(_ path: String, creating mode: mode_t, isNew: Bool = false) throws {
    var isExclusive = isNew
    // Bounded, because each round means that another transfer has ended in the meantime.
    for _ in 0..<100 {
      let found = try NetworkError.reporting(.fileNotWritten) {
        try Self.open(path, creating: mode, isNew: isNew, &isExclusive)
      }
      if let found {
        file = found
        return
      }
    }
    throw NetworkError(.transferInProgress, "its partial file is replaced again and again")
  }

  /// Opens and locks a file, or returns `nil` if it must be opened again, because it was replaced or
  /// removed.
  private static func open(
    _ path: String, creating mode: mode_t, isNew: Bool, _ isExclusive: inout Bool
  ) throws -> OpenFile? {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW
    let file: OpenFile
    do throws(FileError) {
      file = try OpenFile(path, isExclusive ? flags | O_EXCL : flags, creating: mode)
    } catch {
      guard isExclusive, !isNew, error.number == EEXIST else { throw error }
      // Another process has created the file after this one has removed it.
      isExclusive = false
      return nil
    }
    guard try file.lock() else {
      throw NetworkError(.transferInProgress, "its partial file is locked")
    }
    guard try file.isNamed else {
      file.unlock()
      return nil
    }
    let status = try file.status
    guard status.isRegular else {
      file.unlock()
      throw NetworkError(.fileNotWritten, "its partial file is not a regular file")
    }
    // A new file is own, also on a disk that does not keep owners.
    if isExclusive || FileOwner.isOwn(status, at: path) { return file }
    isExclusive = true
    let error = unlink(path) == 0 ? nil : FileError(path, "cannot be removed")
    file.unlock()
    if let error { throw error }
    return nil
  }

  deinit {
    unlock()
  }

  /// Releases the lock.
  ///
  /// Closing is not sufficient: a child process between fork and exec also has the descriptor.
  func unlock() {
    if isLocked.exchange(false, ordering: .relaxed) { file.unlock() }
  }

  /// The kind, the size and the names of the file.
  var status: FileStatus {
    get throws { try NetworkError.reporting(.fileNotWritten) { try file.status } }
  }

  /// Replaces the file by a new one in one step.
  ///
  /// Its other names keep this file.
  ///
  /// - Parameters:
  ///   - path: The path of this file.
  ///   - isCopied: Whether the new file has the bytes of this one. Otherwise it is empty.
  /// - Returns: The new file, with a lock and with the permissions of this one at most.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten`. This file is then unchanged.
  func replaced(at path: String, copying isCopied: Bool) throws -> LockedFile {
    let new = "\(path).new"
    let mode = try status.permissions
    return try NetworkError.reporting(.fileNotWritten) {
      // A folder of another program is not removed.
      guard unlink(new) == 0 || errno == ENOENT else { throw FileError(new, "cannot be removed") }
      let copy = try LockedFile(new, creating: mode, isNew: true)
      do {
        var position: Int64 = 0
        while isCopied, case let bytes = try read(1 << 20, at: position), !bytes.isEmpty {
          try copy.write(bytes, at: position)
          position += Int64(bytes.count)
        }
        try FileSystem().move(new, to: path)
      } catch {
        unlink(new)
        throw error
      }
      return copy
    }
  }

  func truncate(to length: Int64) throws {
    try NetworkError.reporting(.fileNotWritten) { try file.truncate(to: length) }
  }

  /// Writes all bytes at a position.
  func write(_ data: Data, at position: Int64) throws {
    try NetworkError.reporting(.fileNotWritten) { try file.write(data, at: position) }
  }

  /// Reads bytes at a position; fewer only at the end of the file.
  func read(_ count: Int, at position: Int64) throws -> Data {
    try NetworkError.reporting(.fileNotWritten) { try file.read(count, at: position) }
  }

  /// Synchronizes the bytes to disk.
  func synchronize() throws {
    try NetworkError.reporting(.fileNotWritten) { try file.synchronize() }
  }
}

/// The hidden files of resumable transfers: their names, and their states in JSON.
enum HiddenFile {
  /// The maximum number of bytes of a state.
  private static let maximumLength: Int64 = 1 << 20

  /// Returns the path of a hidden file beside a file.
  ///
  /// A name that would be too long is shortened, and has a checksum.
  static func path(beside file: URL, _ suffix: String) -> String {
    let name = file.lastPathComponent
    let room = FileName.maximumLength - suffix.utf8.count - ".json.new".utf8.count - 2
    var shortened = name
    if name.utf8.count > room {
      shortened = FileName.shortened(name, to: room - 17) + "-" + checksum(name)
    }
    return file.deletingLastPathComponent().appending(path: ".\(shortened).\(suffix)").path
  }

  /// Returns a checksum of a text, which does not reveal it.
  static func checksum(_ text: String) -> String {
    Checksum(text.utf8).text
  }

  /// Returns the state in a file.
  ///
  /// - Returns: The state. `nil` if there is no file, or one that is not a state or that belongs to
  ///   another user.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten` if the file cannot be read now.
  static func read<Content: Decodable>(_ type: Content.Type, from path: String) throws -> Content? {
    do {
      guard let file = try OpenFile.existing(path), try file.isOwn,
        let length = try file.length, length <= maximumLength
      else { return nil }
      let data = try file.read(Int(length))
      return try? JSONDecoder().decode(type, from: data)
    } catch {
      throw NetworkError(
        .fileNotWritten, "the state of the transfer cannot be read", underlying: error)
    }
  }

  /// Writes a state, readable by its owner only, which replaces the earlier one in one step.
  ///
  /// It is not synchronized to disk: after a failure of power the state may be lost.
  static func write(_ content: some Encodable, to path: String) throws {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try FileSystem().replace(path, with: try encoder.encode(content), isDurable: false)
    } catch {
      throw NetworkError(
        .fileNotWritten, "the state of the transfer cannot be written", underlying: error)
    }
  }

  /// Removes a state, and the rest of an interrupted replacement.
  static func remove(_ path: String) {
    unlink(path)
    unlink("\(path).new")
  }
}
