import CatenaSystem
import Foundation
import Networking

/// An open file of this user, which a transfer with a lease reads and writes.
///
/// A file of another user, as ``FileOwner`` tells, is replaced by a new one.
final class OwnFile: Sendable {
  private let file: OpenFile

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path. The file is created if there is none.
  ///   - mode: The permissions of a new file.
  ///   - isNew: Whether the file must not exist.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten`.
  init(_ path: String, creating mode: mode_t, isNew: Bool = false) throws {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW
    file = try NetworkError.reporting(.fileNotWritten) {
      let found = try OpenFile(path, isNew ? flags | O_EXCL : flags, creating: mode)
      let status = try found.status
      guard status.isRegular else {
        throw NetworkError(.fileNotWritten, "its partial file is not a regular file")
      }
      if isNew || FileOwner.isOwn(status, at: path) { return found }
      guard unlink(path) == 0 else { throw FileError(path, "cannot be removed") }
      // A new file is own, also on a disk that does not keep owners.
      return try OpenFile(path, flags | O_EXCL, creating: mode)
    }
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
  /// - Returns: The new file, with the permissions of this one at most.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten`. This file is then unchanged.
  func replaced(at path: String, copying isCopied: Bool) throws -> OwnFile {
    let new = "\(path).new"
    let mode = try status.permissions
    return try NetworkError.reporting(.fileNotWritten) {
      // A folder of another program is not removed.
      guard unlink(new) == 0 || errno == ENOENT else { throw FileError(new, "cannot be removed") }
      let copy = try OwnFile(new, creating: mode, isNew: true)
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

extension FileLease {
  /// Takes the lease of a transfer.
  ///
  /// - Throws: ``NetworkError`` with the code `transferInProgress` if another transfer has it, or
  ///   `fileNotWritten`.
  static func ofTransfer(_ path: String) throws -> FileLease {
    let lease = try NetworkError.reporting(.fileNotWritten) { try FileLease(taking: path) }
    guard let lease else {
      throw NetworkError(.transferInProgress, "another transfer has its partial file")
    }
    return lease
  }

  /// Changes the files of a transfer.
  ///
  /// - Throws: ``NetworkError`` with the code `transferInProgress` if another process has taken over the
  ///   lease, or `fileNotWritten`; the error of the change.
  func changeTransfer(_ body: () throws -> Void) throws {
    do {
      try NetworkError.reporting(.fileNotWritten) { try change(body) }
    } catch is Lost {
      throw NetworkError(.transferInProgress, "another process has taken over the transfer")
    }
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
