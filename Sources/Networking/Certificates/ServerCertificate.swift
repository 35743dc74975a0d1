public import Foundation

#if CATENA_CURL
  import CCatenaCurl
#endif

#if canImport(Security)
  import Security
#endif

/// A certificate of a server or an authority.
///
/// ``description`` is one line with all fields, such as `CN=api.example.com, issued by CN=Example CA,
/// valid from 2026-01-01 to 2027-01-01, sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=`.
///
/// Source: RFC 5280.
public struct ServerCertificate: Sendable {
  /// The encoded certificate.
  public let der: Data
  /// The name of the owner, such as `CN=api.example.com, O=Example`.
  ///
  /// On Apple platforms it is the system's summary of the name.
  public let subject: String
  /// The name of the authority that has issued the certificate.
  ///
  /// `nil` on Apple platforms.
  public let issuer: String?
  /// The host names and IP addresses that the certificate is for, such as `*.example.com`.
  ///
  /// Empty on Apple platforms.
  public let hostNames: [String]
  /// The start of the validity.
  ///
  /// `distantPast` on Apple systems before macOS 15 and iOS 18, which do not read it.
  public let notBefore: Date
  /// The end of the validity.
  ///
  /// `distantFuture` on Apple systems before macOS 15 and iOS 18, which do not read it.
  public let notAfter: Date
  /// The pin of the key.
  ///
  /// `nil` if the platform does not know the kind of the key.
  public let publicKeyPin: PublicKeyPin?

  /// Reads a certificate, or returns `nil` if it is malformed.
  ///
  /// - Parameter der: The certificate in DER.
  public init?(der: Data) {
    #if CATENA_CURL
      var fields = CatenaCertificate()
      guard der.withUnsafeBytes({ catena_certificate_read($0.baseAddress, $0.count, &fields) })
      else { return nil }
      defer { catena_certificate_release(&fields) }
      self.der = der
      subject = String(cString: fields.subject)
      issuer = String(cString: fields.issuer)
      hostNames = String(cString: fields.names).split(separator: "\n").map(String.init)
      notBefore = Date(timeIntervalSince1970: TimeInterval(fields.notBefore))
      notAfter = Date(timeIntervalSince1970: TimeInterval(fields.notAfter))
      publicKeyPin = withUnsafeBytes(of: fields.keyHash) { PublicKeyPin(hash: Data($0)) }
    #elseif canImport(Security)
      guard let certificate = SecCertificateCreateWithData(nil, der as CFData) else { return nil }
      self.der = der
      subject = SecCertificateCopySubjectSummary(certificate) as String? ?? ""
      issuer = nil
      hostNames = []
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        notBefore = SecCertificateCopyNotValidBeforeDate(certificate) as Date? ?? .distantPast
        notAfter = SecCertificateCopyNotValidAfterDate(certificate) as Date? ?? .distantFuture
      } else {
        (notBefore, notAfter) = (.distantPast, .distantFuture)
      }
      publicKeyPin = PublicKeyInfo.hash(of: certificate).map(PublicKeyPin.init(hash:))
    #else
      return nil
    #endif
  }

  /// Reads the certificates of PEM text or one in DER, or returns `nil` if they are malformed.
  static func all(in bytes: Data) -> [ServerCertificate]? {
    #if CATENA_CURL
      var found: [Data] = []
      let count = CertificateCollector.collect(into: &found) { context in
        bytes.withUnsafeBytes {
          catena_certificates_read($0.baseAddress, $0.count, CertificateCollector.add, context)
        }
      }
      guard count > 0 else { return nil }
    #else
      let found =
        bytes.first == 0x30 ? [bytes] : PEMText.blocks(in: bytes, labeled: ["CERTIFICATE"])
    #endif
    let certificates = found.compactMap(ServerCertificate.init(der:))
    return certificates.isEmpty || certificates.count < found.count ? nil : certificates
  }
}

extension ServerCertificate: Hashable, CustomStringConvertible {
  /// Compares the encoded certificates.
  public static func == (left: ServerCertificate, right: ServerCertificate) -> Bool {
    left.der == right.der
  }

  /// Hashes the encoded certificate.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }

  /// The fields in one line.
  public var description: String {
    var text = subject.isEmpty ? "a certificate without a name" : subject
    if let issuer { text += ", issued by \(issuer)" }
    if (notBefore, notAfter) != (.distantPast, .distantFuture) {
      text += ", valid from \(Self.day(notBefore)) to \(Self.day(notAfter))"
    }
    if let publicKeyPin { text += ", \(publicKeyPin)" }
    return text
  }

  private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

#if CATENA_CURL
  /// Collects the certificates that a C function reports.
  enum CertificateCollector {
    /// The callback, whose context is an array of `Data`.
    static let add: CatenaDERCallback = { context, bytes, count in
      context?.assumingMemoryBound(to: [Data].self).pointee
        .append(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    }

    /// Calls a function with the context of ``add``.
    static func collect<Result>(
      into array: inout [Data], _ call: (UnsafeMutableRawPointer) -> Result
    ) -> Result {
      withUnsafeMutablePointer(to: &array) { call(UnsafeMutableRawPointer($0)) }
    }
  }
#endif
