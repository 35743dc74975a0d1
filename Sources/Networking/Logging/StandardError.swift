#if !canImport(os)
  import Foundation
  import Synchronization

  /// The standard error of this process, written to by one thread at a time.
  enum StandardError {
    private static let turn = Mutex<Void>(())

    /// Writes all of a text, once there is room for it; what nobody can read any more is lost.
    ///
    /// To write into a pipe that nobody reads is a signal, too, by which the process would end. It comes to the thread
    /// that writes, so it is held back there and taken away, unless one was waiting before.
    static func write(_ text: String) {
      turn.withLock { _ in
        var (signals, old, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        guard pthread_sigmask(SIG_BLOCK, &signals, &old) == 0 else { return }
        sigpending(&pending)
        var text = text
        let isBroken = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) == EPIPE }
        if isBroken, sigismember(&pending, SIGPIPE) == 0 {
          var atOnce = timespec()
          while sigtimedwait(&signals, nil, &atOnce) == -1, errno == EINTR {}
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
