#if os(Linux)
  import Foundation
  import Glibc

  /// A port on 127.0.0.1 that lets connections wait: its queue has been filled, and nobody accepts.
  package final class FullListener: Sendable {
    package let url: URL
    private let sockets: [Int32]

    package init() throws {
      let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let clients: [Int32] = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, length)
          listen(listener, 0)
          getsockname(listener, address, &length)
          return (0..<4).map { _ in
            let kind = Int32(
              SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let client = Glibc.socket(AF_INET, kind, 0)
            connect(client, address, length)
            return client
          }
        }
      }
      sockets = [listener] + clients
      let port = UInt16(bigEndian: address.sin_port)
      guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw TestError("no URL") }
      self.url = url
    }

    deinit {
      for socket in sockets { close(socket) }
    }
  }
#endif
