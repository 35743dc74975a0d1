#if os(Linux) || os(macOS)
  import Foundation
  import Synchronization

  extension Process {
    private static let launching = Mutex(())

    /// Runs the program, with no other being launched at this moment.
    ///
    /// `run()` of several processes on several threads at once has been seen to crash on Linux.
    package func launchAlone() throws {
      try Self.launching.withLock { _ in try run() }
    }
  }
#endif
