#if os(Linux) || os(macOS)
  import ChildProcessSupport
  import Foundation
  import Synchronization

  /// A descriptor of this process's, closed when it is released at the latest.
  final class Descriptor: Sendable {
    let number: Int32
    private let isClosed = Atomic(false)

    init(_ number: Int32) {
      self.number = number
    }

    deinit {
      close()
    }

    /// Closes it, after which it is not to be used; without effect the second time.
    func close() {
      guard !isClosed.exchange(true, ordering: .relaxed) else { return }
      Foundation.close(number)
    }

    /// The two ends of a pipe, which no other program inherits.
    static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
      var ends: [Int32] = [-1, -1]
      let error = child_process_pipe(&ends)
      guard error == 0 else { throw TestError("no pipe: \(String(cString: strerror(error)))") }
      return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// Reads to the end, on this thread.
    ///
    /// - Parameter take: is given what has come, each time that something has.
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

    /// Writes all of it on this thread, or as much as somebody reads.
    func write(_ data: Data) {
      // To write what nobody reads any more is a signal too, for this thread: once blocked on it, the
      // signal stays with the thread, and does not end the process.
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
