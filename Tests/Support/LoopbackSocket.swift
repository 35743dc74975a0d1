package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Operations on TCP sockets of the loopback address, 127.0.0.1.
package enum LoopbackSocket {
  /// Creates a TCP socket; on Linux it is closed on `exec`.
  static func make() -> Int32 {
    #if canImport(Darwin)
      socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
  }

  /// Creates two connected sockets, which are closed on `exec`, or returns `nil`.
  package static func makePair() -> (Int32, Int32)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #else
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    #endif
    return (ends[0], ends[1])
  }

  /// Prepares an accepted socket: it is closed on `exec`, and writing to it raises no signal.
  static func prepare(_ socket: Int32) {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Sends bytes without raising a signal, on a socket that is prepared.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - socket: The socket.
  ///   - waits: Whether the call waits while the send buffer is full.
  /// - Returns: The number of bytes sent, or -1 with the reason in `errno`.
  static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32, waits: Bool = true) -> Int {
    #if canImport(Darwin)
      let flags = waits ? 0 : Int32(MSG_DONTWAIT)
    #else
      let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    #endif
    return systemSend(socket, bytes.baseAddress, bytes.count, flags)
  }

  /// Connects a socket to a port.
  ///
  /// - Returns: Whether the connection is established. If it is not, `errno` contains the reason.
  @discardableResult
  static func connect(_ socket: Int32, toPort port: UInt16) -> Bool {
    withAddress(port: port) { address, length in systemConnect(socket, address, length) == 0 }
  }

  /// Binds a socket to a port.
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - port: The port. 0 selects an unused one.
  ///   - isForAll: Whether it is bound to all addresses, such as 127.0.0.2.
  /// - Returns: The port, or `nil` if the socket cannot be bound.
  static func bind(
    _ socket: Int32, toPort port: UInt16 = 0, ofAllAddresses isForAll: Bool = false
  ) -> UInt16? {
    var address = address(port)
    if isForAll { address.sin_addr.s_addr = 0 }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemBind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Returns the URL of a port.
  package static func url(
    _ scheme: String = "http", host: String = "127.0.0.1", _ port: Int, path: String = "/"
  ) -> URL {
    guard let url = URL(string: "\(scheme)://\(host):\(port)\(path)") else {
      preconditionFailure("\(path) is not a path")
    }
    return url
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func withAddress<Result>(
    port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: address(port)) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

// Wrappers of the C functions, because the static functions above shadow their names.
private func systemConnect(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
  connect(socket, address, length)
}

private func systemSend(
  _ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int {
  send(socket, bytes, count, flags)
}

private func systemBind(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
  bind(socket, address, length)
}

#if os(Linux) || os(macOS)
  /// A loopback port that refuses connections, and that no other process can listen on.
  ///
  /// Its socket is bound but does not listen.
  package final class ClosedPort: Sendable {
    package let url: URL
    private let socket: Int32

    /// - Parameter port: The port of a server that has stopped. 0 selects an unused one.
    /// - Throws: A `TestError` if the port is not available.
    package init(_ port: Int = 0) throws {
      socket = LoopbackSocket.make()
      // Connections of the stopped server may still be in the state TIME_WAIT.
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      guard let port = LoopbackSocket.bind(socket, toPort: UInt16(port)) else {
        throw TestError("the port is not available")
      }
      url = LoopbackSocket.url("http", Int(port), path: "")
    }

    deinit {
      close(socket)
    }
  }

  /// A loopback port for a server that another program runs with `SO_REUSEPORT` or, on Linux, with
  /// `SO_REUSEADDR`.
  ///
  /// The socket is bound but does not listen, so that no other socket gets the port.
  package final class ReservedPort: Sendable {
    package let port: UInt16
    private let socket: Int32

    /// - Throws: A `TestError` if no port is available.
    package init() throws {
      socket = LoopbackSocket.make()
      var on: Int32 = 1
      #if canImport(Darwin)
        let option: Int32 = 0x200  // SO_REUSEPORT
      #else
        let option = SO_REUSEPORT
      #endif
      setsockopt(socket, SOL_SOCKET, option, &on, socklen_t(MemoryLayout<Int32>.size))
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      guard let port = LoopbackSocket.bind(socket) else {
        throw TestError("the port is not available")
      }
      self.port = port
    }

    deinit {
      close(socket)
    }
  }

  /// A loopback port that never accepts connections and whose backlog is full.
  ///
  /// New connections stay pending.
  package final class FullListener: Sendable {
    package let url: URL
    private let sockets: [Int32]

    /// - Throws: A `TestError` if no port is available.
    package init() throws {
      let listener = LoopbackSocket.make()
      guard let port = LoopbackSocket.bind(listener) else {
        throw TestError("the port is not available")
      }
      listen(listener, 0)
      sockets =
        [listener]
        + (0..<4).map { _ in
          let client = LoopbackSocket.make()
          _ = fcntl(client, F_SETFL, O_NONBLOCK)
          LoopbackSocket.connect(client, toPort: port)
          return client
        }
      url = LoopbackSocket.url("http", Int(port))
    }

    deinit {
      for socket in sockets { close(socket) }
    }
  }
#endif
