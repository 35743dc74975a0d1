import Foundation

/// The TLS properties of a connection.
///
/// All exchanges of a connection share one value. The certificates are parsed when ``chain`` is
/// read.
public struct TLSMetrics: Sendable {
  struct Properties: Sendable, Hashable {
    let version: TLSVersion?
    let cipher: String
    let applicationProtocol: String?
    let isResumed: Bool
    let isVerified: Bool
    let certificates: [Data]
    let hasReportedPinMismatch: Bool
  }

  /// The properties of a connection, which its exchanges share.
  final class Connection: Sendable {
    let properties: Properties

    init(_ properties: Properties) { self.properties = properties }
  }

  private let connection: Connection
  private var properties: Properties { connection.properties }

  init(_ connection: Connection) { self.connection = connection }

  /// Makes metrics, for example for a test.
  ///
  /// - Parameters:
  ///   - version: The version, or `nil` if it is unknown.
  ///   - cipher: The name of the cipher suite.
  ///   - applicationProtocol: The protocol that ALPN has selected, or `nil` for none.
  ///   - isResumed: Whether the handshake continued an earlier session.
  ///   - isVerified: Whether the server's certificate was verified.
  ///   - chain: The certificates, the server's first.
  public init(
    version: TLSVersion?, cipher: String, applicationProtocol: String? = nil,
    isResumed: Bool = false, isVerified: Bool = true, chain: [ServerCertificate] = []
  ) {
    connection = Connection(
      Properties(
        version: version, cipher: cipher, applicationProtocol: applicationProtocol,
        isResumed: isResumed, isVerified: isVerified, certificates: chain.map(\.der),
        hasReportedPinMismatch: false))
  }

  /// Makes the metrics of a connection of the system, whose certificates are unknown.
  ///
  /// - Parameters:
  ///   - versionNumber: The number of the version in the protocol.
  ///   - cipherNumber: The number of the cipher suite in the registry.
  ///   - applicationProtocol: The protocol that ALPN has selected, or `nil` for none.
  ///   - isVerified: Whether the server's certificate was verified.
  init(
    versionNumber: UInt16, cipherNumber: UInt16?, applicationProtocol: String?, isVerified: Bool
  ) {
    self.init(
      version: TLSVersion(rawValue: Int(versionNumber)),
      cipher: cipherNumber.map(TLSCipherSuite.name) ?? "", applicationProtocol: applicationProtocol,
      isVerified: isVerified)
  }

  /// The version, or `nil` if it is unknown.
  public var version: TLSVersion? { properties.version }
  /// The name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  ///
  /// For the suites of TLS 1.2 and earlier, libcurl reports the names of OpenSSL, and Apple's platforms
  /// those of IANA. A suite without a known name has its number, such as `0x1304`.
  public var cipher: String { properties.cipher }
  /// The protocol that ALPN has selected, such as `h2`, or `nil` for none.
  ///
  /// Source: RFC 7301.
  public var applicationProtocol: String? { properties.applicationProtocol }
  /// Whether the handshake continued an earlier session of the same transport.
  ///
  /// The server's certificate was verified when that session was made. Always `false` on Apple's
  /// platforms, which do not report it.
  public var isResumed: Bool { properties.isResumed }
  /// Whether the client's policies demanded a verified certificate.
  ///
  /// `false` for a host with the policy `insecure`. On Apple's platforms the delegate of a `custom`
  /// configuration may accept any certificate under the policy `system`; this is `true` then.
  public var isVerified: Bool { properties.isVerified }
  /// Whether pins that are only reported did not match.
  public var hasReportedPinMismatch: Bool { properties.hasReportedPinMismatch }
  /// The verified certificates from the server's to the authority's.
  ///
  /// The certificates are those that the server has sent if they were not verified, or if the session
  /// was resumed. The chain is empty on Apple's platforms.
  public var chain: [ServerCertificate] {
    properties.certificates.compactMap(ServerCertificate.init(der:))
  }
}

extension TLSMetrics: Hashable {
  /// Compares the properties.
  public static func == (left: TLSMetrics, right: TLSMetrics) -> Bool {
    left.connection === right.connection || left.properties == right.properties
  }

  /// Hashes the properties.
  public func hash(into hasher: inout Hasher) { hasher.combine(properties) }
}

extension TLSMetrics: CustomStringConvertible {
  /// The version, the cipher suite, the protocol and the owner of the certificate.
  public var description: String {
    let parts = [
      version?.description, cipher, applicationProtocol, chain.first?.subject,
      isVerified ? nil : "not verified",
    ]
    return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
