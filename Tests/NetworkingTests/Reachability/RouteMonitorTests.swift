#if os(Linux)
  import Foundation
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  /// The status reported by the kernel, for this machine and for a network namespace with changing
  /// links.
  @Suite(.serialized, .gated)
  struct RouteMonitorTests {
    @Test func theStatusIsKnownImmediately() {
      #expect(NetworkReachability().status != .unknown)
    }

    @Test func releaseClosesTheSocket() async throws {
      // Other tests open and close files concurrently, so each socket is checked individually.
      let (closed, resolver) = Promise<Void>.pending(on: .inline)
      var reachability: NetworkReachability? = NetworkReachability(
        monitor: RouteMonitor { resolver.fulfill() })
      #expect(reachability?.status != .unknown)
      #expect(closed.isPending)
      reachability = nil
      try await closed.value
    }

    @Test func aThousandMonitorsLeaveNoDescriptors() async throws {
      for _ in 0..<1_000 {
        let (closed, resolver) = Promise<Void>.pending(on: .inline)
        do {
          let reachability = NetworkReachability(monitor: RouteMonitor { resolver.fulfill() })
          #expect(reachability.status != .unknown)
        }
        try await closed.value
      }
    }

    @Test(.enabled(NetworkNamespace.requirement) { await NetworkNamespace.isPermitted })
    func theStatusFollowsLinksAddressesAndRoutes() async throws {
      let namespace = try NetworkNamespace()
      var expected = ["initial: unreachable", "unreachable"]
      #expect(await namespace.lines(2) == expected)

      func run(_ commands: String, gives lines: String...) async {
        namespace.run(commands)
        expected += lines
        let printed = await namespace.lines(expected.count)
        #expect(printed == expected)
      }
      let online = "reachable via [\"up0\"]"
      await run(
        """
        ip link add up0 type veth peer name peer0; ip addr add 192.0.2.1/24 dev up0; \
        ip link set peer0 up; ip link set up0 up; ip route add default via 192.0.2.2
        """, gives: "became reachable", online)
      // The link goes down and up again.
      await run("ip link set peer0 down", gives: "unreachable")
      await run("ip link set peer0 up", gives: online)
      await run("ip route del default", gives: "unreachable")
      await run("ip route add default via 192.0.2.2", gives: online)
      await run(
        "ip route replace unreachable default",
        gives: "unreachable")
      await run(
        "ip route replace default via 192.0.2.2", gives: online)
      // Removing the address removes the routes, which the kernel does not report.
      await run("ip addr flush dev up0", gives: "unreachable")
      await run(
        """
        ip -6 addr add 2001:db8::1/64 dev up0 nodad; \
        ip -6 route add default via 2001:db8::2 dev up0
        """, gives: online)
      await run("ip link set up0 down", gives: "unreachable")
      await run(
        """
        ip addr add 192.0.2.1/24 dev up0; ip link set up0 up; \
        ip route add default table 100 via 192.0.2.2
        """, gives: online)
      await run("ip link del up0", gives: "unreachable")
      let end = await namespace.end()
      #expect(end.status == .exited(0), "\(end.errors)")
    }
  }
#endif
