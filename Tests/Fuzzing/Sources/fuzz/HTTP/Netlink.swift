#if os(Linux)
  @testable import Networking

  extension FuzzTarget {
    /// The messages of the kernel's routing socket, and the machine that derives a status.
    ///
    /// The input is one datagram or several.
    static let netlink = FuzzTarget("netlink") { input in
      let (messages, isComplete) = NetlinkMessage.messages(in: input.bytes)
      let written = messages.flatMap(\.encoded)
      let (again, isWhole) = NetlinkMessage.messages(in: written)
      expect(again == messages && isWhole, "messages that are written again are equal")
      let payload = messages.reduce(0) { $0 + $1.payload.count + NetlinkMessage.headerLength }
      expect(payload <= input.bytes.count, "the messages have no more bytes than the datagram")
      for message in messages {
        expect(RoutingMessage(message) == RoutingMessage(message), "decoding has no state")
        if case .route(let route) = RoutingMessage(message) {
          expect(route.interfaces.count <= message.payload.count / 4, "the hops are bounded")
        }
      }
      // As responses to the requests of a machine, so that they are not ignored.
      var machine = RoutingMachine(port: 7)
      var actions = machine.start()
      for (number, message) in messages.enumerated() {
        let response = NetlinkMessage(
          type: message.type, flags: message.flags,
          sequence: number % 5 == 4 ? message.sequence : Self.sequence(of: actions.last),
          port: 7, payload: message.payload)
        let next = machine.receive(response.encoded)
        expect(next.count <= 2, "a message causes few actions")
        if let last = next.last { actions = [last] }
      }
      if !isComplete {
        expect(!machine.receive(input.bytes).isEmpty, "lost messages start a dump")
      }
      Growth.checkLinear(input) { bytes in
        var machine = RoutingMachine(port: 7)
        _ = machine.receive(bytes)
      }
    }

    /// Returns the sequence number of the last request, or 1.
    private static func sequence(of action: RoutingMachine.Action?) -> UInt32 {
      guard case .send(let bytes) = action else { return 1 }
      return NetlinkMessage.messages(in: bytes).messages.first?.sequence ?? 1
    }
  }
#endif
