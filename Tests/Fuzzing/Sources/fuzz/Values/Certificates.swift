import Foundation

@testable import Networking

extension FuzzTarget {
  /// Certificates, keys and revocation lists, in PEM and DER.
  ///
  /// The input is read as each of them. PKCS#12 archives are left out, because they may require any number
  /// of iterations for their key.
  static let certificates = FuzzTarget("certificates", maximumLength: 8_192) { input in
    let data = input.data
    let certificates = ServerCertificate.all(in: data) ?? []
    for certificate in certificates { check(certificate) }
    let isDER = data.first == 0x30
    let pin = isDER ? try? PublicKeyPin(der: data) : try? PublicKeyPin(pem: input.text)
    if isDER, let certificate = ServerCertificate(der: data) {
      expect(pin == certificate.publicKeyPin, "the pin is that of the certificate: \(certificate)")
    }
    if let pin { expect(PublicKeyPin(pin.description) == pin, "a pin is read again: \(pin)") }
    let hasAuthorities = isAccepted(.authorities(.data(data)))
    expect(hasAuthorities == !certificates.isEmpty, "an authority is a certificate")
    _ = isAccepted(.system.revocation(lists: [.data(data)]))
    let identity = ClientIdentity(certificate: .data(data), privateKey: .data(data))
    let hasIdentity = isAccepted(.system, ["a.test": identity])
    expect(!hasIdentity || !isDER, "one DER value is not a certificate and its key")
    Growth.checkLinear(input) { bytes in
      _ = ServerCertificate.all(in: Data(bytes))
    }
  }

  private static func check(_ certificate: ServerCertificate) {
    let line = certificate.description
    expect(
      !line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F },
      "a description is one line: \(line)")
    let again = unwrap(ServerCertificate(der: certificate.der), "its encoding is read again")
    expect(again.description == line && again.hostNames == certificate.hostNames, "it is equal")
  }

  /// Returns whether TLS options are accepted, and checks the error.
  private static func isAccepted(
    _ policy: ServerTrust.Policy, _ identities: ClientIdentities = [:]
  ) -> Bool {
    do {
      _ = try TLSOptions(trust: .all(policy), identities: identities)
      return true
    } catch {
      expect(error.code == .invalidTLSOptions, "the error is \(error)")
      return false
    }
  }
}
