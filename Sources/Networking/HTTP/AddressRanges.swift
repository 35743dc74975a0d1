import Foundation

/// A list of IPv6 addresses and ranges of addresses, such as `fd00::/8`.
struct AddressRanges: Sendable {
  /// The items, separated by commas or spaces.
  ///
  /// An address may have brackets. Other items are ignored.
  let text: String

  /// Returns whether an address is in the list, or in one of its ranges.
  ///
  /// - Parameter host: An IPv6 address, with or without brackets. Its zone is ignored.
  /// - Returns: `false` for any other host.
  func contains(ipv6 host: some StringProtocol) -> Bool {
    guard host.contains(":"), let address = Self.bytes(host) else { return false }
    return text.split { $0 == "," || $0 == " " }.contains { item in
      let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let length = parts.count == 1 ? 128 : Int(parts[1]) ?? -1
      guard (0...128).contains(length), let network = Self.bytes(parts[0]) else { return false }
      let (whole, rest) = (length / 8, length % 8)
      return address[..<whole] == network[..<whole]
        && (rest == 0 || (address[whole] ^ network[whole]) >> (8 - rest) == 0)
    }
  }

  /// Returns the bytes of an IPv6 address, without its zone.
  private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let text = (isBracketed ? text.dropFirst().dropLast() : text[...]).prefix { $0 != "%" }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
    return withUnsafeBytes(of: address) { Array($0) }
  }
}
