#if os(Linux) || os(Android)
  import CatenaSystem
  import Dispatch

  /// A source that uses the routing socket of the Linux kernel.
  struct RouteMonitor: ReachabilityMonitoring {
    /// A handler that is called when a socket has been closed, for tests.
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
    /// The monitoring session of one socket, from its opening to its close.
    ///
    /// `@unchecked Sendable` because the socket and the machine are used on the queue only, and a
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
        // The source keeps the session alive until its cancellation releases the handlers.
        source.setEventHandler { self.receiveAll() }
        // The socket is closed only here. Before that the source still watches the descriptor, and
        // the system could assign a closed descriptor to another file.
        source.setCancelHandler {
          CatenaSystem.close(socket.descriptor)
          onClose()
        }
      }

      /// Performs the first dump.
      ///
      /// The kernel responds while a request is sent, so the dump ends within this call.
      func start() {
        queue.sync {
          perform(machine.start())
          receiveAll()
        }
        source.activate()
      }

      func stop() { source.cancel() }

      private func receiveAll() {
        while !source.isCancelled {
          switch socket.receive() {
          case .datagram(let bytes): perform(machine.receive(bytes))
          case .overrun: perform(machine.start())
          case .wouldBlock: return
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

  /// The address of a netlink socket.
  ///
  /// It has the layout of C's `sockaddr_nl`, whose header some SDKs lack.
  ///
  /// Source: the manual pages netlink(7) and rtnetlink(7).
  private struct NetlinkAddress {
    /// The groups of messages about links, and about addresses and routes of IPv4 and IPv6.
    static let allGroups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    /// The protocol of routes, links and addresses.
    static let routingProtocol: Int32 = 0

    private let family = sa_family_t(AF_NETLINK)
    private let padding: UInt16 = 0
    /// The port, which is 0 for the kernel.
    private(set) var port: UInt32 = 0
    var groups: UInt32 = 0
  }

  /// A non-blocking routing socket of the kernel.
  struct RouteSocket {
    enum ReceiveResult {
      case datagram([UInt8])
      /// Messages were lost because the buffer was full.
      case overrun
      /// No message is available.
      case wouldBlock
      case failure
    }

    let descriptor: Int32
    /// The netlink port of the socket, which is its address.
    let port: UInt32
    /// The receive buffer.
    ///
    /// The kernel sends at most 32 KiB at once.
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Opens a socket that receives changes of links, addresses and routes.
    ///
    /// `nil` if the system refuses.
    init?() {
      descriptor = socket(
        AF_NETLINK, SocketType.raw | SocketType.closedInChildren | SocketType.nonblocking,
        NetlinkAddress.routingProtocol)
      guard descriptor >= 0 else { return nil }
      var address = NetlinkAddress()
      address.groups = NetlinkAddress.allGroups
      let descriptor = descriptor
      let isBound = Self.withAddress(&address) { bind(descriptor, $0, $1.pointee) } == 0
      let hasAddress = Self.withAddress(&address) { getsockname(descriptor, $0, $1) } == 0
      guard isBound, hasAddress else {
        CatenaSystem.close(descriptor)
        return nil
      }
      port = address.port
    }

    /// Sends a request; returns `false` if the system refuses.
    func send(_ bytes: [UInt8]) -> Bool {
      while true {
        if CatenaSystem.send(descriptor, bytes, bytes.count, 0) == bytes.count { return true }
        guard errno == EINTR else { return false }
      }
    }

    mutating func receive() -> ReceiveResult {
      while true {
        var sender = NetlinkAddress()
        let descriptor = descriptor
        let capacity = buffer.count
        let count = Self.withAddress(&sender) { address, length in
          // MSG_TRUNC returns the full length of the datagram, even if it exceeds the buffer.
          recvfrom(descriptor, &buffer, capacity, Int32(MSG_TRUNC), address, length)
        }
        guard count >= 0 else {
          switch errno {
          case EINTR: continue
          case EAGAIN: return .wouldBlock
          case ENOBUFS: return .overrun
          default: return .failure
          }
        }
        // Messages from other processes are ignored. The port of the kernel is 0.
        guard sender.port == 0 else { continue }
        return count <= capacity ? .datagram(Array(buffer[..<count])) : .overrun
      }
    }

    private static func withAddress<Result>(
      _ address: inout NetlinkAddress,
      _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
      var length = socklen_t(MemoryLayout<NetlinkAddress>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
      }
    }
  }
#endif
