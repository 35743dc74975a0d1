#if os(Linux)
  import Foundation
  import Glibc

  /// A port on 127.0.0.1 that nobody listens on, nor can while this object lives: it is bound, and no more.
  package final class ClosedPort: Sendable {
    package let url: URL
    private let socket: Int32

    /// - Parameter port: one that a server had till now; 0 for any.
    /// - Throws: a `TestError` when the port is not to be had.
    package init(_ port: Int = 0) throws {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      // The server's last connections may not have gone.
      var on: Int32 = 1
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      let isBound = withUnsafeMutablePointer(to: &address) { [socket] pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
        }
      }
      let port = UInt16(bigEndian: address.sin_port)
      guard isBound, let url = URL(string: "http://127.0.0.1:\(port)") else {
        throw TestError("no port")
      }
      self.url = url
    }

    deinit {
      close(socket)
    }
  }
#endif
