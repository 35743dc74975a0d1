import Foundation
import Synchronization

extension Redaction {
  /// Whether a name tells that its value is a secret: `access_token`, `X-Api-Key`, `user[password]`.
  package static func isSecret(name: some StringProtocol) -> Bool {
    var plain = String(name)
    if plain.utf8.contains(UInt8(ascii: "%")) { plain = plain.removingPercentEncoding ?? plain }
    let name = normalized(plain)
    return exact.contains(name) || configured.contains(name) || containsSecretTerm(name)
  }

  /// Has the values of these names masked, too, from now on, in the whole process.
  ///
  /// - Parameter names: the names; case and punctuation make no difference.
  static func add(_ names: Set<String>) {
    if !names.isEmpty { configured.add(names.map(normalized)) }
  }

  static let configured = ConfiguredSecretNames()

  /// A name as it is compared: `X-Api-Key` is `xapikey`.
  private static func normalized(_ name: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      case 0x80...: return name.lowercased().filter { $0.isLetter || $0.isNumber }
      default: break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Names that tell when they are the whole name: within others they mean something else, as in `keyword`,
  /// `author`, `sessions`, `assertions` or `codec`.
  private static let exact: Set<String> = [
    "key", "sig", "auth", "code", "sid", "pin", "otp", "jwt", "pwd", "pass", "session", "xauth",
    "xsession", "assertion", "samlresponse", "devicecode", "authcode",
  ]

  /// What tells wherever in a name it stands, by its first byte: this is on the way of every line of a log.
  private static let parts = Dictionary(
    grouping: [
      "token", "secret", "passw", "passphrase", "signature", "credential", "authorization",
      "sessionid", "cookie", "clientassertion", "codeverifier", "apikey", "accesskey", "privatekey",
      "authkey", "subscriptionkey", "functionskey", "masterkey", "accountkey", "sharedkey",
      "signingkey", "encryptionkey", "sessionkey",
    ].map { Array($0.utf8) }, by: { $0[0] })

  private static func containsSecretTerm(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      bytes.indices.contains { start in
        parts[bytes[start]]?.contains { bytes[start...].starts(with: $0) } ?? false
      }
    }
  }
}

/// The names that clients have said are secret, as they are compared; they only become more.
final class ConfiguredSecretNames: Sendable {
  /// SomeEndpoint first and without a lock, since mostly there are none.
  private let hasNames = Atomic(false)
  private let names = Mutex<Set<String>>([])

  var isEmpty: Bool { !hasNames.load(ordering: .acquiring) }

  func add(_ more: [String]) {
    names.withLock { $0.formUnion(more.filter { !$0.isEmpty }) }
    hasNames.store(true, ordering: .releasing)
  }

  func contains(_ name: String) -> Bool {
    !isEmpty && names.withLock { $0.contains(name) }
  }
}
