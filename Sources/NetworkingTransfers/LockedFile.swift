import CatenaSystem
import Foundation
import Networking
import Synchronization

/// An open file with an exclusive lock across threads and processes.
///
/// The lock is that of the file itself, so that no lock file remains. A file that was renamed or
/// removed by the owner of the lock is not the one at the path any more; it is then opened again. The
/// system releases the lock if the process dies. A file of another user, as ``FileOwner`` tells, is
/// replaced by a new one.
final class LockedFile: Sendable {
  private let descriptor: Int32
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
      // `O_NONBLOCK`, because opening a named pipe would wait for its writer.
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      let descriptor = open(path, isExclusive ? flags | O_EXCL : flags, mode)
      guard descriptor >= 0 else {
        guard isExclusive, !isNew, errno == EEXIST else { throw Self.error(.fileNotWritten) }
        // Another process has created the file after this one has removed it.
        isExclusive = false
        continue
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let error =
          errno == EWOULDBLOCK
          ? NetworkError(.transferInProgress, "its partial file is locked")
          : Self.error(.fileNotWritten)
        Foundation.close(descriptor)
        throw error
      }
      var (opened, named) = (stat(), stat())
      let isSame =
        fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
        && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
      let isRegular = opened.st_mode & S_IFMT == S_IFREG
      // A new file is own, also on a disk that does not keep owners.
      if isSame, isRegular, isExclusive || FileOwner.isOwn(opened, at: path) {
        self.descriptor = descriptor
        return
      }
      var failure: NetworkError?
      if isSame {
        if !isRegular {
          failure = NetworkError(.fileNotWritten, "its partial file is not a regular file")
        } else if unlink(path) != 0 {
          failure = Self.error(.fileNotWritten)
        }
        isExclusive = true
      }
      flock(descriptor, LOCK_UN)
      Foundation.close(descriptor)
      if let failure { throw failure }
    }
    throw NetworkError(.transferInProgress, "its partial file is replaced again and again")
  }

  deinit {
    unlock()
    Foundation.close(descriptor)
  }

  /// Releases the lock.
  ///
  /// Closing is not sufficient: a child process between fork and exec also has the descriptor.
  func unlock() {
    if isLocked.exchange(false, ordering: .relaxed) { flock(descriptor, LOCK_UN) }
  }

  /// The length in bytes.
  var length: Int64 { get throws { Int64(try status.st_size) } }

  /// The number by which the file system knows the file, whatever its name.
  var number: UInt64 { get throws { UInt64(try status.st_ino) } }

  /// Whether the file has a second name, a hard link.
  var hasOtherName: Bool { get throws { try status.st_nlink > 1 } }

  private var status: stat {
    get throws {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.error(.fileNotWritten) }
      return status
    }
  }

  /// Replaces the file at a path by a new one in one step.
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
    guard unlink(new) == 0 || errno == ENOENT else { throw Self.error(.fileNotWritten) }
    let file = try LockedFile(new, creating: try status.st_mode & 0o666, isNew: true)
    do {
      var position: Int64 = 0
      while isCopied {
        let bytes = try read(1 << 20, at: position)
        if bytes.isEmpty { break }
        try file.write(bytes, at: position)
        position += Int64(bytes.count)
      }
      guard rename(new, path) == 0 else { throw Self.error(.fileNotWritten) }
    } catch {
      unlink(new)
      throw error
    }
    return file
  }

  func truncate(to length: Int64) throws {
    while ftruncate(descriptor, off_t(length)) != 0 {
      if errno != EINTR { throw Self.error(.fileNotWritten) }
    }
  }

  /// Writes all bytes at a position.
  func write(_ data: Data, at position: Int64) throws {
    let failure = data.withUnsafeBytes { bytes -> NetworkError? in
      var written = 0
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = pwrite(
          descriptor, rest.baseAddress, rest.count, off_t(position) + off_t(written))
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return Self.error(.fileNotWritten) }
        written += count
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Reads bytes at a position; fewer only at the end of the file.
  func read(_ count: Int, at position: Int64) throws -> Data {
    try Self.read(count, at: position, from: descriptor, .fileNotWritten)
  }

  /// Synchronizes the bytes to disk.
  func synchronize() throws {
    #if canImport(Darwin)
      // On Darwin `fsync` leaves the bytes in the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Self.error(.fileNotWritten) }
  }

  /// Reads bytes of any open file.
  static func read(
    _ count: Int, at position: Int64, from descriptor: Int32, _ code: NetworkError.Code
  ) throws -> Data {
    var data = Data(count: count)
    var length = 0
    while length < count {
      let result = data.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
        return pread(descriptor, rest.baseAddress, rest.count, off_t(position) + off_t(length))
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw error(code) }
      if result == 0 { break }
      length += result
    }
    return data.prefix(length)
  }

  /// Makes an error from `errno`, before any other call can change it.
  static func error(_ code: NetworkError.Code) -> NetworkError {
    NetworkError(code, String(cString: strerror(errno)))
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
    var checksum = Checksum()
    Array(text.utf8).withUnsafeBytes { checksum.add($0) }
    return checksum.text
  }

  /// Returns the state in a file.
  ///
  /// - Returns: The state. `nil` if there is no file, or one that is not a state or that belongs to
  ///   another user.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten` if the file cannot be read now.
  static func read<Content: Decodable>(_ type: Content.Type, from path: String) throws -> Content? {
    do {
      guard let file = try OpenFile.open(path, O_RDONLY | O_NOFOLLOW), try file.isOwn,
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
