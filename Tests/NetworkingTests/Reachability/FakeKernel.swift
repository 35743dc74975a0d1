@testable import Networking

/// A kernel that answers a machine's requests from lists of payloads.
struct FakeKernel {
  var links: [[UInt8]] = []
  var addresses: [[UInt8]] = []
  var routes: [[UInt8]] = []
  /// Put on every answer to a request.
  var flags: UInt16 = 0

  /// A host with one interface and a default route over it.
  static var online: FakeKernel {
    FakeKernel(
      links: [KernelMessages.link(1, "lo", flags: 0x49), KernelMessages.link(2, "eth0")],
      addresses: [KernelMessages.address(1, scope: 254), KernelMessages.address(2)],
      routes: [KernelMessages.route(over: 2)])
  }

  /// The answer to one request, an end included; nil for what is no request.
  func answer(_ request: [UInt8], sequence: UInt32? = nil) -> [UInt8]? {
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

  /// Answers one look at links, addresses and routes, and returns what the machine wants then.
  func answerOnce(
    _ machine: inout RoutingMachine, _ actions: [RoutingMachine.Action]
  ) -> [RoutingMachine.Action] {
    var actions = actions
    for _ in 0..<3 {
      guard case .send(let request)? = actions.first else { break }
      actions = answer(request).map { machine.receive($0) } ?? []
    }
    return actions
  }

  /// Answers all that the machine asks, and returns what it reports.
  func serve(
    _ machine: inout RoutingMachine, _ actions: [RoutingMachine.Action]
  ) -> [NetworkReachability.Status] {
    var reports: [NetworkReachability.Status] = []
    var actions = actions
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .report(let status): reports.append(status)
      case .send(let request): actions += answer(request).map { machine.receive($0) } ?? []
      }
    }
    return reports
  }

  /// What a machine makes of it.
  var status: NetworkReachability.Status? {
    var machine = RoutingMachine(port: KernelMessages.port)
    return serve(&machine, machine.start()).last
  }
}
