import Foundation

#if canImport(os)
  import os
#endif

#if !canImport(os)
  import Synchronization
#endif

/// Writes to stderr or, on Apple's platforms, to the system's log.
///
/// To stderr each line goes with the time at which it happened before it, in UTC. An entry is written at once, and no
/// two entries are mixed, also of two clients. A stderr that is closed, or a pipe whose reader has gone, is no reason for
/// a failure, and raises no `SIGPIPE`: what cannot be written is lost. A pipe that is full, as its reader is slow, is
/// waited for, by the loggers of all clients. No call waits for them, but what there is to log meanwhile is kept in
/// memory, without limit.
///
/// In the system's log the subsystem is `Catena`, and the category that of the entry.
public struct StandardLogger: NetworkLogger {
  /// Makes a logger; all of them write to the same place.
  public init() {}

  /// Writes an entry.
  ///
  /// - Parameter entry: what to write.
  public func log(_ entry: NetworkLogEntry) {
    #if canImport(os)
      let logger = Logger(subsystem: "Catena", category: entry.category.rawValue)
      let type: OSLogType =
        switch entry.level {
        case .none, .verbose: .debug
        case .error: .error
        case .info: .info
        }
      // Public, as the secrets are masked already.
      logger.log(level: type, "\(entry.description, privacy: .public)")
    #else
      StandardError.write(Self.text(entry))
    #endif
  }

  /// Whole lines, each with the time.
  static func text(_ entry: NetworkLogEntry) -> String {
    let time = entry.event.date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true))
    return entry.lines.map { "\(time)Z \($0)\n" }.joined()
  }
}

#if !canImport(os)
  /// The standard error of this process, written to by one thread at a time.
  enum StandardError {
    private static let lock = Mutex<Void>(())

    /// Writes all of a text, once there is room for it; what nobody can read any more is lost.
    ///
    /// To write into a pipe that nobody reads is a signal, too, by which the process would end. It comes to the thread
    /// that writes, so it is held back there and taken away, unless one was waiting before.
    static func write(_ text: String) {
      lock.withLock { _ in
        var (signals, old, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        guard pthread_sigmask(SIG_BLOCK, &signals, &old) == 0 else { return }
        sigpending(&pending)
        var text = text
        let isBroken = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) == EPIPE }
        if isBroken, sigismember(&pending, SIGPIPE) == 0 {
          var zeroTimeout = timespec()
          while sigtimedwait(&signals, nil, &zeroTimeout) == -1, errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &old, nil)
      }
    }

    /// - Returns: the error because of which a part is lost; 0 for none.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
      var rest = bytes
      while !rest.isEmpty {
        let count = Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
          continue
        }
        let error = count == 0 ? ENOSPC : errno
        switch error {
        case EINTR: break
        case EAGAIN:
          // Somebody has said that it does not block; half a line would be worse than to wait.
          var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
          _ = poll(&descriptor, 1, -1)
        default: return error
        }
      }
      return 0
    }
  }
#endif
