import CatenaSystem

/// A state machine that derives the network status from the messages of the routing socket.
///
/// It does not apply changes one by one, because the kernel does not report all of them: it removes
/// IPv4 routes silently together with their link or their last address. Instead, each change starts
/// a dump: a query of all links, then all addresses, then all routes. Only one dump runs at a time.
/// A change during a dump causes another dump after it.
struct RoutingMachine {
  enum Action: Equatable {
    case send([UInt8])
    case report(NetworkReachability.Status)
  }

  /// The tables of a dump in their order: the RTM_GET types, and the sizes of ifinfomsg, ifaddrmsg and
  /// rtmsg.
  ///
  /// A payload of zeros requests the whole table.
  private static let tables: [(type: UInt16, payloadLength: Int)] = [(18, 16), (22, 8), (26, 12)]

  private struct Dump {
    /// The number of tables that are complete.
    var finishedTables = 0
    var snapshot = RoutingSnapshot()
    var isStale = false
    /// Whether the kernel still processes an earlier request.
    ///
    /// The dump restarts when that request ends.
    var isBusy = false
  }

  /// EBUSY, with the sign that the kernel uses.
  private static let busyError: Int32 = -16

  private let port: UInt32
  private var sequence: UInt32 = 0
  private var dump: Dump?

  /// - Parameter port: The netlink port of the socket, which identifies the responses to its
  ///   requests.
  init(port: UInt32) { self.port = port }

  /// Starts the first dump, or another one because messages were lost or could not be read.
  mutating func start() -> [Action] {
    dump = Dump()
    return [request(Self.tables[0])]
  }

  /// Ends the dump, because a request could not be sent or has failed.
  ///
  /// The next change starts another dump.
  mutating func sendFailed() -> [Action] {
    dump = nil
    return [.report(.unknown)]
  }

  /// Handles a datagram.
  mutating func receive(_ datagram: [UInt8]) -> [Action] {
    let (messages, isComplete) = NetlinkMessage.messages(in: datagram)
    var actions = messages.flatMap { handle($0) }
    if !isComplete { actions += start() }
    return actions
  }

  private mutating func handle(_ message: NetlinkMessage) -> [Action] {
    let content = RoutingMessage(message)
    if content == .overrun { return start() }
    guard message.port == port, message.sequence != 0 else { return handleChange(content) }
    guard message.sequence == sequence, dump?.isBusy == false else {
      // At the end of the response to an abandoned request, the kernel is no longer busy.
      if dump?.isBusy == true, case .done = content { return start() }
      return []
    }
    if message.flags & NetlinkMessage.interruptedFlag != 0 { dump?.isStale = true }
    switch content {
    case .done(error: 0): return finishTable()
    case .done(error: Self.busyError), .error(Self.busyError):
      dump?.isBusy = true
      return []
    case .done, .error: return sendFailed()
    default:
      dump?.snapshot.add(content)
      return []
    }
  }

  /// Handles a notification.
  ///
  /// It is not a response to a request of this socket, so something has changed.
  private mutating func handleChange(_ content: RoutingMessage) -> [Action] {
    switch content {
    case .link, .address, .change, .routeRemoved(isDefault: true): break
    case .route(let route) where route.isDefault: break
    default: return []
    }
    guard dump == nil else {
      dump?.isStale = true
      return []
    }
    return start()
  }

  private mutating func finishTable() -> [Action] {
    dump?.finishedTables += 1
    guard let dump else { return [] }
    if dump.finishedTables < Self.tables.count {
      return [request(Self.tables[dump.finishedTables])]
    }
    if dump.isStale { return start() }
    self.dump = nil
    return [.report(dump.snapshot.status)]
  }

  private mutating func request(_ table: (type: UInt16, payloadLength: Int)) -> Action {
    sequence &+= 1
    if sequence == 0 { sequence = 1 }
    let payload = Array(repeating: UInt8(0), count: table.payloadLength)
    let message = NetlinkMessage(
      type: table.type, flags: NetlinkMessage.dumpFlags, sequence: sequence, port: 0,
      payload: NetlinkBytes(payload[...]))
    return .send(message.encoded)
  }
}

/// The links, addresses and default routes at one time.
struct RoutingSnapshot {
  private struct InterfaceFamily: Hashable {
    let family: UInt8
    let index: Int32
  }

  private var links: [Int32: RoutingMessage.Link] = [:]
  private var addresses: Set<InterfaceFamily> = []
  private var routes: [RoutingMessage.Route] = []

  mutating func add(_ message: RoutingMessage) {
    switch message {
    case .link(let link): links[link.index] = link
    case .address(let address) where address.isUsable:
      addresses.insert(InterfaceFamily(family: address.family, index: address.index))
    case .route(let route) where route.isDefault && route.isForwarding: routes.append(route)
    default: break
    }
  }

  /// The status that the snapshot implies.
  var status: NetworkReachability.Status {
    let preferred = routes.sortedByPositions { $0.metric < $1.metric }
    var interfaces: [NetworkReachability.Interface] = []
    for route in preferred {
      for index in route.interfaces {
        guard let link = links[index], isUsableLink(link, route.family) else { continue }
        let interface = NetworkReachability.Interface(name: link.name)
        if !interfaces.contains(interface) { interfaces.append(interface) }
      }
    }
    guard let first = interfaces.first else { return .unreachable }
    return .reachable(
      via: NetworkReachability.Path(
        interfaces: interfaces, isExpensive: first.kind == .cellular))
  }

  private func isUsableLink(_ link: RoutingMessage.Link, _ family: UInt8) -> Bool {
    guard link.isRunning, !link.isLoopback else { return false }
    return addresses.contains { address in
      address.family == family
        && (address.index == link.index || links[address.index]?.isLoopback == true)
    }
  }
}
