#if os(Linux)
  import Glibc

  /// Carries bytes between a socket and a port on 127.0.0.1, as a proxy does, until one side ends.
  enum Tunnel {
    static func run(_ socket: Int32, to port: UInt16) {
      let other = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(other) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { return }
      var pollers = [socket, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while poll(&pollers, 2, -1) > 0 {
        if pollers[0].revents != 0, !carry(from: socket, to: other) { return }
        if pollers[1].revents != 0, !carry(from: other, to: socket) { return }
      }
    }

    private static func carry(from source: Int32, to target: Int32) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { bytes in
        let count = recv(source, bytes.baseAddress, bytes.count, 0)
        var sent = 0
        while sent < count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent..<count])
          let more = send(target, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          guard more > 0 else { return false }
          sent += more
        }
        return count > 0
      }
    }
  }
#endif
