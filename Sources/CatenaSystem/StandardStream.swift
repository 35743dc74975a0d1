package import Dispatch

/// The standard output or the standard error of this process, for lines of any thread.
///
/// Everything that this package prints passes this type. A write neither traps nor raises `SIGPIPE`:
///
/// - If the stream is closed, full or read-only, or is a pipe without a reader, the text is lost.
/// - If nobody reads a full pipe, a write waits until its limit and discards the text. Further writes do
///   not wait until the stream accepts a text again, after a line with the number of discarded ones.
/// - If another file has taken the number of the closed stream, nothing is written into it. It is
///   recognized by its flag `FD_CLOEXEC`, which no inherited stream has, and no file of `dup2`.
///
/// One thread at a time writes, so that the texts do not interleave.
package final class StandardStream: Sendable {
  /// The standard output.
  package static let output = StandardStream(STDOUT_FILENO)
  /// The standard error.
  package static let error = StandardStream(STDERR_FILENO)

  private struct State {
    /// The number of texts that were discarded since the last one that was written.
    var discardedCount = 0
    /// Whether the last text was written in part, without the end of its line.
    var hasOpenLine = false

    /// The text before the next one.
    var prefix: String {
      let end = hasOpenLine ? "\n" : ""
      guard discardedCount > 0 else { return end }
      let count = discardedCount == 1 ? "1 line" : "\(discardedCount) lines"
      return "\(end)(\(count) left out: the output was not read in time)\n"
    }
  }

  private let descriptor: Int32
  // Held during a write. The wait for it has a limit, unlike the wait for a `Mutex`.
  private let turn = DispatchSemaphore(value: 1)
  private let state = Mutex(State())

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a text, which ends with a line break.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The longest time to wait while nobody reads. After a text was discarded, only `.never`
  ///     waits, until a text is written again.
  /// - Returns: Whether the system has accepted the whole text.
  @discardableResult
  package func write(
    _ text: String, waitingAtMost limit: DispatchTimeInterval = .seconds(1)
  ) -> Bool {
    let waits = limit == .never || state.withLock { $0.discardedCount == 0 }
    let deadline = waits ? DispatchTime.now() + limit : .now()
    guard turn.wait(timeout: deadline) == .success else {
      state.withLock { $0.discardedCount += 1 }
      return false
    }
    defer { turn.signal() }
    // No flags if the stream is open and is no other file.
    guard fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 else { return false }
    let (prefix, count) = state.withLock { ($0.prefix, $0.discardedCount) }
    var text = prefix + text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      let (rest, isInTime) = withoutPipeSignal { writeAll(bytes, until: deadline) }
      state.withLock { state in
        state.discardedCount += isInTime ? -count : 1
        guard rest.count < bytes.count else { return }
        state.hasOpenLine = !rest.isEmpty && bytes[bytes.count - rest.count - 1] != 0x0A
      }
      return rest.isEmpty
    }
  }

  /// Whether a write of a line would not wait, as far as the system can tell.
  package var isWritable: Bool { isWritable(until: .now()) }

  /// Waits until the stream accepts a text, or has an error.
  private func isWritable(until deadline: DispatchTime) -> Bool {
    var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let now = DispatchTime.now().uptimeNanoseconds
      let nanoseconds = deadline.uptimeNanoseconds
      let milliseconds = nanoseconds > now ? (nanoseconds - now) / 1_000_000 + 1 : 0
      let isUnlimited = deadline == .distantFuture
      let count = poll(&file, 1, isUnlimited ? -1 : Int32(clamping: milliseconds))
      if count != -1 || errno != EINTR { return count != 0 }
    }
  }

  /// Writes bytes until an error.
  ///
  /// - Returns: The bytes that were not written, and whether the deadline is not the reason.
  private func writeAll(
    _ bytes: UnsafeRawBufferPointer, until deadline: DispatchTime
  ) -> (rest: Slice<UnsafeRawBufferPointer>, isInTime: Bool) {
    var rest = bytes[...]
    // A write to a blocking pipe has no limit. A pipe that is ready accepts this size without a wait.
    var waits = deadline != .distantFuture
    while !rest.isEmpty {
      if waits, !isWritable(until: deadline) { return (rest, false) }
      let part = UnsafeRawBufferPointer(rebasing: waits ? rest.prefix(Int(PIPE_BUF)) : rest)
      let count = CatenaSystem.write(descriptor, part.baseAddress, part.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        // The file is non-blocking.
        waits = true
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return (rest, true)
  }

  /// Performs a write, without the signal `SIGPIPE` for a pipe without a reader.
  private func withoutPipeSignal<Result>(_ write: () -> Result) -> Result {
    #if canImport(Darwin)
      // The whole process receives the signal there, so that a mask of this thread is no use.
      let isOff = fcntl(descriptor, F_GETNOSIGPIPE) == 1
      if !isOff { _ = fcntl(descriptor, F_SETNOSIGPIPE, 1) }
      defer { if !isOff { _ = fcntl(descriptor, F_SETNOSIGPIPE, 0) } }
      return write()
    #else
      // The thread that writes receives the signal. It is blocked and then consumed, unless one was
      // pending before.
      var (signals, old, pending) = (sigset_t(), sigset_t(), sigset_t())
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, &old)
      sigpending(&pending)
      let result = write()
      if sigismember(&pending, SIGPIPE) == 0 {
        var zeroTimeout = timespec()
        while sigtimedwait(&signals, nil, &zeroTimeout) == -1, errno == EINTR {}
      }
      pthread_sigmask(SIG_SETMASK, &old, nil)
      return result
    #endif
  }
}
