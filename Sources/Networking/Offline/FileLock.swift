import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
  init?(taking path: String) throws {
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
  func keep(_ number: Int) throws {
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
