import TestGate
import Testing

@testable import Networking

/// Messages captured from a kernel (Linux 6.18, little-endian), and malformed messages.
@Suite(.gated)
struct RoutingMessageTests {
  private static func messages(_ hex: String) throws -> [NetlinkMessage] {
    var bytes: [UInt8] = []
    var rest = hex[...]
    while rest.count >= 2 {
      bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
      rest = rest.dropFirst(2)
    }
    let (messages, isComplete) = NetlinkMessage.messages(in: bytes)
    try #require(isComplete)
    return messages
  }

  #if _endian(little)
    @Test func addressesAreParsed() throws {
      let messages = try Self.messages(
        """
        4c00000014000200070000002349000002180000030000000800010\
        0c000020108000200c00002010800030075703000080008008000000014000600ffffffffffffffff3dd913003dd91300\
        500000001400020007000000234900000a8080fe01000000140001000000000000000000000000000000000114000600\
        ffffffffffffffff38d9130038d91300080008008000000005000b0001000000\
        500000001400020007000000234900000a40c0fd0200000014000100fe800000000000000ca5defffed819cc14000600\
        ffffffffffffffff3dd913003dd9130008000800c000000005000b0003000000
        """)
      #expect(messages.map(\.sequence) == [7, 7, 7])
      #expect(messages.map(\.port) == [0x4923, 0x4923, 0x4923])
      #expect(
        messages.map(RoutingMessage.init) == [
          .address(.init(family: 2, index: 3, isUsable: true)),
          .address(.init(family: 10, index: 1, isUsable: false)),
          .address(.init(family: 10, index: 2, isUsable: false)),
        ])
    }

    @Test func routesAreParsed() throws {
      let messages = try Self.messages(
        """
        3c00000018000200070000002349000002000000fe0300010000000008000f00fe0000000800060064000000\
        08000500c00002020800040003000000\
        3c00000018000200070000002349000002180000fe02fd010000000008000f00fe00000008000100c0000200\
        08000700c00002010800040003000000
        """)
      #expect(
        messages.map(RoutingMessage.init) == [
          .route(
            .init(family: 2, isDefault: true, isForwarding: true, metric: 100, interfaces: [3])),
          .route(
            .init(family: 2, isDefault: false, isForwarding: true, metric: 0, interfaces: [3])),
        ])
    }
  #endif

  @Test func linksAreParsedWithTheirNames() {
    let payload = KernelMessages.link(4, "wlan0", flags: 0x1_1043)
    let message = NetlinkMessage(
      type: 16, flags: 0, sequence: 0, port: 0, payload: NetlinkBytes(payload[...]))
    #expect(
      RoutingMessage(message)
        == .link(.init(index: 4, name: "wlan0", isRunning: true, isLoopback: false)))
  }

  @Test(arguments: [0, 1, 15, 17, UInt32.max])
  func anInvalidMessageLengthEndsTheDatagram(_ length: UInt32) {
    let whole = KernelMessages.message(3)
    var broken = whole
    broken.replaceSubrange(0..<4, with: KernelMessages.raw(length))
    let (messages, isComplete) = NetlinkMessage.messages(in: whole + broken)
    #expect(messages.count == 1 && !isComplete)
  }

  @Test(arguments: [0, 3, 200, UInt16.max])
  func anInvalidAttributeLengthEndsTheAttributes(_ length: UInt16) {
    let good = KernelMessages.attribute(4, [1, 0, 0, 0])
    let broken = KernelMessages.raw(length) + KernelMessages.raw(UInt16(6)) + [1, 2, 3, 4]
    let list = NetlinkBytes((good + broken + good)[...])
    #expect(list.attributes(from: 0).map(\.kind) == [4])
    #expect(list.attributes(from: 1_000).isEmpty && list.attributes(from: -1).isEmpty)
  }

  @Test(arguments: [0, 7, 200, UInt16.max])
  func anInvalidHopLengthEndsTheHops(_ length: UInt16) {
    var broken = KernelMessages.hop(3)
    broken.replaceSubrange(0..<2, with: KernelMessages.raw(length))
    let payload = KernelMessages.route(
      KernelMessages.attribute(9, KernelMessages.hop(2) + broken))
    let message = NetlinkMessage(
      type: 24, flags: 0, sequence: 0, port: 0, payload: NetlinkBytes(payload[...]))
    guard case .route(let route) = RoutingMessage(message) else { return #expect(Bool(false)) }
    #expect(route.interfaces == [2])
  }
}
