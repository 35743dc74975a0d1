@testable import Networking

/// Messages as the kernel writes them, for the parser and the machine.
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

  /// IFF_UP, IFF_RUNNING and the like as `flags`.
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
