import CCatena
import CatenaSystem
import Foundation

/// The error number of a failed system call.
struct SocketError: Error, Hashable, CustomStringConvertible {
  let number: Int32

  static var current: SocketError { SocketError(number: errno) }

  var description: String { String(cString: strerror(number)) }
}

/// A nonblocking TCP socket, with TLS if it has a channel.
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
  /// TLS on the connection.
  var channel: TLSChannel?

  // MARK: Listening

  /// Listens on an address, and returns it with the actual port.
  ///
  /// Port 0 lets the system choose one.
  static func listening(
    on address: ListeningAddress
  ) throws(SocketError) -> (socket: Socket, address: ListeningAddress) {
    let (socket, address) = try bound(to: address)
    do throws(SocketError) {
      try socket.listen()
      return (socket, address)
    } catch {
      socket.close()
      throw error
    }
  }

  /// Binds an address without listening.
  ///
  /// The system refuses connections to the port.
  static func bound(
    to address: ListeningAddress
  ) throws(SocketError) -> (socket: Socket, address: ListeningAddress) {
    let descriptor = CatenaSystem.socket(address.family, SocketType.stream | Self.flags, 0)
    guard descriptor >= 0 else { throw SocketError.current }
    let socket = Socket(descriptor: descriptor)
    do throws(SocketError) {
      socket.prepare()
      socket.set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
      if address.family == AF_INET6 {
        // A socket on `::` accepts IPv4 connections too, whatever the system's default is.
        socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(address.isWildcard ? 0 : 1))
      }
      var address = address
      guard address.withSocketAddress({ bind(descriptor, $0, $1.pointee) }) == 0 else {
        throw SocketError.current
      }
      guard address.withSocketAddress({ getsockname(descriptor, $0, $1) }) == 0 else {
        throw SocketError.current
      }
      return (socket, address)
    } catch {
      socket.close()
      throw error
    }
  }

  func listen() throws(SocketError) {
    let result = CatenaSystem.listen(descriptor, 4096)
    guard result == 0 else { throw SocketError.current }
  }

  /// Accepts the next connection; returns `nil` if none is waiting.
  func accept() throws(SocketError) -> Socket? {
    while true {
      #if canImport(Darwin)
        let accepted = CatenaSystem.accept(descriptor, nil, nil)
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

  /// The IP address of the peer, or `nil` if the connection has ended.
  var peerAddress: String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout.size(ofValue: address))
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(descriptor, address, &length) == 0
          && getnameinfo(
            address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      }
    }
    guard isKnown else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The flags that are set when a socket is created.
  ///
  /// If they were set by a later call, a child process started in between would inherit the socket.
  /// Darwin has no such flags.
  #if canImport(Darwin)
    private static let flags: Int32 = 0
  #else
    private static let flags = SocketType.nonblocking | SocketType.closedInChildren
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
    if let channel { return Self.outcome(channel.read(buffer)) }
    return outcome { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    if let channel { return bytes.isEmpty ? .ended : Self.outcome(channel.write(bytes)) }
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return outcome { CatenaSystem.send(descriptor, bytes.baseAddress, bytes.count, flags) }
  }

  /// Returns the outcome of a call of a ``TLSChannel``.
  private static func outcome(_ result: Int) -> Outcome {
    switch result {
    case 1...: .bytes(result)
    case 0: .ended
    case -1, -2: .wouldBlock
    default: .failed
    }
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
    channel?.finish()
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

  /// The number of sent bytes that the peer has not acknowledged, or 0 if it is not known.
  var undeliveredByteCount: Int {
    var count: Int32 = 0
    #if canImport(Darwin)
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 else { return 0 }
    #else
      guard ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    #endif
    return Int(count)
  }

  /// Makes the next ``close()`` reset the connection.
  func resetOnClose() {
    set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
  }

  func close() {
    _ = CatenaSystem.close(descriptor)
  }
}

/// An IP address and a port that a server listens on.
package struct ListeningAddress: Hashable {
  /// The bytes of the system's socket address.
  private var bytes: [UInt8]
  let family: Int32
  /// The host of the URL.
  private let urlHost: String

  /// Creates an address, or returns `nil` if the host is another name or the port is out of range.
  ///
  /// - Parameters:
  ///   - host: An IP address, with or without brackets, or `localhost`. Other names are not looked up.
  ///   - port: The port.
  package init?(_ host: String, port: Int) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let host = isBracketed ? String(host.dropFirst().dropLast()) : host
    let isName = host.lowercased() == "localhost"
    let literal = isName ? "127.0.0.1" : host
    // The system also accepts one number as an IPv4 address.
    guard literal.contains(":") || literal.split(separator: ".").count == 4,
      let number = UInt16(exactly: port)
    else { return nil }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(literal, nil, &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    guard let first = list?.pointee, let address = first.ai_addr else { return nil }
    bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen)))
    family = first.ai_family
    guard bytes.count >= (family == AF_INET ? 16 : 28) else { return nil }
    // The port is at the same position in the addresses of both families, in network byte order.
    bytes[2] = UInt8(number >> 8)
    bytes[3] = UInt8(number & 0xFF)
    let addressBytes = family == AF_INET ? bytes[4..<8] : bytes[8..<24]
    let isWildcard = addressBytes.allSatisfy { $0 == 0 }
    self.isWildcard = isWildcard
    if family == AF_INET {
      urlHost = isWildcard ? "127.0.0.1" : isName ? "localhost" : literal
    } else {
      urlHost = isWildcard ? "[::1]" : "[\(literal.replacingOccurrences(of: "%", with: "%25"))]"
    }
  }

  /// Whether the address stands for all addresses of the machine.
  let isWildcard: Bool

  var port: Int { Int(bytes[2]) << 8 | Int(bytes[3]) }

  /// The root URL of a server with this address.
  ///
  /// - Parameter scheme: `http` or `https`.
  /// - Returns: The URL.
  func url(scheme: String) -> URL? { URL(string: "\(scheme)://\(urlHost):\(port)") }

  /// Calls a function of the system with the socket address, which it may change.
  mutating func withSocketAddress(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int32 {
    var length = socklen_t(bytes.count)
    return bytes.withUnsafeMutableBytes { buffer in
      guard let address = buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return -1
      }
      return body(address, &length)
    }
  }
}
