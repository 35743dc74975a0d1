import CatenaSystem

/// The threads of this process that have work to do, or wait for a processor to do it.
///
/// On a busy machine, a thread with work may wait for tens of milliseconds.
enum RunnableThreads {
  /// Whether another thread than the current one can run.
  ///
  /// `false` on platforms other than Linux.
  static var exist: Bool {
    #if os(Linux) || os(Android)
      guard let folder = opendir("/proc/self/task") else { return false }
      defer { closedir(folder) }
      // The current thread is one of them.
      var count = 0
      while count < 2, let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.first != ".", state(of: name) == UInt8(ascii: "R") { count += 1 }
      }
      return count == 2
    #else
      return false
    #endif
  }

  #if os(Linux) || os(Android)
    /// Returns the state of a thread, which follows its name in parentheses, or `nil` if it has ended.
    ///
    /// Source: the manual page proc_pid_stat(5), field 3.
    private static func state(of thread: String) -> UInt8? {
      let descriptor = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer[..<count]
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.endIndex else {
          return nil
        }
        return bytes[end + 2]
      }
    }
  #endif
}
