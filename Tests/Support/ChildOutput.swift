#if os(Linux) || os(macOS)
  import Foundation
  import Synchronization

  /// What a process prints, from its first byte on: to be looked at while it comes, or when it is complete.
  final class ChildOutput: Sendable {
    private struct State {
      var bytes: [UInt8] = []
      var isComplete = false
      var waiters: [CheckedContinuation<Void, Never>] = []

      /// Those who wait for a change, which there is.
      mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters
      }
    }

    private let state = Mutex(State())

    /// Takes what comes from a descriptor to its end, on a thread of its own.
    init(of descriptor: Descriptor) {
      Thread.detachNewThread { [self] in
        descriptor.readAll { bytes in change { $0.bytes += bytes } }
        // Before its end is known: then nothing of the process is left.
        descriptor.close()
        change { $0.isComplete = true }
      }
    }

    /// All of it, once it is complete.
    var all: Data {
      get async { await first { $0.isComplete ? Data($0.bytes) : nil } }
    }

    /// The line that starts at a place, once it is whole.
    ///
    /// - Parameter start: the number of bytes before it.
    /// - Returns: the line without its end, and where the next one starts; nil when the output ends before
    ///   the line does.
    func line(at start: Int) async -> (text: String, next: Int)? {
      await first { state -> (text: String, next: Int)?? in
        guard let end = state.bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
          return state.isComplete ? .some(nil) : nil
        }
        return (String(decoding: state.bytes[start..<end], as: UTF8.self), end + 1)
      }
    }

    /// The first thing found by a look at the state, which is taken anew whenever that has changed.
    private func first<Found>(_ look: @Sendable (borrowing State) -> Found?) async -> Found {
      while true {
        let (found, seen) = state.withLock { (look($0), $0.bytes.count) }
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
#endif
