import CatenaSystem
import Foundation

/// The pins of a policy, ready to compare.
struct CompiledPins: Sendable {
  /// The accepted certificates, or `nil` if keys are compared.
  let certificates: [Data]?
  /// The pins in the order in which they were given.
  ///
  /// The lists are short, so they are arrays.
  let expected: [PublicKeyPin]
  let place: PinPlace
  let expiry: Date?
  let mode: PinMode
  private let compared = ComparedCertificates()

  /// Checks and reads the pins of a rule.
  ///
  /// - Throws: `invalidTLSOptions` with the defect.
  init(_ rule: ServerTrust.Policy.PinRule) throws(NetworkError) {
    switch rule.expiry?.kind {
    case nil: expiry = nil
    case .date(let date): expiry = date
    case .malformed(let text):
      throw .invalidTLS(
        "the expiry \(text.debugDescription) of the pins is not a day such as 2027-06-01")
    }
    switch rule.pins {
    case .keys(let pins):
      guard !pins.isEmpty else { throw .invalidTLS("the list of pinned keys is empty") }
      if let malformed = pins.first(where: { $0.isMalformed }) {
        throw .invalidTLS(
          "the pin \"\(malformed)\" is not a SHA-256 hash in base64, such as sha256/AAAA...=")
      }
      (certificates, expected) = (nil, pins)
    case .certificates(let sources):
      guard !sources.isEmpty else { throw .invalidTLS("the list of pinned certificates is empty") }
      var found: [ServerCertificate] = []
      for source in sources { found += try source.certificates("the pinned certificates") }
      certificates = found.map(\.der)
      expected = found.compactMap(\.publicKeyPin)
    }
    place = rule.place
    mode = rule.mode
  }

  /// Compares a chain with the pins.
  ///
  /// - Parameters:
  ///   - chain: The encoded certificates, the server's first.
  ///   - isVerified: Whether the chain was verified. Otherwise only the server's certificate counts,
  ///     whose key the handshake proves.
  ///   - host: The host.
  ///   - now: The current time.
  /// - Returns: The mismatch, or `nil` if a certificate has a pin or the pins have expired.
  func mismatch(
    _ chain: [Data], isVerified: Bool, host: String, now: Date
  ) -> PinMismatch? {
    if let expiry, now >= expiry { return nil }
    let candidates = chain.prefix(place == .leaf || !isVerified ? 1 : chain.count)
    if let certificates, candidates.contains(where: certificates.contains) { return nil }
    let seen = candidates.compactMap(compared.pin(of:))
    if certificates == nil, seen.contains(where: expected.contains) { return nil }
    return PinMismatch(host: host, seen: seen, expected: expected)
  }
}

/// The pins of certificates that were compared before.
///
/// OpenSSL 3 takes some 0.2 ms to read a certificate, and a server sends the same ones in each
/// handshake.
private final class ComparedCertificates: Sendable {
  private static let maximumCount = 64

  private let pins = Mutex<[Data: PublicKeyPin]>([:])

  /// Returns the pin of a certificate in DER, or `nil` if it is malformed.
  func pin(of certificate: Data) -> PublicKeyPin? {
    if let known = pins.withLock({ $0[certificate] }) { return known }
    guard let pin = PublicKeyPin(of: certificate) else { return nil }
    pins.withLock { pins in
      if pins.count >= Self.maximumCount { pins = [:] }
      pins[certificate] = pin
    }
    return pin
  }
}
