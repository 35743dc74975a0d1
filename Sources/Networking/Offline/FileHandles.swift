import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file descriptor that is closed when it goes out of scope, and what can go wrong with one.
///
/// Every error is a ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
/// that says what was being done, with the system's `POSIXError` underneath.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  /// For error messages: the last part of the path.
  private let name: String

  /// Opens a file; a pipe is not waited for.
  ///
  /// - Returns: nil when there is none, or it is a link and `O_NOFOLLOW` is among the flags.
  static func open(_ path: String, _ flags: Int32, creating mode: mode_t = 0) throws -> OpenFile? {
    let name = URL(fileURLWithPath: path).lastPathComponent
    let flags = flags | O_CLOEXEC | O_NONBLOCK
    var descriptor: Int32
    repeat {
      #if canImport(Darwin)
        descriptor = Darwin.open(path, flags, mode)
      #elseif canImport(Musl)
        descriptor = Musl.open(path, flags, mode)
      #else
        descriptor = Glibc.open(path, flags, mode)
      #endif
    } while descriptor < 0 && errno == EINTR
    if descriptor < 0, flags & O_CREAT == 0, errno == ENOENT || errno == ELOOP { return nil }
    guard descriptor >= 0 else { throw error("\(name) cannot be opened") }
    return OpenFile(descriptor: descriptor, name: name)
  }

  private init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit {
    close(descriptor)
  }

  /// Its length in bytes, or nil when it is anything but a plain file.
  var length: Int64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Reads up to `count` bytes from where the last reading ended; fewer only at the end of the file.
  func read(_ count: Int) throws -> Data {
    var data = Data(count: count)
    var length = 0
    while length < count {
      let result = data.withUnsafeMutableBytes { bytes in
        Self.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[length...]))
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw Self.error("\(name) cannot be read") }
      if result == 0 { break }
      length += result
    }
    return data.prefix(length)
  }

  /// Writes all bytes.
  func write(_ data: Data) throws {
    var length = 0
    while length < data.count {
      let result = data.withUnsafeBytes { bytes in
        Self.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[length...]))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else { throw Self.error("\(name) cannot be written") }
      length += result
    }
  }

  /// Has the disk keep what was written, the names in a folder too.
  func synchronize() throws {
    #if canImport(Darwin)
      // There `fsync` leaves the bytes in the drive's own memory.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Self.error("\(name) cannot be kept on the disk") }
  }

  /// What the system says has gone wrong; to be made before any other call that sets `errno`.
  static func error(_ what: String) -> NetworkError {
    let code = errno
    let underlying = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
    return NetworkError(
      .offlineStoreFailed, "\(what): \(String(cString: strerror(code)))", underlying: underlying)
  }

  private static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, bytes.baseAddress, bytes.count)
    #else
      Glibc.read(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// A lock that one holder at a time has, of whatever process; it ends with the holder.
///
/// The system frees it when the process dies, however that happens. Two holders in one process exclude
/// each other too, as each has opened the file for itself.
struct FileLock: ~Copyable {
  private let file: OpenFile

  /// Waits for the lock.
  ///
  /// - Parameter path: the file that stands for it, made when it is not there.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  init(waitingFor path: String) throws {
    let file = try Self.open(path)
    while flock(file.descriptor, LOCK_EX) != 0 {
      if errno != EINTR { throw OpenFile.error("the store cannot be locked") }
    }
    self.file = file
  }

  /// Takes the lock, or returns nil when somebody has it.
  ///
  /// - Parameter path: the file that stands for it, made when it is not there.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  init?(tryLocking path: String) throws {
    let file = try Self.open(path)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { return nil }
      throw OpenFile.error("the store cannot be locked")
    }
    self.file = file
  }

  deinit {
    // Not left to the closing: a child process between fork and exec has the descriptor too.
    flock(file.descriptor, LOCK_UN)
  }

  /// The number kept in the lock's file, 0 when there is none.
  var number: Int {
    var bytes = [UInt8](repeating: 0, count: Self.digits)
    guard pread(file.descriptor, &bytes, bytes.count, 0) == bytes.count else { return 0 }
    return Int(String(decoding: bytes, as: UTF8.self)).map { max(0, $0) } ?? 0
  }

  /// Keeps a number in the lock's file, always in the same bytes of it.
  func writeNumber(_ number: Int) throws {
    let text = String(number)
    let bytes = Array((String(repeating: "0", count: Self.digits - text.count) + text).utf8)
    guard pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw OpenFile.error("the store's number cannot be written")
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
