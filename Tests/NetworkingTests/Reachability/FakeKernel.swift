@testable import Networking

/// A fake kernel that replies to Netlink requests from lists of payloads.
struct FakeKernel {
  var links: [[UInt8]] = []
  var addresses: [[UInt8]] = []
  var routes: [[UInt8]] = []
  /// The flags of every message of a reply.
  var flags: UInt16 = 0

  /// A host with one interface and a default route over it.
  static var online: FakeKernel {
    FakeKernel(
      links: [KernelMessages.link(1, "lo", flags: 0x49), KernelMessages.link(2, "eth0")],
      addresses: [KernelMessages.address(1, scope: 254), KernelMessages.address(2)],
      routes: [KernelMessages.route(over: 2)])
  }

  /// Returns the reply to a request, including its end message, or `nil` if the bytes are not a
  /// request.
  func reply(to request: [UInt8], sequence: UInt32? = nil) -> [UInt8]? {
    guard let request = NetlinkMessage.messages(in: request).messages.first else { return nil }
    let sequence = sequence ?? request.sequence
    let (type, payloads): (UInt16, [[UInt8]])
    switch request.type {
    case 18: (type, payloads) = (16, links)
    case 22: (type, payloads) = (20, addresses)
    case 26: (type, payloads) = (24, routes)
    default: return nil
    }
    return
      payloads.flatMap {
        KernelMessages.message(
          type, $0, flags: flags | 2, sequence: sequence, port: KernelMessages.port)
      } + KernelMessages.message(3, [0, 0, 0, 0], sequence: sequence, port: KernelMessages.port)
  }

  /// Replies to one dump of links, addresses, and routes, and returns the machine's next actions.
  func replyToOneDump(
    _ machine: inout RoutingMachine, _ actions: [RoutingMachine.Action]
  ) -> [RoutingMachine.Action] {
    var actions = actions
    for _ in 0..<3 {
      guard case .send(let request)? = actions.first else { break }
      actions = reply(to: request).map { machine.receive($0) } ?? []
    }
    return actions
  }

  /// Replies to all requests of the machine and returns the reported statuses.
  func serve(
    _ machine: inout RoutingMachine, _ actions: [RoutingMachine.Action]
  ) -> [NetworkReachability.Status] {
    var reports: [NetworkReachability.Status] = []
    var actions = actions
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .report(let status): reports.append(status)
      case .send(let request): actions += reply(to: request).map { machine.receive($0) } ?? []
      }
    }
    return reports
  }

  /// The status that a machine reports for this kernel.
  var status: NetworkReachability.Status? {
    var machine = RoutingMachine(port: KernelMessages.port)
    return serve(&machine, machine.start()).last
  }
}

/// Netlink messages in the kernel's format.
enum KernelMessages {
  static let port: UInt32 = 4711

  static func message(
    _ type: UInt16, _ payload: [UInt8] = [], flags: UInt16 = 0, sequence: UInt32 = 0,
    port: UInt32 = 0
  ) -> [UInt8] {
    NetlinkMessage(
      type: type, flags: flags, sequence: sequence, port: port, payload: NetlinkBytes(payload[...])
    ).encoded
  }

  static func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    let bytes = raw(UInt16(4 + value.count)) + raw(kind) + value
    return bytes + Array(repeating: 0, count: -bytes.count & 3)
  }

  static func raw(_ number: some FixedWidthInteger & BitwiseCopyable) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  /// Returns a link payload; `flags` are the `IFF_` flags.
  static func link(_ index: Int32, _ name: String, flags: UInt32 = 0x41) -> [UInt8] {
    [0, 0] + raw(UInt16(1)) + raw(index) + raw(flags) + raw(UInt32(0))
      + attribute(3, Array(name.utf8) + [0])
  }

  static func address(
    _ index: Int32, family: UInt8 = 2, flags: UInt8 = 0, scope: UInt8 = 0
  ) -> [UInt8] {
    [family, 24, flags, scope] + raw(index)
  }

  static func route(
    over index: Int32? = nil, family: UInt8 = 2, length: UInt8 = 0, type: UInt8 = 1,
    flags: UInt32 = 0, metric: UInt32 = 0, _ attributes: [UInt8] = []
  ) -> [UInt8] {
    [family, length, 0, 0, 254, 3, 0, type] + raw(flags)
      + (index.map { attribute(4, raw($0)) } ?? []) + attribute(6, raw(metric)) + attributes
  }

  static func hop(_ index: Int32, flags: UInt8 = 0) -> [UInt8] {
    let gateway = attribute(5, [192, 0, 2, 2])
    return raw(UInt16(8 + gateway.count)) + [flags, 0] + raw(index) + gateway
  }
}
