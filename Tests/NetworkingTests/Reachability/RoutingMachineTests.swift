import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct RoutingMachineTests {
  typealias Kernel = KernelMessages

  @Test func aDumpRequestsLinksAddressesAndRoutesAndReportsOnce() {
    var machine = RoutingMachine(port: Kernel.port)
    var types: [UInt16] = []
    var reports: [NetworkReachability.Status] = []
    var actions = machine.start()
    while let action = actions.popLast() {
      switch action {
      case .report(let status): reports.append(status)
      case .send(let bytes):
        types += NetlinkMessage.messages(in: bytes).messages.map(\.type)
        actions += FakeKernel.online.reply(to: bytes).map { machine.receive($0) } ?? []
      }
    }
    #expect(types == [18, 22, 26])
    #expect(reports == [.over("eth0")])
  }

  static let changes: [(String, [UInt8])] = [
    ("a link", Kernel.message(16, Kernel.link(2, "eth0", flags: 1))),
    ("a removed link", Kernel.message(17, Kernel.link(2, "eth0"))),
    ("an address", Kernel.message(20, Kernel.address(2))),
    ("a removed address", Kernel.message(21, Kernel.address(2))),
    ("a default route", Kernel.message(24, Kernel.route(over: 2))),
    ("a removed default route", Kernel.message(25, Kernel.route(over: 2))),
    (
      "a default route removed at the request of another socket",
      Kernel.message(25, Kernel.route(over: 2), sequence: 1, port: Kernel.port + 1)
    ),
    ("a truncated message", Kernel.message(24, [2])),
    ("an overrun", Kernel.message(4)),
  ]

  @Test(arguments: changes.map(\.0))
  func aChangeTriggersANewDump(_ name: String) throws {
    let change = try #require(Self.changes.first { $0.0 == name }?.1)
    var machine = RoutingMachine(port: Kernel.port)
    #expect(FakeKernel.online.serve(&machine, machine.start()) == [.over("eth0")])
    var kernel = FakeKernel.online
    kernel.routes = []
    #expect(kernel.serve(&machine, machine.receive(change)) == [.unreachable])
  }

  @Test func irrelevantMessagesTriggerNoDump() {
    var machine = RoutingMachine(port: Kernel.port)
    _ = FakeKernel.online.serve(&machine, machine.start())
    for message in [
      Kernel.message(24, Kernel.route(over: 2, length: 24)),
      Kernel.message(25, Kernel.route(over: 2, length: 24)),
      Kernel.message(24, Kernel.route(over: 2, family: 128)), Kernel.message(28),
      Kernel.message(1), Kernel.message(24, Kernel.route(over: 2, flags: 0x200)),
      // The end message of an earlier dump.
      Kernel.message(3, [0, 0, 0, 0], sequence: 1, port: Kernel.port),
    ] { #expect(machine.receive(message) == []) }
  }

  @Test func aChangeDuringADumpTriggersAnother() {
    var machine = RoutingMachine(port: Kernel.port)
    let start = machine.start()
    #expect(machine.receive(Kernel.message(25, Kernel.route(over: 2))) == [])
    let actions = FakeKernel.online.replyToOneDump(&machine, start)
    #expect(FakeKernel().serve(&machine, actions) == [.unreachable])
  }

  @Test func anInconsistentDumpIsRepeated() {
    var inconsistent = FakeKernel.online
    inconsistent.flags = NetlinkMessage.interruptedFlag
    var machine = RoutingMachine(port: Kernel.port)
    let actions = inconsistent.replyToOneDump(&machine, machine.start())
    #expect(FakeKernel().serve(&machine, actions) == [.unreachable])
  }

  @Test func lostMessagesRestartTheDump() throws {
    var machine = RoutingMachine(port: Kernel.port)
    #expect(FakeKernel.online.serve(&machine, machine.start()) == [.over("eth0")])
    #expect(FakeKernel().serve(&machine, machine.start()) == [.unreachable])
    guard case .send(let first)? = machine.start().first else {
      return #expect(Bool(false))
    }
    let actions = machine.start()
    // Late messages of the abandoned dump are ignored.
    #expect(machine.receive(try #require(FakeKernel.online.reply(to: first))) == [])
    #expect(FakeKernel().serve(&machine, actions) == [.unreachable])
  }

  @Test func aBusyKernelIsRetriedWhenItIsFree() throws {
    var machine = RoutingMachine(port: Kernel.port)
    guard case .send(let first)? = machine.start().first,
      case .send(let second)? = machine.start().first
    else { return #expect(Bool(false)) }
    let sequence = try #require(NetlinkMessage.messages(in: second).messages.first?.sequence)
    let busy = Kernel.message(2, Kernel.raw(Int32(-16)), sequence: sequence, port: Kernel.port)
    #expect(machine.receive(busy) == [])
    let actions = machine.receive(try #require(FakeKernel().reply(to: first)))
    #expect(FakeKernel.online.serve(&machine, actions) == [.over("eth0")])
  }

  @Test func aRejectedRequestLeavesTheStatusUnknownUntilAChange() {
    var machine = RoutingMachine(port: Kernel.port)
    _ = machine.start()
    let refusal = Kernel.message(2, Kernel.raw(Int32(-1)), sequence: 1, port: Kernel.port)
    #expect(machine.receive(refusal) == [.report(.unknown)])
    let actions = machine.receive(Kernel.message(20, Kernel.address(2)))
    #expect(FakeKernel.online.serve(&machine, actions) == [.over("eth0")])
  }

  @Test(arguments: 0..<3)
  func aFailedSendLeavesTheStatusUnknownUntilAChange(_ replyCount: Int) {
    var machine = RoutingMachine(port: Kernel.port)
    var actions = machine.start()
    for _ in 0..<replyCount {
      guard case .send(let request)? = actions.first else { break }
      actions = FakeKernel().reply(to: request).map { machine.receive($0) } ?? []
    }
    #expect(machine.sendFailed() == [.report(.unknown)])
    let change = machine.receive(Kernel.message(20, Kernel.address(2)))
    #expect(FakeKernel.online.serve(&machine, change) == [.over("eth0")])
  }

  @Test func truncatedDatagramsAreHandledAndRepaired() throws {
    for table in 0..<3 {
      var machine = RoutingMachine(port: Kernel.port)
      var actions = machine.start()
      for _ in 0..<table {
        guard case .send(let request)? = actions.first else { break }
        actions = FakeKernel.online.reply(to: request).map { machine.receive($0) } ?? []
      }
      guard case .send(let request)? = actions.first else { return #expect(Bool(false)) }
      let whole = try #require(FakeKernel.online.reply(to: request))
      for length in 1..<whole.count where length % 4 != 0 || length < 16 {
        var machine = machine
        let actions = machine.receive(Array(whole[..<length]))
        #expect(FakeKernel.online.serve(&machine, actions) == [.over("eth0")])
      }
    }
  }

  @Test func randomBytesAreHandled() {
    var random = SeededGenerator(seed: 1)
    let bases = Self.changes.map(\.1) + [FakeKernel.online.reply(to: Kernel.message(26)) ?? []]
    for round in 0..<5_000 {
      var machine = RoutingMachine(port: Kernel.port)
      _ = machine.start()
      var bytes = bases[round % bases.count]
      for _ in 0..<4 {
        let index = bytes.indices.randomElement(using: &random) ?? 0
        bytes[index] = .random(in: 0...255, using: &random)
      }
      _ = machine.receive(bytes)
      _ = machine.receive((0..<64).map { _ in .random(in: 0...3, using: &random) })
    }
  }
}
