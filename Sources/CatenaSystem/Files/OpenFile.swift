import CCatenaSystem
package import Foundation

/// A file descriptor that is closed at the end of its lifetime.
///
/// All errors are of the type ``FileError``. Interrupted calls are repeated.
package struct OpenFile: ~Copyable, Sendable {
  package let descriptor: Int32
  /// The path with which the file was opened, for errors and for ``isOwn``.
  package let path: String

  /// Opens a file or a folder, without blocking on a pipe.
  ///
  /// Child processes do not inherit it.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - flags: The flags of open(2), without `O_CLOEXEC` and `O_NONBLOCK`, which are added.
  ///   - mode: The permissions of a new file, from which the process's mask is removed.
  /// - Throws: ``FileError`` if it does not exist or cannot be opened.
  package init(
    _ path: String, _ flags: Int32 = O_RDONLY, creating mode: mode_t = 0
  ) throws(FileError) {
    try self.init(path: path) { CatenaSystem.open(path, flags | O_CLOEXEC | O_NONBLOCK, mode) }
  }

  /// Opens a file by a call of the system.
  ///
  /// - Parameters:
  ///   - path: The path, for errors and for ``isOwn``.
  ///   - open: The call, which returns the descriptor, or -1 with the reason in `errno`.
  /// - Throws: ``FileError`` if it cannot be opened.
  package init(path: String, _ open: () -> Int32) throws(FileError) {
    var descriptor: Int32
    repeat { descriptor = open() } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw FileError(path, "cannot be opened") }
    self.descriptor = descriptor
    self.path = path
  }

  /// Creates a file to write to.
  ///
  /// Nothing, not even a symbolic link, may exist at its path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - mode: The permissions, from which the process's mask is removed.
  /// - Throws: ``FileError`` if the file cannot be created.
  package init(creating path: String, mode: mode_t = 0o600) throws(FileError) {
    try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, creating: mode)
  }

  /// Opens a file for reading that may be missing.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLinks: Whether the last component may be a symbolic link.
  /// - Returns: `nil` if the file does not exist, or if it is a symbolic link that is not followed.
  /// - Throws: ``FileError`` if it exists and cannot be opened.
  package static func existing(
    _ path: String, followingLinks followsLinks: Bool = false
  ) throws(FileError) -> OpenFile? {
    do throws(FileError) {
      return try OpenFile(path, followsLinks ? O_RDONLY : O_RDONLY | O_NOFOLLOW)
    } catch {
      if error.number == ENOENT || error.number == ELOOP { return nil }
      throw error
    }
  }

  deinit {
    close(descriptor)
  }

  // MARK: Status

  /// The owner, the kind and the size.
  package var status: FileStatus {
    get throws(FileError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileError(path, "cannot be examined") }
      return FileStatus(status)
    }
  }

  /// The length in bytes, or `nil` if it is not a regular file.
  package var length: Int64? {
    get throws(FileError) {
      let status = try status
      return status.isRegular ? status.byteCount : nil
    }
  }

  /// Whether the file is this program's own, see ``FileOwner``.
  ///
  /// State such as tokens, cookies, responses and requests is read from such files only.
  package var isOwn: Bool { get throws(FileError) { FileOwner.isOwn(try status, at: path) } }

  /// Whether the path still leads to this file.
  package var isNamed: Bool {
    get throws(FileError) { try FileStatus(path)?.identity == status.identity }
  }

  /// Sets the time of the last change to now, if it is older than a number of seconds.
  ///
  /// Errors are ignored.
  package func touch(olderThan limit: Int64) {
    guard let modified = try? status.modified, Int64(time(nil)) - modified.seconds > limit else {
      return
    }
    futimens(descriptor, nil)
  }

  // MARK: Contents

  /// Reads up to `count` bytes; fewer only at the end of the file.
  ///
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - position: The position. `nil` reads at the current position, and advances it.
  /// - Returns: The bytes.
  /// - Throws: ``FileError`` if the file cannot be read.
  package func read(_ count: Int, at position: Int64? = nil) throws(FileError) -> Data {
    var data = Data(count: count)
    var length = 0
    while length < count {
      let result = data.withUnsafeMutableBytes { bytes in
        read(
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[length...]),
          at: position.map { $0 + Int64(length) })
      }
      guard result >= 0 else { throw FileError(path, "cannot be read") }
      if result == 0 { break }
      length += result
    }
    return data.prefix(length)
  }

  /// Reads the file from the current position to its end, in pieces.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of bytes.
  ///   - consume: A closure that receives each piece.
  /// - Returns: The number of bytes and their checksum, or `nil` if there are more than the limit.
  /// - Throws: The error of the closure, or ``FileError`` if the file cannot be read.
  package func readAll(
    limit: Int64 = .max, _ consume: (_ piece: Data) throws -> Void = { _ in }
  ) throws -> ContentSummary? {
    var checksum = Checksum()
    var byteCount: Int64 = 0
    let size = 256 << 10
    var piece: Data
    repeat {
      piece = try read(size)
      byteCount += Int64(piece.count)
      if byteCount > limit { return nil }
      if piece.isEmpty { break }
      checksum.add(piece)
      try consume(piece)
    } while piece.count == size
    return ContentSummary(byteCount: byteCount, checksum: checksum.text)
  }

  /// Reads bytes by one call.
  ///
  /// - Parameters:
  ///   - buffer: The buffer.
  ///   - position: The position. `nil` reads at the current position, and advances it.
  /// - Returns: The number of bytes, 0 at the end, or -1 with the reason in `errno`.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at position: Int64? = nil
  ) -> Int {
    repeat {
      let count =
        if let position {
          pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
        } else {
          CatenaSystem.read(descriptor, buffer.baseAddress, buffer.count)
        }
      if count >= 0 { return count }
    } while errno == EINTR
    return -1
  }

  /// Reads bytes that are in memory by one call, which does not wait for a device.
  ///
  /// - Parameters:
  ///   - buffer: The buffer.
  ///   - position: The position.
  /// - Returns: The number of bytes, 0 at the end, or -1 if the first byte is not in memory, or if
  ///   that cannot be known.
  package func readCached(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) -> Int {
    Int(catena_read_cached(descriptor, buffer.baseAddress, buffer.count, position))
  }

  /// Writes all bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - position: The position. `nil` writes at the current position, and advances it.
  /// - Throws: ``FileError`` if not all bytes can be written.
  package func write(_ data: Data, at position: Int64? = nil) throws(FileError) {
    let isWritten = data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let buffer = UnsafeRawBufferPointer(rebasing: rest)
        let count =
          if let position {
            pwrite(
              descriptor, buffer.baseAddress, buffer.count, off_t(position) + off_t(rest.startIndex)
            )
          } else {
            CatenaSystem.write(descriptor, buffer.baseAddress, buffer.count)
          }
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    guard isWritten else { throw FileError(path, "cannot be written") }
  }

  /// Shortens or extends the file.
  package func truncate(to length: Int64) throws(FileError) {
    while ftruncate(descriptor, off_t(length)) != 0 {
      if errno != EINTR { throw FileError(path, "cannot be truncated") }
    }
  }

  /// Synchronizes the file, or the names in a folder, to disk.
  package func synchronize() throws(FileError) {
    #if canImport(Darwin)
      // On Darwin `fsync` leaves the bytes in the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw FileError(path, "cannot be synchronized to disk") }
  }

  // MARK: Locks

  /// Acquires the exclusive lock of the file, across threads and processes.
  ///
  /// - Parameter waits: Whether to wait for the lock.
  /// - Returns: Whether it has been acquired. `false` if it is held.
  /// - Throws: ``FileError`` if the file cannot be locked.
  package func lock(waiting waits: Bool = false) throws(FileError) -> Bool {
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileError(path, "cannot be locked") }
    }
    return true
  }

  /// Acquires the exclusive lock of the file, if it becomes free within a time limit.
  ///
  /// - Parameter limit: The time limit.
  /// - Returns: Whether it has been acquired.
  /// - Throws: ``FileError`` if the file cannot be locked.
  package func lock(waitingAtMost limit: Duration) throws(FileError) -> Bool {
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 100
    while try !lock() {
      guard ContinuousClock.now < end else { return false }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    return true
  }

  /// Releases the lock of the file.
  ///
  /// Closing is not sufficient: a child process between fork and exec also has the descriptor.
  package func unlock() { flock(descriptor, LOCK_UN) }
}
