import CatenaSystem
import Foundation

/// A file descriptor that is closed at the end of its lifetime.
///
/// Every error is a ``NetworkError`` with the code
/// ``NetworkError/Code-swift.enum/offlineStoreFailed``. Its reason names the failed operation, and
/// its underlying error is the system's `POSIXError`.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  private let path: String

  /// Opens a file, without blocking on a pipe.
  ///
  /// - Returns: `nil` if the file does not exist, or if it is a symbolic link and the flags contain
  ///   `O_NOFOLLOW`.
  static func open(_ path: String, _ flags: Int32, creating mode: mode_t = 0) throws -> OpenFile? {
    let flags = flags | O_CLOEXEC | O_NONBLOCK
    var descriptor: Int32
    repeat {
      descriptor = CatenaSystem.open(path, flags, mode)
    } while descriptor < 0 && errno == EINTR
    if descriptor < 0, flags & O_CREAT == 0, errno == ENOENT || errno == ELOOP { return nil }
    guard descriptor != -1 else { throw error(path, "cannot be opened") }
    return OpenFile(descriptor: descriptor, path: path)
  }

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  /// The length in bytes, or `nil` if it is not a regular file.
  var length: Int64? {
    get throws {
      let status = try status
      return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }
  }

  /// The owner, the kind and the size.
  var status: stat {
    get throws {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.error(path, "cannot be examined") }
      return status
    }
  }

  /// Reads up to `count` bytes from the current position; fewer only at the end of the file.
  func read(_ count: Int) throws -> Data {
    var data = Data(count: count)
    var length = 0
    while length < count {
      let result = data.withUnsafeMutableBytes { bytes in
        Self.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[length...]))
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw Self.error(path, "cannot be read") }
      if result == 0 { break }
      length += result
    }
    return data.prefix(length)
  }

  /// Writes all bytes at the current position.
  func write(_ data: Data) throws {
    var length = 0
    while length < data.count {
      let result = data.withUnsafeBytes { bytes in
        Self.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[length...]))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw Self.error(path, "cannot be written") }
      length += result
    }
  }

  /// Returns whether a path still leads to this file.
  func isNamed(_ path: String) throws -> Bool {
    let status = try status
    var named = stat()
    return lstat(path, &named) == 0 && named.st_ino == status.st_ino
      && named.st_dev == status.st_dev
  }

  /// Synchronizes the file, or the names in a folder, to disk.
  func synchronize() throws {
    #if canImport(Darwin)
      // On Darwin `fsync` leaves the bytes in the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Self.error(path, "cannot be synchronized to disk") }
  }

  /// Makes an error from `errno`.
  ///
  /// - Parameter summary: A constant, because a computation could change `errno`.
  /// - Returns: The error.
  static func error(_ summary: StaticString) -> NetworkError { error(errno, "\(summary)") }

  /// Makes an error of a file from `errno`.
  private static func error(_ path: String, _ failure: StaticString) -> NetworkError {
    // `URL` examines the file, which changes `errno`.
    let code = errno
    return error(code, "\(URL(fileURLWithPath: path).lastPathComponent) \(failure)")
  }

  private static func error(_ code: Int32, _ summary: String) -> NetworkError {
    let underlying = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
    return NetworkError(
      .offlineStoreFailed, "\(summary): \(String(cString: strerror(code)))", underlying: underlying)
  }

  private static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    CatenaSystem.read(descriptor, bytes.baseAddress, bytes.count)
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    CatenaSystem.write(descriptor, bytes.baseAddress, bytes.count)
  }
}

extension OpenFile {
  /// Whether the file is this program's own, see ``FileOwner``.
  ///
  /// State such as tokens, cookies, responses and requests is read from such files only.
  var isOwn: Bool {
    get throws { FileOwner.isOwn(try status, at: path) }
  }
}

/// The rule by which a file in a folder that others can write to counts as this program's own.
///
/// It belongs to the user of the process or to root, as for the configuration of ssh. On a disk that does not
/// keep owners, such as exFAT, CIFS, or NFS that maps root to nobody, all files have one owner. There a file is
/// own if it has the owner that a new file of this process gets.
enum FileOwner {
  /// Compares the owner of an open file.
  ///
  /// - Parameters:
  ///   - status: The status of the open file.
  ///   - path: The path. A new file is made beside it, and removed, only if another user owns the file.
  /// - Returns: Whether the file is own.
  static func isOwn(_ status: stat, at path: String) -> Bool {
    isOwn(status.st_uid, of: geteuid()) { ownerOfNewFile(beside: path) }
  }

  /// Compares the owner of a file with the user and with the owner of a new file.
  ///
  /// - Parameters:
  ///   - owner: The owner.
  ///   - user: The user of the process.
  ///   - newFile: Returns the owner of a new file in the same folder, or `nil` if none can be made.
  /// - Returns: Whether the file is own.
  static func isOwn(_ owner: uid_t, of user: uid_t, newFile: () -> uid_t?) -> Bool {
    owner == user || owner == 0 || owner == newFile()
  }

  /// Returns the owner of a new file in the folder of a path, or `nil` if none can be made.
  static func ownerOfNewFile(beside path: String) -> uid_t? {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let path = "\(folder)/.\(UUID().uuidString).owner"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let file = try? OpenFile.open(path, flags, creating: 0o600) else { return nil }
    defer { unlink(path) }
    return try? file.status.st_uid
  }
}

/// An exclusive lock across threads and processes, released at the end of its lifetime.
///
/// The system releases it if the process dies. Two locks in one process exclude each other too,
/// because each opens the file separately.
package struct FileLock: ~Copyable {
  private let file: OpenFile
  /// The path of a lock file that is removed with the lock.
  private var temporaryPath: String?

  /// Acquires the lock, waiting for it if necessary.
  ///
  /// - Parameter path: The path of the lock file, which is created if necessary.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the file cannot be opened or locked.
  package init(waitingFor path: String) throws {
    let file = try Self.open(path)
    while flock(file.descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw OpenFile.error("the store cannot be locked") }
    }
    self.file = file
  }

  /// Acquires the lock, or returns `nil` if it is held.
  ///
  /// - Parameters:
  ///   - path: The path of the lock file, which is created if necessary.
  ///   - isTemporary: Whether the file is removed with the lock. All locks of this file must be
  ///     acquired in this way.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the file cannot be opened or locked.
  package init?(tryLocking path: String, isTemporary: Bool = false) throws {
    var file = try Self.open(path)
    while true {
      guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EWOULDBLOCK { return nil }
        throw OpenFile.error("the store cannot be locked")
      }
      // The previous owner may have removed the file after it was opened here.
      if try !isTemporary || file.isNamed(path) { break }
      file = try Self.open(path)
    }
    self.file = file
    temporaryPath = isTemporary ? path : nil
  }

  /// Acquires the lock, or returns `nil` if it is still held at the end of a time limit.
  ///
  /// - Parameters:
  ///   - path: The path of the lock file, which is created if necessary.
  ///   - limit: The time limit.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the file cannot be opened or locked.
  init?(_ path: String, waitingAtMost limit: Duration) throws {
    let file = try Self.open(path)
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 100
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw OpenFile.error("the store cannot be locked")
      }
      guard ContinuousClock.now < end else { return nil }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    self.file = file
  }

  deinit {
    if let temporaryPath { unlink(temporaryPath) }
    // Closing is not sufficient: a child process between fork and exec also has the descriptor.
    flock(file.descriptor, LOCK_UN)
  }

  /// The number in the lock file, or 0 if there is none.
  var number: Int {
    get throws {
      var bytes = [UInt8](repeating: 0, count: Self.digits)
      var length = 0
      while length < bytes.count {
        let result = bytes.withUnsafeMutableBytes { bytes in
          pread(
            file.descriptor, bytes.baseAddress.map { $0 + length }, bytes.count - length,
            off_t(length))
        }
        if result < 0, errno == EINTR { continue }
        guard result >= 0 else { throw OpenFile.error("the entry number cannot be read") }
        if result == 0 { return 0 }
        length += result
      }
      return Int(String(decoding: bytes, as: UTF8.self)).map { max(0, $0) } ?? 0
    }
  }

  /// Writes a number to the lock file, always in the same bytes.
  func writeNumber(_ number: Int) throws {
    let text = String(number)
    let bytes = Array((String(repeating: "0", count: Self.digits - text.count) + text).utf8)
    var length = 0
    while length < bytes.count {
      let result = bytes.withUnsafeBytes { bytes in
        pwrite(
          file.descriptor, bytes.baseAddress.map { $0 + length }, bytes.count - length,
          off_t(length))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw OpenFile.error("the entry number cannot be written") }
      length += result
    }
  }

  private static let digits = EntryName.digits

  private static func open(_ path: String) throws -> OpenFile {
    guard let file = try OpenFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, creating: 0o600) else {
      throw OpenFile.error("the store cannot be locked")
    }
    return file
  }
}
