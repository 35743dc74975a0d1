#if os(Linux) || os(macOS)
  import CatenaSystem
  import ChildProcessSupport
  import Foundation

  /// The bytes that a process writes to one stream.
  ///
  /// They can be read line by line as they arrive, or all at once when the stream has ended.
  final class ProcessOutput: Sendable {
    private struct State {
      var bytes: [UInt8] = []
      var isComplete = false
      var waiters: [CheckedContinuation<Void, Never>] = []

      /// Removes and returns the waiters to resume after a change.
      mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters
      }
    }

    private let state = Mutex(State())

    /// Reads a descriptor to its end on a new thread.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - atFirstLine: A closure that runs on that thread when the first line is complete.
    init(of descriptor: FileDescriptor, atFirstLine: @escaping @Sendable () -> Void = {}) {
      Thread.detachNewThread { [self] in
        var hasLine = false
        descriptor.readAll { bytes in
          change { $0.bytes += bytes }
          guard !hasLine, bytes.contains(UInt8(ascii: "\n")) else { return }
          hasLine = true
          atFirstLine()
        }
        // Closes the descriptor before it reports completion, so that a finished process leaves no
        // open descriptor.
        descriptor.close()
        change { $0.isComplete = true }
      }
    }

    /// The complete output, after the stream has ended.
    var all: Data {
      get async { await first { $0.isComplete ? Data($0.bytes) : nil } }
    }

    /// Waits for the complete line that starts at an offset.
    ///
    /// - Parameter start: The offset of the line in bytes.
    /// - Returns: The line without its terminator and the offset of the next line, or `nil` if the
    ///   output ends before the line does.
    func line(at start: Int) async -> (text: String, next: Int)? {
      await first { state -> (text: String, next: Int)?? in
        guard let end = state.bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
          return state.isComplete ? .some(nil) : nil
        }
        return (String(decoding: state.bytes[start..<end], as: UTF8.self), end + 1)
      }
    }

    /// Returns the first non-`nil` result of `find`, which is called again after each change of the
    /// state.
    private func first<Found>(_ find: @Sendable (borrowing State) -> Found?) async -> Found {
      while true {
        let (found, seen) = state.withLock { (find($0), $0.bytes.count) }
        if let found { return found }
        await withCheckedContinuation { continuation in
          let hasChanged = state.withLock { state in
            if state.isComplete || state.bytes.count > seen { return true }
            state.waiters.append(continuation)
            return false
          }
          if hasChanged { continuation.resume() }
        }
      }
    }

    private func change(_ body: (inout sending State) -> Void) {
      let waiters = state.withLock { state in
        body(&state)
        return state.takeWaiters()
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Waits for one child process to exit, and delivers signals to it until then.
  final class ExitWaiter: Sendable {
    private struct State {
      var status: ChildProcess.Status?
      var waiters: [CheckedContinuation<ChildProcess.Status, Never>] = []
    }

    private let child: pid_t
    private let state = Mutex(State())

    /// Starts to wait on a new thread.
    init(of child: pid_t) {
      self.child = child
      Thread.detachNewThread { [self] in reap() }
    }

    /// The exit status, after the process has exited.
    var status: ChildProcess.Status {
      get async {
        await withCheckedContinuation { continuation in
          let status = state.withLock { state in
            if state.status == nil { state.waiters.append(continuation) }
            return state.status
          }
          if let status { continuation.resume(returning: status) }
        }
      }
    }

    /// Sends a signal unless the process has exited, because its PID may be reused by then.
    func signal(_ number: Int32) {
      state.withLock { state in
        if state.status == nil { _ = kill(child, number) }
      }
    }

    /// Stops the process, and returns when it has stopped or exited.
    func stop() async {
      signal(SIGSTOP)
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [child] in
          var info = siginfo_t()
          let events = WSTOPPED | WEXITED | WNOWAIT
          while waitid(P_PID, id_t(child), &info, events) != 0, errno == EINTR {}
          continuation.resume()
        }
      }
    }

    private func reap() {
      // `WNOWAIT` waits without reaping, so that the lock is not held while the child runs. The
      // child is then reaped under the lock, because that releases its PID.
      var info = siginfo_t()
      while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let (status, waiters) = state.withLock { state in
        var word: Int32 = 0
        while waitpid(child, &word, 0) < 0, errno == EINTR {}
        let status = ChildProcess.Status(word: word)
        defer { state.waiters = [] }
        state.status = status
        return (status, state.waiters)
      }
      for waiter in waiters { waiter.resume(returning: status) }
    }
  }

  /// An owned file descriptor, which is closed when this object is released, if not before.
  final class FileDescriptor: Sendable {
    let number: Int32
    private let isClosed = Atomic(false)

    init(_ number: Int32) {
      self.number = number
    }

    deinit {
      close()
    }

    /// Closes the descriptor, which must not be used afterwards; a no-op if it is already closed.
    func close() {
      guard !isClosed.exchange(true, ordering: .relaxed) else { return }
      Foundation.close(number)
    }

    /// Creates a pipe whose ends are closed on `exec`.
    static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
      var ends: [Int32] = [-1, -1]
      let error = child_process_pipe(&ends)
      guard error == 0 else {
        throw TestError("cannot create a pipe: \(String(cString: strerror(error)))")
      }
      return (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
    }

    /// Reads to the end of file on the current thread.
    ///
    /// - Parameter take: A closure that receives the bytes of each read.
    func readAll(_ take: ([UInt8]) -> Void) {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(number, &buffer, buffer.count)
        if count > 0 {
          take(Array(buffer[..<count]))
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }

    /// Writes all data on the current thread; stops early if the reader has closed its end.
    func write(_ data: Data) {
      // A write to a closed pipe also raises SIGPIPE on this thread. Blocking the signal keeps it
      // pending on the thread instead of terminating the process.
      var pipe = sigset_t()
      sigemptyset(&pipe)
      sigaddset(&pipe, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &pipe, nil)
      data.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = Foundation.write(
            number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if count >= 0 {
            rest = rest.dropFirst(count)
          } else if errno != EINTR {
            return
          }
        }
      }
    }
  }
#endif
