#if os(Linux)
  import Foundation
  import Glibc
  import Synchronization

  /// The connections of a ``ScriptedServer``, and the gate that the stalled ones wait at.
  final class ServerConnections: Sendable {
    private struct State {
      var open: [Int: Int32] = [:]
      var count = 0
      var isClosed = false
      var isReleased = false
    }

    private let state = Mutex(State())
    /// A pipe; its reading end is ready once the gate is open.
    private let gate: (reading: Int32, writing: Int32)

    init() {
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0)
      gate = (ends[0], ends[1])
    }

    deinit {
      Self.closeFile(gate.reading)
      Self.closeFile(gate.writing)
    }

    var count: Int { state.withLock { $0.count } }

    var openCount: Int { state.withLock { $0.open.count } }

    /// Ready to be read once stalled connections are to go on.
    var released: Int32 { gate.reading }

    /// - Returns: the connection's number; nil when the server has stopped, and the socket is closed.
    func add(_ socket: Int32) -> Int? {
      state.withLock { state in
        guard !state.isClosed else {
          Self.closeFile(socket)
          return nil
        }
        defer { state.count += 1 }
        state.open[state.count] = socket
        return state.count
      }
    }

    func close(_ number: Int) {
      state.withLock { state in
        guard let socket = state.open.removeValue(forKey: number) else { return }
        Self.closeFile(socket)
      }
    }

    /// - Returns: false when it had been done before.
    func closeAll() -> Bool {
      let isFirst = state.withLock { state in
        for socket in state.open.values { shutdown(socket, Int32(SHUT_RDWR)) }
        defer { state.isClosed = true }
        return !state.isClosed
      }
      release()
      return isFirst
    }

    func release() {
      state.withLock { state in
        guard !state.isReleased else { return }
        state.isReleased = true
        write(gate.writing, "x", 1)
      }
    }

    private static func closeFile(_ file: Int32) {
      Glibc.close(file)
    }
  }
#endif
