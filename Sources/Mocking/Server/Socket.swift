import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import CCatena
  import Glibc
#endif

/// The error number of a failed system call.
struct SocketError: Error, Hashable, CustomStringConvertible {
  let number: Int32

  static var current: SocketError { SocketError(number: errno) }

  var description: String { String(cString: strerror(number)) }
}

/// A nonblocking TCP socket.
struct Socket {
  enum Outcome {
    case bytes(Int)
    /// The socket is not ready.
    case wouldBlock
    /// The peer has stopped sending, or a send call sent no bytes.
    case ended
    case failed
  }

  let descriptor: Int32

  // MARK: Listening

  /// Listens on the loopback address.
  ///
  /// Port 0 lets the system choose one.
  static func listening(on port: Int) throws(SocketError) -> (socket: Socket, port: Int) {
    let (socket, port) = try bound(to: port)
    do throws(SocketError) {
      try socket.listen()
      return (socket, port)
    } catch {
      socket.close()
      throw error
    }
  }

  /// Binds a port of the loopback address without listening.
  ///
  /// The system refuses connections to the port.
  static func bound(to port: Int) throws(SocketError) -> (socket: Socket, port: Int) {
    guard let number = UInt16(exactly: port) else { throw SocketError(number: EINVAL) }
    #if canImport(Darwin)
      let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
    #endif
    guard descriptor >= 0 else { throw SocketError.current }
    let socket = Socket(descriptor: descriptor)
    do throws(SocketError) {
      socket.prepare()
      socket.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = number.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withSocketAddress(&address) { bind(descriptor, $0, length) } == 0
      guard isBound else { throw SocketError.current }
      let isNamed = withSocketAddress(&address) { getsockname(descriptor, $0, &length) } == 0
      guard isNamed else { throw SocketError.current }
      return (socket, Int(UInt16(bigEndian: address.sin_port)))
    } catch {
      socket.close()
      throw error
    }
  }

  func listen() throws(SocketError) {
    #if canImport(Darwin)
      let result = Darwin.listen(descriptor, 4096)
    #else
      let result = Glibc.listen(descriptor, 4096)
    #endif
    guard result == 0 else { throw SocketError.current }
  }

  private static func withSocketAddress(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  /// Accepts the next connection; returns `nil` if none is waiting.
  func accept() throws(SocketError) -> Socket? {
    while true {
      #if canImport(Darwin)
        let accepted = Darwin.accept(descriptor, nil, nil)
      #else
        let accepted = catena_accept(descriptor)
      #endif
      if accepted >= 0 {
        let socket = Socket(descriptor: accepted)
        socket.prepare()
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        return socket
      }
      let error = SocketError.current
      switch error.number {
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return nil
      default: throw error
      }
    }
  }

  #if !canImport(Darwin)
    /// The flags that are set when a socket is created.
    ///
    /// If they were set by a later call, a child process started in between would inherit the
    /// socket.
    private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  #endif

  private func prepare() {
    #if canImport(Darwin)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      set(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
  }

  // MARK: Bytes

  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    #if canImport(Darwin)
      return outcome { Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags) }
    #else
      return outcome { Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) }
    #endif
  }

  private func outcome(_ call: () -> Int) -> Outcome {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .failed
      }
    }
  }

  // MARK: Closing

  /// Shuts down the sending side; the peer can still send.
  func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Stops listening and closes the socket, so that the system refuses connections.
  ///
  /// Between `fork` and `exec`, a child process has a copy of the descriptor. Without the shutdown,
  /// the socket would keep listening until the copy is closed.
  func closeListening() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    close()
  }

  /// Makes the next ``close()`` reset the connection.
  func resetOnClose() {
    set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
  }

  func close() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}
