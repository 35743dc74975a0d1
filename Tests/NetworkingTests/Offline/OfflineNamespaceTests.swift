#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// A network namespace that has no route at first.
  @Suite(.serialized, .gated)
  struct OfflineNamespaceTests {
    @Test(.enabled(NetworkNamespace.requirement) { await NetworkNamespace.isPermitted })
    func requestsStoredWithoutARouteArriveInOrder() async throws {
      let temporary = TemporaryStore()
      let folder = temporary.folder.appendingPathComponent("store")
      let namespace = try NetworkNamespace("offline-namespace", folder.path)
      var expected: [String] = []

      func expect(_ lines: String...) async {
        expected += lines
        let printed = await namespace.lines(expected.count)
        #expect(printed == expected)
      }
      for name in ["1", "2", "3"] {
        namespace.send("send \(name)")
        await expect("cannotConnect, stored: true")
      }
      #expect(try OfflineStore(folder: folder).count == 3)

      // The server is available before a default route exists, so the client does not send
      // requests.
      namespace.run("ip link set lo up")
      namespace.send("serve")
      await expect("serving")
      let route = """
        ip link add up0 type veth peer name peer0; ip addr add 192.0.2.1/24 dev up0; \
        ip link set peer0 up; ip link set up0 up; ip route add default via 192.0.2.2
        """
      namespace.run(route)
      await expect(
        "served PUT /1", "served PUT /2", "served PUT /3",
        "replayed: [\"1\", \"2\", \"3\"] delivered, 0 remaining")
      #expect(try OfflineStore(folder: folder).count == 0)

      // The link goes down and the server stops; then both return.
      namespace.run("ip link set peer0 down")
      namespace.send("stop")
      await expect("stopped")
      namespace.send("send 4")
      await expect("cannotConnect, stored: true")
      namespace.send("serve")
      await expect("serving")
      namespace.run("ip link set peer0 up")
      await expect("served PUT /4", "replayed: [\"4\"] delivered, 0 remaining")
      namespace.send("send 5")
      await expect("served PUT /5", "response 204")
      let end = await namespace.end()
      #expect(end.status == .exited(0), "\(end.errors)")
    }
  }
#endif
