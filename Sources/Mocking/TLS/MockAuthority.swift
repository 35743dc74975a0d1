public import Foundation
public import Networking

#if CATENA_CURL
  import CCatenaCurl
#endif

/// A certificate authority made on the spot, for tests of TLS.
///
/// Its keys exist only in memory. Every authority is another one, so a second one is untrusted.
///
/// ```swift
/// let authority = try MockAuthority()
/// let certificate = try authority.certificate(for: "localhost", "127.0.0.1")
/// let server = try MockServer(tls: MockTLS(certificate)) {
///   Route(.get, "/boards") { _ in .json([]) }
/// }
/// let networking = try Networking<Request>(
///   sessionConfiguration: .ephemeral.trusting(.all(.authorities(authority.source))))
/// ```
///
/// Linux only: on Apple platforms, and in a build without libcurl, the initializer throws
/// ``MockServerError/tlsFailed(reason:)``.
public struct MockAuthority: Sendable {
  /// The certificate of the authority.
  public let certificate: MockCertificate
  /// The certificates that a server sends after its own: those of the intermediate authorities.
  private let intermediates: [Data]

  /// Makes a root authority, whose certificate is valid from a year ago for ten years.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if OpenSSL is missing.
  public init(name: String = "Catena mock authority") throws(MockServerError) {
    certificate = try MockCertificate.make(
      name: name, isAuthority: true, validity: .current, issuer: nil, issuers: [])
    intermediates = []
  }

  private init(_ certificate: MockCertificate, intermediates: [Data]) {
    self.certificate = certificate
    self.intermediates = intermediates
  }

  /// The certificate of the authority in PEM.
  public var pem: String { certificate.certificatePEM }

  /// The certificate of the authority, for `ServerTrust.Policy.authorities`.
  public var source: TLSSource { .data(certificate.der) }

  /// The pin of the authority's key.
  public var publicKeyPin: PublicKeyPin { certificate.publicKeyPin }

  /// Makes a certificate for a server.
  ///
  /// - Parameters:
  ///   - hosts: The host names, wildcards such as `*.example.com`, and IP addresses.
  ///   - validity: The time in which the certificate is valid.
  ///   - other: A certificate whose key is used again. `nil` makes a new key.
  /// - Returns: The certificate, which is sent with those of intermediate authorities.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if a host is malformed.
  public func certificate(
    for hosts: String..., validity: MockCertificate.Validity = .current,
    reusingKeyOf other: MockCertificate? = nil
  ) throws(MockServerError) -> MockCertificate {
    try MockCertificate.make(
      name: hosts.first ?? "a server without a host", hosts: hosts, validity: validity,
      issuer: certificate, issuers: intermediates, key: other?.privateKey)
  }

  /// Makes a certificate for a client.
  ///
  /// - Parameters:
  ///   - name: The name of the client.
  ///   - validity: The time in which the certificate is valid.
  /// - Returns: The certificate. ``MockCertificate/identity`` is a `ClientIdentity` with it.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if the name is malformed.
  public func clientCertificate(
    name: String = "a client", validity: MockCertificate.Validity = .current
  ) throws(MockServerError) -> MockCertificate {
    try MockCertificate.make(
      name: name, isForClients: true, validity: validity, issuer: certificate,
      issuers: intermediates)
  }

  /// Makes an authority whose certificate this authority has issued.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - validity: The time in which the certificate is valid.
  /// - Returns: The authority. Servers send its certificate after their own.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if the name is malformed.
  public func intermediate(
    name: String = "Catena intermediate authority",
    validity: MockCertificate.Validity = .current
  ) throws(MockServerError) -> MockAuthority {
    let certificate = try MockCertificate.make(
      name: name, isAuthority: true, validity: validity, issuer: certificate,
      issuers: intermediates)
    return MockAuthority(certificate, intermediates: [certificate.der] + intermediates)
  }

  /// Makes a revocation list, valid from a day ago for a week.
  ///
  /// - Parameters:
  ///   - certificates: The revoked certificates of this authority.
  ///   - validity: The time in which the list is valid.
  /// - Returns: The list in DER.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if OpenSSL fails.
  public func revocationList(
    revoking certificates: MockCertificate..., validity: MockCertificate.Validity = .current
  ) throws(MockServerError) -> Data {
    #if CATENA_CURL
      let (from, until) = try validity.seconds()
      var list = CatenaBytes()
      let isMade = OpenSSLBytes.with([certificate.der, certificate.privateKey]) { own in
        OpenSSLBytes.with(certificates.map(\.der)) { revoked in
          catena_list_make(own[0], own[1], revoked, revoked.count, from, until, &list)
        }
      }
      return try OpenSSLBytes.take(&list, isMade, "the revocation list")
    #else
      throw .tlsUnsupported
    #endif
  }

  /// Makes an OCSP response for a server to staple.
  ///
  /// - Parameters:
  ///   - server: The certificate of this authority.
  ///   - isRevoked: Whether it is revoked.
  ///   - validity: The time in which the response is valid.
  /// - Returns: The response in DER, for ``MockTLS/stapledStatus``.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if OpenSSL fails.
  public func revocationStatus(
    of server: MockCertificate, isRevoked: Bool = false,
    validity: MockCertificate.Validity = .current
  ) throws(MockServerError) -> Data {
    #if CATENA_CURL
      let (from, until) = try validity.seconds()
      var response = CatenaBytes()
      let isMade = OpenSSLBytes.with([server.der, certificate.der, certificate.privateKey]) {
        catena_status_make($0[0], $0[1], $0[2], isRevoked, from, until, &response)
      }
      return try OpenSSLBytes.take(&response, isMade, "the revocation status")
    #else
      throw .tlsUnsupported
    #endif
  }
}

extension MockServerError {
  #if !CATENA_CURL
    static let tlsUnsupported = MockServerError.tlsFailed(
      reason: "mock servers speak TLS only on Linux, in a build with libcurl")
  #endif
}
