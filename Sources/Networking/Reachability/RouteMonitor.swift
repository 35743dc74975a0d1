#if os(Linux)
  import CCatena
  import Dispatch
  import Glibc

  /// What Linux's kernel tells of the network, over its routing socket.
  struct RouteMonitor: ReachabilityMonitoring {
    /// Called once a socket has been closed, for tests.
    var onClose: @Sendable () -> Void = {}

    func start(
      _ report: @escaping @Sendable (NetworkReachability.Status) -> Void
    ) -> @Sendable () -> Void {
      guard let socket = RouteSocket() else {
        onClose()
        return {}
      }
      let session = Session(socket, report, onClose: onClose)
      session.start()
      return { session.stop() }
    }
  }

  extension RouteMonitor {
    /// One socket, from its opening to its close.
    ///
    /// `@unchecked Sendable` because the socket and the machine are touched on the queue alone, and a
    /// dispatch source may be used from any thread.
    private final class Session: @unchecked Sendable {
      private let queue = DispatchQueue(label: "Catena.RouteMonitor")
      private let source: any DispatchSourceRead
      private let report: @Sendable (NetworkReachability.Status) -> Void
      private var socket: RouteSocket
      private var machine: RoutingMachine

      init(
        _ socket: RouteSocket, _ report: @escaping @Sendable (NetworkReachability.Status) -> Void,
        onClose: @escaping @Sendable () -> Void
      ) {
        self.socket = socket
        self.report = report
        machine = RoutingMachine(port: socket.port)
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        // The source keeps the session alive until it is cancelled; that releases its handlers.
        source.setEventHandler { self.receiveAll() }
        // Not before: the source must not watch a number that may be another file's by then.
        source.setCancelHandler {
          socket.close()
          onClose()
        }
      }

      /// Takes a first look.
      ///
      /// The kernel answers while it is asked, so that the look ends within this call.
      func start() {
        queue.sync {
          perform(machine.start())
          receiveAll()
        }
        source.activate()
      }

      func stop() {
        source.cancel()
      }

      private func receiveAll() {
        while !source.isCancelled {
          switch socket.receive() {
          case .datagram(let bytes): perform(machine.receive(bytes))
          case .overrun: perform(machine.lostMessages())
          case .nothing: return
          case .failure:
            report(.unknown)
            return stop()
          }
        }
      }

      private func perform(_ actions: [RoutingMachine.Action]) {
        for action in actions {
          switch action {
          case .send(let bytes): if !socket.send(bytes) { perform(machine.sendFailed()) }
          case .report(let status): report(status)
          }
        }
      }
    }
  }

  /// The kernel's routing socket, which does not block.
  struct RouteSocket {
    enum ReceiveResult {
      case datagram([UInt8])
      /// Messages came that there was no room for.
      case overrun
      case nothing
      case failure
    }

    let descriptor: Int32
    /// Its own address.
    let port: UInt32
    /// The kernel sends no more than 32 KiB at once.
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

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

    mutating func receive() -> ReceiveResult {
      while true {
        var sender = sockaddr_nl()
        let descriptor = descriptor
        let capacity = buffer.count
        let count = Self.withAddress(&sender) { address, length in
          // MSG_TRUNC has the whole length returned, however much there is room for.
          recvfrom(descriptor, &buffer, capacity, Int32(MSG_TRUNC), address, length)
        }
        guard count >= 0 else {
          switch errno {
          case EINTR: continue
          case EAGAIN: return .nothing
          case ENOBUFS: return .overrun
          default: return .failure
          }
        }
        // Only the kernel's word counts.
        guard sender.nl_pid == 0 else { continue }
        return count <= capacity ? .datagram(Array(buffer[..<count])) : .overrun
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
