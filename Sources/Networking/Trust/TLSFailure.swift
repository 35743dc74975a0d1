import Foundation

/// The reason for which a server was not accepted.
///
/// It is the ``NetworkError/underlying`` error of a ``NetworkError`` with one of the codes
/// `tlsUntrusted`, `tlsCertificateExpired`, `tlsHostMismatch`, `tlsRevoked`, `tlsRevocationUnknown` and
/// `pinMismatch`, and of one with the code `tlsHandshakeFailed` if the TLS library rejects the settings.
public struct TLSFailure: Error, Sendable, CustomStringConvertible {
  /// The code of the ``NetworkError``.
  public let code: NetworkError.Code
  /// The host.
  public let host: String
  /// The reason, such as `self-signed certificate`.
  public let reason: String
  /// The verified certificates, the server's first, or those that it has sent if they could not be
  /// verified.
  public let chain: [ServerCertificate]
  /// The pins that were seen and expected, for `pinMismatch`.
  public let mismatch: PinMismatch?
  /// The error of a closure of ``ServerTrust/Policy/evaluate(_:)-swift.type.method``.
  public let underlying: (any Error)?

  init(
    _ code: NetworkError.Code, host: String, _ reason: String, chain: [Data] = [],
    mismatch: PinMismatch? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.host = host
    self.reason = reason
    self.chain = chain.compactMap(ServerCertificate.init(der:))
    self.mismatch = mismatch
    self.underlying = underlying
  }

  /// The reason, followed by a line for each certificate or pin.
  public var description: String {
    var lines = [reason]
    switch code {
    case .pinMismatch:
      lines.append("the server has:")
      lines += mismatch?.seen.map(\.description) ?? []
      lines.append("the client expects:")
      lines += mismatch?.expected.map(\.description) ?? []
    case .tlsHostMismatch:
      let names = chain.first?.hostNames ?? []
      lines.append(
        "the certificate is for: "
          + (names.isEmpty ? "no host" : names.prefix(20).joined(separator: ", ")))
    default: break
    }
    if code != .pinMismatch, !chain.isEmpty {
      lines.append("the certificates:")
      lines += chain.prefix(10).map(\.description)
    }
    return lines.joined(separator: "\n")
  }
}

extension TransportFailure {
  /// Makes the failure of an exchange whose server was not accepted.
  init(rejecting failure: TLSFailure, metrics: TransportMetrics = TransportMetrics()) {
    self.init(
      code: failure.code, detail: failure.description, metrics: metrics, underlying: failure)
  }
}
