#if os(Linux)
  import Foundation
  import Glibc

  /// A port on 127.0.0.1 that nobody listens on, nor can while this object lives: it is bound, and no more.
  package final class ClosedPort: Sendable {
    package let url: URL
    private let socket: Int32

    package init() throws {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
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
