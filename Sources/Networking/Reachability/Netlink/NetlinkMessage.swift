/// A message of the kernel's, its contents still bytes.
///
/// Source: RFC 3549 section 2.3.2.
struct NetlinkMessage: Equatable {
  static let headerLength = 16
  /// NLM_F_DUMP_INTR: what is listed has changed since the list began.
  static let interruptedFlag: UInt16 = 0x10
  /// NLM_F_REQUEST and NLM_F_DUMP.
  static let dumpFlags: UInt16 = 0x301

  let type: UInt16
  var flags: UInt16 = 0
  /// That of the request which it answers.
  let sequence: UInt32
  /// Whose request it answers.
  let port: UInt32
  let payload: NetlinkBytes

  /// The messages in a datagram, as many as are whole.
  ///
  /// - Returns: the messages, and whether there was nothing else.
  static func messages(
    in datagram: [UInt8]
  ) -> (messages: [NetlinkMessage], areAll: Bool) {
    let bytes = NetlinkBytes(datagram[...])
    var messages: [NetlinkMessage] = []
    var start = 0
    while start < bytes.count {
      guard let length = bytes.number(at: start, as: UInt32.self).map(Int.init),
        let type = bytes.number(at: start + 4, as: UInt16.self),
        let flags = bytes.number(at: start + 6, as: UInt16.self),
        let sequence = bytes.number(at: start + 8, as: UInt32.self),
        let port = bytes.number(at: start + 12, as: UInt32.self),
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

  /// As it goes over the socket.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
      withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
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
