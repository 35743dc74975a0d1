public import Foundation
public import Networking

/// The TLS settings of a ``MockServer``.
///
/// The server selects `http/1.1` by ALPN and offers session tickets.
public struct MockTLS: Sendable {
  /// The use of client certificates.
  public enum ClientCertificates: Sendable, Hashable {
    /// None is requested.
    case ignored
    /// One is requested. A client without one is accepted.
    case requested
    /// A client without one is rejected.
    case required
  }

  /// The certificate of the server.
  public var certificate: MockCertificate
  /// The use of client certificates.
  ///
  /// A certificate that ``clientAuthorities`` have not issued is rejected unless it is ignored.
  public var clientCertificates: ClientCertificates
  /// The authorities of client certificates.
  public var clientAuthorities: [MockAuthority]
  /// The lowest version.
  public var minimumVersion: TLSVersion
  /// The highest version, or `nil` for no limit.
  public var maximumVersion: TLSVersion?
  /// The OCSP response to staple to the certificate, or `nil` for none.
  ///
  /// ``MockAuthority/revocationStatus(of:isRevoked:validity:)`` makes one.
  public var stapledStatus: Data?

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - certificate: The certificate of the server.
  ///   - clientCertificates: The use of client certificates.
  ///   - clientAuthorities: The authorities of client certificates.
  ///   - minimumVersion: The lowest version.
  ///   - maximumVersion: The highest version, or `nil` for no limit.
  ///   - stapledStatus: The OCSP response to staple to the certificate, or `nil` for none.
  public init(
    _ certificate: MockCertificate, clientCertificates: ClientCertificates = .ignored,
    clientAuthorities: [MockAuthority] = [], minimumVersion: TLSVersion = .v1_2,
    maximumVersion: TLSVersion? = nil, stapledStatus: Data? = nil
  ) {
    self.certificate = certificate
    self.clientCertificates = clientCertificates
    self.clientAuthorities = clientAuthorities
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.stapledStatus = stapledStatus
  }
}
