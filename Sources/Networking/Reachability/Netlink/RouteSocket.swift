#if os(Linux)
  import CCatena
  import Glibc

  /// The kernel's routing socket, which does not block.
  struct RouteSocket {
    enum Reception {
      case datagram([UInt8])
      /// Messages came that there was no room for.
      case loss
      case nothing
      case failure
    }

    let descriptor: Int32
    /// Its own address.
    let port: UInt32
    /// The kernel sends no more than 32 KiB at once.
    private var room = [UInt8](repeating: 0, count: 1 << 16)

    /// Opens a socket that hears of links, addresses and routes; nil when the system refuses.
    init?() {
      descriptor = socket(
        AF_NETLINK,
        Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), NETLINK_ROUTE)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_nl()
      address.nl_family = sa_family_t(AF_NETLINK)
      address.nl_groups = UInt32(
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
          | RTMGRP_IPV6_ROUTE)
      let descriptor = descriptor
      let isBound = Self.withAddress(&address) { bind(descriptor, $0, $1.pointee) } == 0
      let isNamed = Self.withAddress(&address) { getsockname(descriptor, $0, $1) } == 0
      guard isBound, isNamed else {
        Glibc.close(descriptor)
        return nil
      }
      port = address.nl_pid
    }

    /// False when the system refuses.
    func send(_ bytes: [UInt8]) -> Bool {
      while true {
        if Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count { return true }
        guard errno == EINTR else { return false }
      }
    }

    mutating func receive() -> Reception {
      while true {
        var sender = sockaddr_nl()
        let descriptor = descriptor
        let capacity = room.count
        let count = Self.withAddress(&sender) { address, length in
          // MSG_TRUNC has the whole length returned, however much there is room for.
          recvfrom(descriptor, &room, capacity, Int32(MSG_TRUNC), address, length)
        }
        guard count >= 0 else {
          switch errno {
          case EINTR: continue
          case EAGAIN: return .nothing
          case ENOBUFS: return .loss
          default: return .failure
          }
        }
        // Only the kernel's word counts.
        guard sender.nl_pid == 0 else { continue }
        return count <= capacity ? .datagram(Array(room[..<count])) : .loss
      }
    }

    func close() {
      Glibc.close(descriptor)
    }

    private static func withAddress<Result>(
      _ address: inout sockaddr_nl,
      _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
      }
    }
  }
#endif
