#if os(Linux)
  import Foundation
  import Glibc
  import Synchronization

  /// The sockets of a ``ScriptedServer``, and the gate that the stalled ones wait at.
  final class ServerConnections: Sendable {
    private struct State {
      /// Nil once it is closed: its number may be another's then.
      var listener: Int32?
      var open: [Int: Int32] = [:]
      var count = 0
      var isClosed = false
      var isReleased = false
    }

    private let state: Mutex<State>
    /// A pair of sockets; the reading one is ready once the gate is open.
    private let gate: (reading: Int32, writing: Int32)

    /// - Parameter listener: the socket that is listened on; closed by what this does.
    /// - Throws: a `TestError` when there are no sockets to be had.
    init(listener: Int32) throws {
      state = Mutex(State(listener: listener))
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        Self.closeFile(listener)
        throw TestError("no sockets")
      }
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
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      return state.withLock { state in
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

    /// Ends the connections, and has nobody accepted any more; who accepts closes the listening socket.
    func closeAll() {
      state.withLock { state in
        guard !state.isClosed else { return }
        state.isClosed = true
        for socket in state.open.values { shutdown(socket, Int32(SHUT_RDWR)) }
        if let listener = state.listener { shutdown(listener, Int32(SHUT_RDWR)) }
      }
      release()
    }

    /// To be called when nobody is accepted any more.
    func closeListener() {
      state.withLock { state in
        if let listener = state.listener.take() { Self.closeFile(listener) }
      }
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
