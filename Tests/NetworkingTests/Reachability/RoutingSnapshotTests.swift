import TestGate
import Testing

@testable import Networking

/// The reachability of sets of links, addresses, and routes.
@Suite(.gated)
struct RoutingSnapshotTests {
  typealias Kernel = KernelMessages

  @Test func aDefaultRouteOverARunningInterfaceWithAnAddressIsReachable() {
    #expect(FakeKernel.online.status == .over("eth0"))
  }

  @Test(arguments: [0, 1, 0x40, 0x49] as [UInt32])
  func interfacesThatAreDownOrWithoutCarrierOrLoopbackAreUnreachable(_ flags: UInt32) {
    var kernel = FakeKernel.online
    kernel.links[1] = Kernel.link(2, "eth0", flags: flags)
    #expect(kernel.status == .unreachable)
  }

  @Test(arguments: [
    Kernel.address(3), Kernel.address(2, scope: 253), Kernel.address(2, scope: 254),
    Kernel.address(2, family: 10), Kernel.address(2, flags: 0x40), Kernel.address(2, flags: 0x08),
  ])
  func addressesOfOtherInterfacesFamiliesNarrowScopeOrTentativeAreIgnored(
    _ address: [UInt8]
  ) {
    var kernel = FakeKernel.online
    kernel.addresses = [address]
    #expect(kernel.status == .unreachable)
  }

  @Test func optimisticAddressesAndGlobalLoopbackAddressesCount() {
    var kernel = FakeKernel.online
    kernel.addresses = [Kernel.address(2, flags: 0x44)]
    #expect(kernel.status == .over("eth0"))
    kernel.addresses = [Kernel.address(1)]
    #expect(kernel.status == .over("eth0"))
  }

  @Test(arguments: [
    Kernel.route(over: 2, length: 24), Kernel.route(over: 2, type: 7),
    Kernel.route(over: 2, type: 6),
    Kernel.route(over: 2, flags: 0x01), Kernel.route(over: 2, flags: 0x10),
    Kernel.route(over: 2, family: 128), Kernel.route(over: 9), Kernel.route(),
  ])
  func nonDefaultRejectingAndDeadRoutesAreUnreachable(_ route: [UInt8]) {
    var kernel = FakeKernel.online
    kernel.routes = [route]
    #expect(kernel.status == .unreachable)
  }

  @Test func aMultipathRouteUsesItsLiveHops() {
    var kernel = FakeKernel.online
    kernel.links.append(Kernel.link(3, "wlan0"))
    kernel.addresses.append(Kernel.address(3))
    let hops = Kernel.attribute(9, Kernel.hop(2, flags: 0x10) + Kernel.hop(3))
    kernel.routes = [Kernel.route(hops)]
    #expect(kernel.status == .over("wlan0"))
  }

  @Test func interfacesAreUniqueAndOrderedByMetric() {
    var kernel = FakeKernel.online
    kernel.links.append(Kernel.link(3, "wwan0"))
    kernel.addresses += [Kernel.address(3), Kernel.address(3, family: 10)]
    kernel.routes = [
      Kernel.route(over: 2, metric: 600), Kernel.route(over: 3, metric: 100),
      Kernel.route(over: 3, family: 10, metric: 1024),
    ]
    #expect(kernel.status == .over("wwan0", "eth0"))
    guard case .reachable(let path)? = kernel.status else { return #expect(Bool(false)) }
    #expect(path.isExpensive)
    #expect(path.interfaces.map(\.kind) == [.cellular, .wired])
  }

  @Test func anIPv6RouteNeedsAnIPv6Address() {
    var kernel = FakeKernel.online
    kernel.routes = [Kernel.route(over: 2, family: 10)]
    #expect(kernel.status == .unreachable)
    kernel.addresses.append(Kernel.address(2, family: 10))
    #expect(kernel.status == .over("eth0"))
  }
}
