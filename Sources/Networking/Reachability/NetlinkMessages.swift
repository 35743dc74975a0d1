/// A range of bytes of a netlink message, with integers in host byte order.
struct NetlinkBytes: Equatable {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var count: Int { bytes.count }

  /// Returns the integer at an offset; `nil` if it does not fit into the bytes.
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type = Number.self
  ) -> Number? {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// Returns the bytes from an offset to another, clamped to the end.
  ///
  /// Empty if there are none.
  func range(from start: Int, to end: Int = .max) -> NetlinkBytes {
    let end = min(end, count)
    guard start >= 0, start < end else { return NetlinkBytes([]) }
    return NetlinkBytes(bytes[bytes.startIndex + start..<bytes.startIndex + end])
  }

  /// The text up to a NUL or the end.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

  /// Returns a length rounded up to the alignment of the kernel: NLMSG_ALIGN, RTA_ALIGN.
  static func padded(_ length: Int) -> Int { (length + 3) & ~3 }

  /// Returns the attributes from an offset on.
  ///
  /// Source: RFC 3549 section 2.2.
  func attributes(from offset: Int) -> [(kind: UInt16, value: NetlinkBytes)] {
    records(from: offset, atLeast: 4).map { record in
      // The two upper bits are flags for the encoding of the value.
      ((record.integer(at: 2) ?? 0) & 0x3FFF, record.range(from: 4))
    }
  }

  /// Returns the records from an offset on, each of which begins with its length.
  ///
  /// Stops at the first incomplete record.
  func records(from offset: Int, atLeast minimum: Int) -> [NetlinkBytes] {
    var records: [NetlinkBytes] = []
    var start = offset
    while let length = integer(at: start, as: UInt16.self).map(Int.init), length >= minimum,
      start + length <= count
    {
      records.append(range(from: start, to: start + length))
      start += Self.padded(length)
    }
    return records
  }
}

/// A netlink message with an undecoded payload.
///
/// Source: RFC 3549 section 2.3.2.
struct NetlinkMessage: Equatable {
  static let headerLength = 16
  /// NLM_F_DUMP_INTR: the table changed during the dump, so the dump may be inconsistent.
  static let interruptedFlag: UInt16 = 0x10
  /// NLM_F_REQUEST and NLM_F_DUMP.
  static let dumpFlags: UInt16 = 0x301

  let type: UInt16
  let flags: UInt16
  /// The sequence number of the request that caused the message.
  let sequence: UInt32
  /// The port of the socket that sent the request.
  let port: UInt32
  let payload: NetlinkBytes

  /// Returns the messages in a datagram.
  ///
  /// Stops at the first incomplete message.
  ///
  /// - Returns: The messages, and whether the whole datagram could be read.
  static func messages(
    in datagram: [UInt8]
  ) -> (messages: [NetlinkMessage], isComplete: Bool) {
    let bytes = NetlinkBytes(datagram[...])
    var messages: [NetlinkMessage] = []
    var start = 0
    while start < bytes.count {
      guard let length = bytes.integer(at: start, as: UInt32.self).map(Int.init),
        let type = bytes.integer(at: start + 4, as: UInt16.self),
        let flags = bytes.integer(at: start + 6, as: UInt16.self),
        let sequence = bytes.integer(at: start + 8, as: UInt32.self),
        let port = bytes.integer(at: start + 12, as: UInt32.self),
        length >= headerLength, length <= bytes.count - start
      else { return (messages, false) }
      messages.append(
        NetlinkMessage(
          type: type, flags: flags, sequence: sequence, port: port,
          payload: bytes.range(from: start + headerLength, to: start + length)))
      start += NetlinkBytes.padded(length)
    }
    return (messages, true)
  }

  /// The bytes of the message as sent over the socket.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ integer: some FixedWidthInteger & BitwiseCopyable) {
      withUnsafeBytes(of: integer) { bytes.append(contentsOf: $0) }
    }
    append(UInt32(Self.headerLength + payload.count))
    append(type)
    append(flags)
    append(sequence)
    append(port)
    bytes += payload.bytes
    return bytes + Array(repeating: 0, count: NetlinkBytes.padded(bytes.count) - bytes.count)
  }
}

/// A decoded message about links, addresses or routes.
///
/// It contains only the facts that determine the status.
///
/// Source: RFC 3549 section 3.1, and <linux/rtnetlink.h>, <linux/if_link.h>, <linux/if_addr.h>.
/// Their numbers and layouts are part of the kernel's stable interface.
enum RoutingMessage: Equatable {
  /// A network interface.
  struct Link: Equatable {
    let index: Int32
    let name: String
    /// Whether the interface is up and has a carrier.
    let isRunning: Bool
    let isLoopback: Bool
  }

  /// An address of an interface.
  struct Address: Equatable {
    let family: UInt8
    let index: Int32
    /// Whether the address has more than link scope and has not failed duplicate address detection.
    ///
    /// An address with pending detection is usable only if it is optimistic.
    let isUsable: Bool
  }

  /// A route.
  struct Route: Equatable {
    let family: UInt8
    let isDefault: Bool
    /// Whether the route forwards packets instead of rejecting them.
    let isForwarding: Bool
    /// The priority of the route.
    ///
    /// Lower values are preferred.
    private(set) var metric: UInt32 = 0
    /// The interfaces of the active next hops.
    private(set) var interfaces: [Int32] = []
  }

  case link(Link)
  case address(Address)
  case route(Route)
  /// A change that may affect the status: DELLINK, DELADDR, or a message that cannot be decoded.
  case change
  case routeRemoved(isDefault: Bool)
  case done(error: Int32)
  case error(Int32)
  case overrun
  case unrelated

  init(_ message: NetlinkMessage) {
    let payload = message.payload
    switch message.type {
    // NLMSG_ERROR, NLMSG_DONE, NLMSG_OVERRUN. Error codes are negative.
    case 2: self = .error(payload.integer(at: 0) ?? -1)
    case 3: self = .done(error: payload.integer(at: 0) ?? 0)
    case 4: self = .overrun
    // RTM_NEWLINK, RTM_DELLINK, RTM_NEWADDR, RTM_DELADDR, RTM_NEWROUTE, RTM_DELROUTE.
    case 16: self = Link(payload).map(Self.link) ?? .change
    case 20: self = Address(payload).map(Self.address) ?? .change
    case 17, 21: self = .change
    case 24: self = Route(payload).map(Self.route) ?? .change
    case 25: self = .routeRemoved(isDefault: Route(payload)?.isDefault ?? true)
    default: self = .unrelated
    }
  }
}

extension RoutingMessage.Link {
  /// Decodes a struct ifinfomsg and its attributes.
  fileprivate init?(_ payload: NetlinkBytes) {
    guard let index = payload.integer(at: 4, as: Int32.self),
      let flags = payload.integer(at: 8, as: UInt32.self)
    else { return nil }
    self.index = index
    // IFF_UP and IFF_RUNNING; IFF_LOOPBACK.
    isRunning = flags & 0x41 == 0x41
    isLoopback = flags & 0x8 != 0
    // IFLA_IFNAME.
    name = payload.attributes(from: 16).first { $0.kind == 3 }?.value.text ?? ""
  }
}

extension RoutingMessage.Address {
  /// Decodes a struct ifaddrmsg.
  fileprivate init?(_ payload: NetlinkBytes) {
    guard let family = payload.integer(at: 0, as: UInt8.self),
      let flags = payload.integer(at: 2, as: UInt8.self),
      let scope = payload.integer(at: 3, as: UInt8.self),
      let index = payload.integer(at: 4, as: Int32.self)
    else { return nil }
    self.family = family
    self.index = index
    // IFA_F_TENTATIVE without IFA_F_OPTIMISTIC; IFA_F_DADFAILED; RT_SCOPE_LINK and narrower.
    isUsable = flags & 0x44 != 0x40 && flags & 0x08 == 0 && scope < 253
  }
}

extension RoutingMessage.Route {
  /// RTNH_F_DEAD, RTNH_F_LINKDOWN.
  private static let deadFlags: UInt32 = 0x11

  /// Decodes a struct rtmsg and its attributes.
  fileprivate init?(_ payload: NetlinkBytes) {
    guard let family = payload.integer(at: 0, as: UInt8.self),
      let length = payload.integer(at: 1, as: UInt8.self),
      let type = payload.integer(at: 7, as: UInt8.self),
      let flags = payload.integer(at: 8, as: UInt32.self)
    else { return nil }
    self.family = family
    // AF_INET, AF_INET6. Other families are multicast routing tables. RTM_F_CLONED is a cached
    // result.
    isDefault = length == 0 && (family == 2 || family == 10) && flags & 0x200 == 0
    // RTN_UNICAST.
    isForwarding = type == 1
    for (kind, value) in payload.attributes(from: 12) {
      switch kind {
      // RTA_OIF, RTA_PRIORITY, RTA_MULTIPATH.
      case 4 where flags & Self.deadFlags == 0:
        interfaces += value.integer(at: 0).map { [$0] } ?? []
      case 6: metric = value.integer(at: 0) ?? 0
      case 9: interfaces += Self.hops(value)
      default: break
      }
    }
  }

  /// Decodes an array of struct rtnexthop, each with its own attributes.
  private static func hops(_ value: NetlinkBytes) -> [Int32] {
    value.records(from: 0, atLeast: 8).compactMap { hop in
      let flags = hop.integer(at: 2, as: UInt8.self) ?? 0
      return UInt32(flags) & deadFlags == 0 ? hop.integer(at: 4) : nil
    }
  }
}
