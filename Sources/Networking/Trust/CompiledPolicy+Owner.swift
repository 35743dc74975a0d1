import Foundation

extension ServerTrust.Policy.Anchors {
  /// Reads the authorities, besides those of the system.
  ///
  /// - Throws: `invalidTLSOptions` with the item that cannot be used.
  func certificates() throws(NetworkError) -> [ServerCertificate] {
    switch self {
    case .system, .anyCertificate: return []
    case .only(let sources), .besidesSystem(let sources):
      if sources.isEmpty { throw .invalidTLS("the list of authorities is empty") }
      var certificates: [ServerCertificate] = []
      for source in sources { certificates += try source.certificates("the authorities") }
      return certificates
    }
  }
}

extension Revocation {
  /// Reads the revocation lists, whose contents are not checked.
  ///
  /// - Throws: `invalidTLSOptions` with the item that cannot be read.
  func items() throws(NetworkError) -> [TLSSource.Item] {
    var items: [TLSSource.Item] = []
    for source in lists {
      items += try source.items("the revocation lists", extensions: TLSSource.listExtensions)
    }
    return items
  }
}

extension CompiledPolicy {
  /// Returns a text that equal policies have in common, also in other processes.
  ///
  /// It is a digest of the contents: the same certificates in other files, in another order or encoding
  /// have the same text. A rule of the caller is a closure, so a policy with one has a text of its own.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - certificates: The authorities of the policy.
  ///   - lists: The revocation lists of the policy.
  ///   - pins: The pins of the policy.
  ///   - minimum: The lowest version of TLS.
  ///   - maximum: The highest version of TLS, or `nil` for no limit.
  /// - Returns: The text, empty for the default policy.
  static func owner(
    _ policy: ServerTrust.Policy, _ certificates: [ServerCertificate], _ lists: [TLSSource.Item],
    _ pins: [CompiledPins], _ minimum: TLSVersion, _ maximum: TLSVersion?
  ) -> String {
    guard policy.evaluations.isEmpty else { return " policy \(UUID().uuidString)" }
    var lines: [String] =
      switch policy.anchors {
      case .system: []
      case .only: ["authorities"]
      case .besidesSystem: ["authorities besides the system"]
      case .anyCertificate: ["any certificate"]
      }
    lines += Array(Set(certificates.map { digest(of: $0.der) })).sorted()
    lines += Array(Set(pins.compactMap(\.requirement))).sorted()
    if policy.revocation.stapled != .ignored { lines.append("\(policy.revocation.stapled)") }
    if !lists.isEmpty {
      lines.append("lists \(policy.revocation.wholeChain)")
      lines += Array(Set(lists.map { digest(of: $0.bytes) })).sorted()
    }
    if minimum != .v1_2 || maximum != nil {
      lines.append("versions \(minimum.rawValue) \(maximum?.rawValue ?? 0)")
    }
    return lines.isEmpty ? "" : " policy \(digest(of: Data(lines.joined(separator: "\n").utf8)))"
  }

  /// Returns the SHA-256 of bytes, or a text that no other bytes have if the platform has no library for it.
  fileprivate static func digest(of bytes: Data) -> String {
    DigestAlgorithm.sha256.hash(bytes) ?? UUID().uuidString
  }
}

extension CompiledPins {
  /// A text that equal pins have in common, or `nil` if a mismatch is only reported.
  fileprivate var requirement: String? {
    guard case .enforced = mode else { return nil }
    let end = expiry.map { "\($0.timeIntervalSince1970)" } ?? "never"
    let accepted =
      certificates.map { $0.map { "certificate \(CompiledPolicy.digest(of: $0))" } }
      ?? expected.map(\.description)
    return "pins \(place) until \(end): \(Array(Set(accepted)).sorted().joined(separator: " "))"
  }
}
