public import Foundation
public import Networking

#if CATENA_CURL
  import CCatenaCurl
#endif

/// A certificate with its private key, of a ``MockAuthority``.
///
/// The key is on the curve P-256. Descriptions and dumps omit it.
public struct MockCertificate: Sendable, Hashable {
  /// The time in which a certificate, a list or a status is valid.
  public enum Validity: Sendable, Hashable {
    /// From a year ago for ten years.
    case current
    /// From two years ago until a day ago.
    case expired
    /// From tomorrow for a year.
    case notYet
    /// Between two dates.
    case interval(from: Date, until: Date)

    /// Returns the seconds since 1970 of the start and the end.
    ///
    /// - Throws: ``MockServerError/tlsFailed(reason:)`` if a certificate cannot have such a date.
    func seconds() throws(MockServerError) -> (Int64, Int64) {
      let (now, day) = (Date(), 86_400.0)
      let (from, until) =
        switch self {
        case .current:
          (now.addingTimeInterval(-365 * day), now.addingTimeInterval(9 * 365 * day))
        case .expired: (now.addingTimeInterval(-730 * day), now.addingTimeInterval(-day))
        case .notYet: (now.addingTimeInterval(day), now.addingTimeInterval(365 * day))
        case .interval(let from, let until): (from, until)
        }
      return (try Self.seconds(from), try Self.seconds(until))
    }

    private static func seconds(_ date: Date) throws(MockServerError) -> Int64 {
      let seconds = date.timeIntervalSince1970.rounded()
      // From the year 1 to the year 9999.
      guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else {
        throw .tlsFailed(reason: "a date is not within the years 1 to 9999")
      }
      return Int64(seconds)
    }
  }

  /// The certificate in DER.
  public let der: Data
  /// The private key in DER, as PKCS#8.
  let privateKey: Data
  /// The certificates that are sent after this one.
  private(set) var issuers: [Data]

  /// The certificate and those that are sent after it, in PEM.
  public var pem: String {
    ([der] + issuers).map { Self.pem($0, "CERTIFICATE") }.joined()
  }

  /// The certificate alone, in PEM.
  public var certificatePEM: String { Self.pem(der, "CERTIFICATE") }

  /// The private key in PEM.
  public var privateKeyPEM: String { Self.pem(privateKey, "PRIVATE KEY") }

  /// Returns bytes in base64 between labeled lines.
  ///
  /// Source: RFC 7468 section 2.
  private static func pem(_ bytes: Data, _ label: String) -> String {
    let base64 = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
  }

  /// The pin of the key.
  public var publicKeyPin: PublicKeyPin {
    // A certificate that OpenSSL has made is well-formed.
    ServerCertificate(der: der)?.publicKeyPin ?? ""
  }

  /// The certificate and the key, to present to a server.
  public var identity: ClientIdentity {
    ClientIdentity(certificate: .pem(pem), privateKey: .pem(privateKeyPEM))
  }

  /// Returns the certificate with other certificates that are sent after it, whether they belong to its
  /// chain or not.
  ///
  /// - Parameter others: The other certificates, in place of those of the issuers.
  /// - Returns: The certificate.
  public func sending(_ others: MockCertificate...) -> MockCertificate {
    copy(of: self) { $0.issuers = others.map(\.der) }
  }

  /// Encrypts the private key with AES-256.
  ///
  /// - Parameter password: The password.
  /// - Returns: The key in PEM.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if OpenSSL fails.
  public func encryptedPrivateKeyPEM(password: String) throws(MockServerError) -> String {
    #if CATENA_CURL
      var pem = CatenaBytes()
      let isMade = OpenSSLBytes.with([privateKey]) { catena_key_encrypt($0[0], password, &pem) }
      return String(
        decoding: try OpenSSLBytes.take(&pem, isMade, "the encrypted key"), as: UTF8.self)
    #else
      throw .tlsUnsupported
    #endif
  }

  /// Makes a PKCS#12 archive of the certificate, its issuer and the key.
  ///
  /// - Parameters:
  ///   - password: The password.
  ///   - usesOldCipher: Whether the archive is encrypted with 3DES, as old programs do it, and not with
  ///     AES-256, which some versions of Apple's systems cannot read.
  /// - Returns: The archive.
  /// - Throws: ``MockServerError/tlsFailed(reason:)`` if OpenSSL fails.
  public func pkcs12(
    password: String, usesOldCipher: Bool = false
  ) throws(MockServerError) -> Data {
    #if CATENA_CURL
      var archive = CatenaBytes()
      let isMade = OpenSSLBytes.with([der, privateKey, issuers.first ?? Data()]) {
        catena_archive_make($0[0], $0[1], $0[2], password, usesOldCipher, &archive)
      }
      return try OpenSSLBytes.take(&archive, isMade, "the PKCS#12 archive")
    #else
      throw .tlsUnsupported
    #endif
  }

  /// Makes a certificate.
  ///
  /// - Parameters:
  ///   - name: The name of the owner.
  ///   - hosts: The host names and IP addresses.
  ///   - isAuthority: Whether the owner can issue certificates.
  ///   - isForClients: Whether the certificate is for a client and not for a server.
  ///   - validity: The time in which the certificate is valid.
  ///   - issuer: The issuer, or `nil` for a self-signed certificate.
  ///   - issuers: The certificates that are sent after it.
  ///   - key: The private key, or `nil` for a new one.
  /// - Returns: The certificate.
  /// - Throws: `tlsFailed` if a host is malformed, or OpenSSL fails.
  static func make(
    name: String, hosts: [String] = [], isAuthority: Bool = false, isForClients: Bool = false,
    validity: Validity, issuer: MockCertificate?, issuers: [Data], key: Data? = nil
  ) throws(MockServerError) -> MockCertificate {
    #if CATENA_CURL
      var names: [String] = []
      for host in hosts { names.append(try alternativeName(host)) }
      let (from, until) = try validity.seconds()
      var (certificate, newKey) = (CatenaBytes(), CatenaBytes())
      let inputs = [issuer?.der ?? Data(), issuer?.privateKey ?? Data(), key ?? Data()]
      let isMade = OpenSSLBytes.with(inputs) { inputs in
        // The field is limited to 64 characters. Source: RFC 5280 appendix A.1.
        String(name.prefix(64)).withCString { name in
          names.joined(separator: ",").withCString { hosts in
            var request = CatenaCertificateRequest()
            request.name = name
            request.hosts = names.isEmpty ? nil : hosts
            request.isAuthority = isAuthority
            request.isForClients = isForClients
            (request.notBefore, request.notAfter) = (from, until)
            (request.issuer, request.issuerKey, request.key) = (inputs[0], inputs[1], inputs[2])
            return catena_certificate_make(&request, &certificate, &newKey)
          }
        }
      }
      let der = try OpenSSLBytes.take(&certificate, isMade, "the certificate of \(name)")
      let privateKey = try OpenSSLBytes.take(&newKey, isMade, "the key of \(name)")
      return MockCertificate(der: der, privateKey: privateKey, issuers: issuers)
    #else
      throw .tlsUnsupported
    #endif
  }

  /// Returns a host in the syntax of OpenSSL, where a comma would begin another name.
  private static func alternativeName(_ host: String) throws(MockServerError) -> String {
    let isAddress = ListeningAddressText.isAddress(host)
    let isName = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "*"):
        true
      default: false
      }
    }
    guard isAddress || isName, !host.isEmpty else {
      throw .tlsFailed(reason: "\(host.debugDescription) is neither a host name nor an IP address")
    }
    return (isAddress ? "IP:" : "DNS:") + host
  }
}

extension MockCertificate: CustomStringConvertible, CustomReflectable {
  /// The fields of the certificate in one line.
  public var description: String {
    ServerCertificate(der: der)?.description ?? "a malformed certificate"
  }

  /// The description, for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}

/// The recognition of IP addresses in text.
private enum ListeningAddressText {
  static func isAddress(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }
}

#if CATENA_CURL
  /// The conversion between `Data` and the bytes of C functions.
  enum OpenSSLBytes {
    /// Calls a function with the bytes of several values, which are valid during the call.
    static func with<Result>(_ values: [Data], _ body: ([CatenaBytes]) -> Result) -> Result {
      let copies = values.map { value in
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(value.count, 1))
        value.copyBytes(to: copy, count: value.count)
        return CatenaBytes(bytes: copy, count: value.count)
      }
      defer { for copy in copies { copy.bytes?.deallocate() } }
      return body(copies)
    }

    /// Returns the bytes that a function has made, and frees them.
    ///
    /// - Throws: `tlsFailed` if it has failed.
    static func take(
      _ bytes: inout CatenaBytes, _ isMade: Bool, _ name: String
    ) throws(MockServerError) -> Data {
      defer {
        free(bytes.bytes)
        bytes = CatenaBytes()
      }
      guard isMade, let start = bytes.bytes else {
        throw .tlsFailed(
          reason: catena_tls_is_available()
            ? "OpenSSL could not make \(name)"
            : "OpenSSL 1.1.1 or 3 not found; install libssl3 or libcurl4")
      }
      return Data(bytes: start, count: bytes.count)
    }
  }
#endif
