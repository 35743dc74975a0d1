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
    var file = try Self.open(path)
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 100
    while true {
      if try file.lock() {
        // The previous owner may have removed the file after it was opened here.
        guard isTemporary, try !file.isNamed else { break }
        file = try Self.open(path)
      } else {
        guard ContinuousClock.now < end else { return nil }
        usleep(pause)
        pause = min(pause * 2, 10_000)
      }
    }
    self.file = file
    self.isTemporary = isTemporary
  }

  deinit {
    if isTemporary { unlink(file.path) }
    file.unlock()
  }

  private static func open(_ path: String) throws(FileError) -> OpenFile {
    try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, creating: 0o600)
  }
}
