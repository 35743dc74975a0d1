#if os(Linux) || os(macOS)
  import CatenaSystem
  package import Foundation

  #if canImport(Darwin)
    import Darwin
  #else
    import Glibc
  #endif

  /// A server on a loopback port or a Unix socket that responds to each request with a script.
  ///
  /// A script can send any bytes, including malformed responses. Each connection has its own thread
  /// and stays open until a step or the client closes it. The server stops when it is released.
  package final class ScriptedServer: Sendable {
    /// One action of a script; the actions run in order.
    package enum Step: Sendable {
      /// Sends bytes unchanged.
      case send(Data)
      /// Sends bytes unchanged, each in a packet of its own.
      case sendBytewise(Data)
      /// Sends this number of zero bytes, and appends to `blocked` when the send buffer is full.
      case flood(Int)
      /// Waits for `release()` or for the client to close the connection.
      case stall
      /// Waits for `release()` without reading, even if the client closes the connection.
      case hold
      /// Relays bytes to and from a loopback port until one side closes.
      case tunnel(to: UInt16)
      /// Runs a closure, which may block, on the thread of the connection.
      case run(@Sendable () -> Void)
      /// Ends the data of the server, and keeps the connection open to read.
      case endSending
      /// Reads and discards everything until the client closes the connection.
      case drain
      /// Closes the connection.
      case close
      /// Resets the connection.
      case reset

      /// Sends text as UTF-8.
      package static func text(_ text: String) -> Step { .send(Data(text.utf8)) }

      /// Sends a complete response with a `Content-Length`.
      package static func respond(
        _ status: String = "200 OK", _ fields: [String] = [], _ body: Data = Data()
      ) -> Step {
        let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        return .send(Data(head.joined(separator: "\r\n").utf8) + body)
      }
    }

    package typealias Script = @Sendable (RawRequest) -> [Step]

    /// The port, or 0 for a Unix socket.
    package let port: UInt16
    /// The requests received.
    package let requests = Log<RawRequest>()
    /// The numbers of the connections that the client closed.
    package let closed = Log<Int>()
    /// For each time that the send buffer was full during a flood, the number of bytes sent before.
    package let blocked = Log<Int>()

    private let connections: ServerConnections
    private let stopped = DispatchGroup()
    /// The threads of the open connections.
    private let serving = DispatchGroup()

    /// - Parameters:
    ///   - unixSocketPath: The path of the Unix socket. `nil` listens on a loopback port.
    ///   - allAddresses: Whether the port is that of all addresses, such as 127.0.0.2, in a namespace.
    ///   - tls: The TLS settings. `nil` serves without TLS.
    ///   - greeting: The steps before the first request is read.
    ///   - keepsBodies: Whether the bodies of requests are stored. Their bytes are always counted.
    ///   - answersEarly: Whether the script of a request runs before its body is read. The body is
    ///     then discarded, and the connection is not used for other requests.
    ///   - script: The steps for a request.
    /// - Throws: A `TestError` if no socket is available.
    package init(
      unixSocketPath: String? = nil, allAddresses: Bool = false, tls: ServerTLS? = nil,
      greeting: [Step] = [], keepsBodies: Bool = true,
      answersEarly: @escaping @Sendable (RawRequest) -> Bool = { _ in false },
      _ script: @escaping Script
    ) throws {
      let listener: Int32
      (listener, port) =
        try unixSocketPath.map { (try Self.listen(at: $0), 0) }
        ?? Self.listen(onAllAddresses: allAddresses)
      connections = try ServerConnections(listener: listener)
      stopped.enter()
      let logs = ScriptedConnection.Logs(requests: requests, closed: closed, blocked: blocked)
      let (connections, stopped, serving) = (connections, stopped, serving)
      Self.startThread {
        defer { stopped.leave() }
        while connections.waitForClient(of: listener) {
          let socket = accept(listener, nil, nil)
          if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
          guard socket >= 0, let number = connections.add(socket) else { break }
          stopped.enter()
          serving.enter()
          Self.startThread {
            var connection = ScriptedConnection(
              socket, number, logs, release: connections.released, keepsBodies: keepsBodies)
            connection.serve(greeting, over: tls, answersEarly, script)
            connections.close(number)
            serving.leave()
            stopped.leave()
          }
        }
        connections.closeListener()
      }
    }

    deinit {
      connections.closeAll()
    }

    /// The number of connections accepted so far.
    package var connectionCount: Int { connections.count }

    /// The number of connections that the server has not closed.
    package var openConnectionCount: Int { connections.openCount }

    package func url(_ path: String = "/") -> URL {
      LoopbackSocket.url("http", Int(port), path: path)
    }

    /// Ends all current and future steps that wait.
    package func release() {
      connections.release()
    }

    /// Returns when the client has closed all connections that the server has not closed.
    package func connectionsEnd() async {
      await withCheckedContinuation { continuation in
        serving.notify(queue: .global()) { continuation.resume() }
      }
    }

    /// Closes all sockets and returns after the threads have ended.
    package func stop() async {
      connections.closeAll()
      await withCheckedContinuation { continuation in
        stopped.notify(queue: .global()) { continuation.resume() }
      }
      // The threads release this object a moment after they have left the group.
      connections.closePairs()
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
      let thread = Thread(block: body)
      thread.stackSize = 256 << 10
      thread.start()
    }

    private static func listen(at path: String) throws -> Int32 {
      #if canImport(Darwin)
        let listener = socket(AF_UNIX, SOCK_STREAM, 0)
      #else
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      #endif
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            && startListening(listener)
        }
      }
      guard result else { throw TestError("cannot listen at \(path)") }
      return listener
    }

    private static func listen(
      onAllAddresses isForAll: Bool
    ) throws -> (socket: Int32, port: UInt16) {
      let listener = LoopbackSocket.make()
      guard let port = LoopbackSocket.bind(listener, ofAllAddresses: isForAll),
        startListening(listener)
      else { throw TestError("cannot listen on a loopback port") }
      return (listener, port)
    }
  }

  // The static method `listen` hides the function of the C library.
  private func startListening(_ socket: Int32) -> Bool { listen(socket, 4_096) == 0 }

  /// The sockets of a ``ScriptedServer``, and the gate for the steps that wait.
  final class ServerConnections: Sendable {
    private struct State {
      /// `nil` after it is closed, because the system may reuse its number.
      var listener: Int32?
      var open: [Int: Int32] = [:]
      var count = 0
      var isClosed = false
      var isReleased = false
      var pairsAreClosed = false
    }

    private let state: Mutex<State>
    /// A socket pair whose reading end becomes readable when the gate opens.
    private let gate: (reading: Int32, writing: Int32)
    /// A socket pair whose reading end becomes readable when the server stops.
    ///
    /// Not every system ends `accept` when the listening socket is shut down.
    private let stopping: (reading: Int32, writing: Int32)

    /// - Parameter listener: The listening socket, which this object owns.
    /// - Throws: A `TestError` if no sockets are available.
    init(listener: Int32) throws {
      state = Mutex(State(listener: listener))
      guard let gate = LoopbackSocket.makePair(), let stopping = LoopbackSocket.makePair() else {
        Self.closeFile(listener)
        throw TestError("cannot create a socket pair")
      }
      (self.gate, self.stopping) = (gate, stopping)
    }

    deinit {
      closePairs()
    }

    var count: Int { state.withLock { $0.count } }

    var openCount: Int { state.withLock { $0.open.count } }

    /// The descriptor that becomes readable on ``release()``.
    var released: Int32 { gate.reading }

    /// Waits until a client connects.
    ///
    /// - Returns: `false` if the server has stopped.
    func waitForClient(of listener: Int32) -> Bool {
      var pollers = [listener, stopping.reading].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while poll(&pollers, 2, -1) < 0, errno == EINTR {}
      return pollers[1].revents == 0
    }

    /// Registers the socket of an accepted connection.
    ///
    /// - Returns: The number of the connection, or `nil` if the server has stopped; the socket is
    ///   then closed.
    func add(_ socket: Int32) -> Int? {
      LoopbackSocket.prepare(socket)
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

    /// Shuts down all sockets; the accepting thread then calls ``closeListener()``.
    func closeAll() {
      state.withLock { state in
        guard !state.isClosed else { return }
        state.isClosed = true
        for socket in state.open.values { shutdown(socket, Int32(SHUT_RDWR)) }
        if let listener = state.listener { shutdown(listener, Int32(SHUT_RDWR)) }
        write(stopping.writing, "x", 1)
      }
      release()
    }

    /// Closes the listening socket, after the last `accept`.
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

    /// Closes the socket pairs, after all threads have ended.
    func closePairs() {
      state.withLock { state in
        guard !state.pairsAreClosed else { return }
        state.pairsAreClosed = true
        for file in [gate.reading, gate.writing, stopping.reading, stopping.writing] {
          Self.closeFile(file)
        }
      }
    }

    private static func closeFile(_ file: Int32) {
      closeDescriptor(file)
    }
  }

  // The methods named `close` hide the function of the C library.
  private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
#endif
