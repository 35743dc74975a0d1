import Foundation
import Synchronization

/// The rules that decide which names have secret values.
///
/// Names of header fields, query parameters, form fields, JSON members, XML elements, and cookies
/// follow the same rules. Case, punctuation, and percent-encoding are ignored: `X-Api-Key`,
/// `xApiKey`, and `x%5Fapi_key` are one name.
package struct SecretNames: Sendable {
  /// The built-in rules and the names from ``register(_:)``.
  package static let standard = SecretNames()

  private let included: Set<String>
  private let excluded: Set<String>

  /// Creates rules that extend the standard rules.
  ///
  /// - Parameters:
  ///   - included: Additional secret names.
  ///   - excluded: Names that are not secret although the standard rules match them. They override
  ///     `included`.
  package init(including included: Set<String> = [], excluding excluded: Set<String> = []) {
    self.included = Set(included.map(Self.decodedAndNormalized))
    self.excluded = Set(excluded.map(Self.decodedAndNormalized))
  }

  /// Whether any names are secret beyond the built-in rules.
  var hasAdditions: Bool { !included.isEmpty || !Self.registered.isEmpty }

  /// Returns whether a name has secret values.
  ///
  /// - Parameter name: The name, possibly percent-encoded: `access_token`, `X-Api-Key`,
  ///   `user%5Bpassword%5D`.
  /// - Returns: `true` if values of the name are secret.
  package func contains(_ name: String) -> Bool {
    let name = Self.decodedAndNormalized(name)
    if excluded.contains(name) { return false }
    return included.contains(name) || Self.exactNames.contains(name)
      || Self.registered.contains(name) || Self.containsTerm(name)
  }

  /// Registers secret names for the rest of the process's lifetime.
  ///
  /// - Parameter names: The names. Case and punctuation are ignored.
  static func register(_ names: Set<String>) {
    if !names.isEmpty { registered.insert(names.map(normalized)) }
  }

  private static let registered = RegisteredNames()

  private static func decodedAndNormalized(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return normalized(name) }
    return normalized(name.removingPercentEncoding ?? name)
  }

  /// Returns the letters and digits of a name in lower case: `xapikey` for `X-Api-Key`.
  private static func normalized(_ name: String) -> String {
    // Writes into the string's own storage: most names are short enough to need no allocation.
    var isASCII = true
    let normalized = String(unsafeUninitializedCapacity: name.utf8.count) { output in
      var count = 0
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          output[count] = byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): output[count] = byte | 0x20
        case 0x80...:
          isASCII = false
          return 0
        default: continue
        }
        count += 1
      }
      return count
    }
    return isASCII ? normalized : name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Terms that are secret only as a whole name.
  ///
  /// Within other words they have other meanings: `keyword`, `author`, `sessions`, `assertions`,
  /// `codec`.
  private static let exactNames: Set<String> = [
    "key", "sig", "auth", "code", "sid", "pin", "otp", "jwt", "pwd", "pass", "session", "xauth",
    "xsession", "assertion", "samlresponse", "devicecode", "authcode",
  ]

  /// Terms that make a name secret at any position, indexed by their first byte because each name
  /// in a log line is checked.
  private static let termsByFirstByte: [[[UInt8]]] = {
    let terms = [
      "token", "secret", "passw", "passphrase", "signature", "credential", "authorization",
      "sessionid", "cookie", "clientassertion", "codeverifier", "apikey", "accesskey", "privatekey",
      "authkey", "subscriptionkey", "functionskey", "masterkey", "accountkey", "sharedkey",
      "signingkey", "encryptionkey", "sessionkey",
    ]
    var index = [[[UInt8]]](repeating: [], count: 256)
    for term in terms.map({ Array($0.utf8) }) { index[Int(term[0])].append(term) }
    return index
  }()

  private static func containsTerm(_ name: String) -> Bool {
    var name = name
    let index = termsByFirstByte
    return name.withUTF8 { bytes in
      bytes.indices.contains { start in
        index[Int(bytes[start])].contains { bytes[start...].starts(with: $0) }
      }
    }
  }
}

/// The normalized names that clients have declared secret.
///
/// Names are never removed.
private final class RegisteredNames: Sendable {
  /// Checked without the lock because most processes register no names.
  private let hasNames = Atomic(false)
  private let names = Mutex<Set<String>>([])

  var isEmpty: Bool { !hasNames.load(ordering: .acquiring) }

  func insert(_ newNames: [String]) {
    names.withLock { $0.formUnion(newNames.filter { !$0.isEmpty }) }
    hasNames.store(true, ordering: .releasing)
  }

  func contains(_ name: String) -> Bool {
    !isEmpty && names.withLock { $0.contains(name) }
  }
}
