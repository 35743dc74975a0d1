/// An exclusive lock across threads and processes, released at the end of its lifetime.
///
/// The system releases it if the process dies. Two locks in one process exclude each other too,
/// because each opens the file separately.
package struct FileLock: ~Copyable, Sendable {
  /// The lock file.
  package let file: OpenFile
  /// Whether the file is removed with the lock.
  private let isTemporary: Bool

  /// Acquires the lock, waiting for it if necessary.
  ///
  /// - Parameter path: The path of the lock file, which is created if necessary.
  /// - Throws: ``FileError`` if the file cannot be opened or locked.
  package init(waitingFor path: String) throws(FileError) {
    let file = try Self.open(path)
    _ = try file.lock(waiting: true)
    self.file = file
    isTemporary = false
  }

  /// Acquires the lock, or returns `nil` if it is held at the end of a time limit.
  ///
  /// - Parameters:
  ///   - path: The path of the lock file, which is created if necessary.
  ///   - limit: The time limit. By default it does not wait.
  ///   - isTemporary: Whether the file is removed with the lock. All locks of this file must be
  ///     acquired in this way.
  /// - Throws: ``FileError`` if the file cannot be opened or locked.
  package init?(
    tryLocking path: String, waitingAtMost limit: Duration = .zero, isTemporary: Bool = false
  ) throws(FileError) {
    guard let file = try Self.open(path, waitingAtMost: limit, isTemporary: isTemporary) else {
      return nil
    }
    self.file = file
    self.isTemporary = isTemporary
  }

  deinit {
    if isTemporary { unlink(file.path) }
    file.unlock()
  }

  /// Opens and locks a file, or returns `nil` if it is locked at the end of a time limit.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created if necessary.
  ///   - limit: The time limit.
  ///   - isTemporary: Whether the owner of the lock may remove the file.
  /// - Returns: The file, or `nil` if it is locked.
  /// - Throws: ``FileError`` if the file cannot be opened or locked.
  static func open(
    _ path: String, waitingAtMost limit: Duration, isTemporary: Bool
  ) throws(FileError) -> OpenFile? {
    var file = try open(path)
    while try file.lock(waitingAtMost: limit) {
      // The previous owner may have removed the file after it was opened here.
      guard isTemporary, try !file.isNamed else { return file }
      file = try open(path)
    }
    return nil
  }

  private static func open(_ path: String) throws(FileError) -> OpenFile {
    try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, creating: 0o600)
  }
}
