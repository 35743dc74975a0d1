import Foundation
import Networking
import Synchronization

/// The placeholders of one recording, which keep the identity of secrets without revealing them.
///
/// The placeholder of a secret is the start of its HMAC-SHA256 with a random key. The key exists in
/// memory only, so that nobody can compute the placeholders of all PINs and compare them. Two
/// secrets of a recording never have the same placeholder: on a collision, the second one has more
/// digits.
///
/// A secret has the same placeholder in each encoding: percent-encoded, with `+` for a space, with
/// entities of XML, with escapes of JSON, and with the spaces and hyphens of a card number.
final class RecordingPlaceholders: SecretPlaceholders {
  private struct State {
    /// The placeholders by the codes of their secrets.
    var texts: [Data: String] = [:]
    var usedTexts: Set<String> = []
    var numbers: [Data: Int] = [:]
    var usedNumbers: Set<Int> = []
    /// The codes of secrets if the platform has no library for the hash.
    var randomCodes: [String: Data] = [:]
  }

  private let key = RecordingPlaceholders.randomBytes(32)
  private let state = Mutex(State())
  /// Returns the authentication code of a secret, for tests of collisions.
  private let code: @Sendable (_ secret: Data, _ key: Data) -> Data?

  /// Creates placeholders with a new random key.
  ///
  /// - Parameter code: Returns the authentication code of a secret, or `nil` if there is no library
  ///   for the hash. Random codes then replace the authentication codes.
  init(
    code: @escaping @Sendable (_ secret: Data, _ key: Data) -> Data? = {
      Webhook.Signature.authenticationCode(for: $0, key: $1)
    }
  ) {
    self.code = code
  }

  func text(for secret: String) -> String {
    state.withLock { state in
      let code = self.code(of: Self.canonical(secret), &state)
      if let known = state.texts[code] { return known }
      let digits = Self.hexadecimal(code)
      var length = RecordingPlaceholder.minimumDigits
      var text = "\(Redactor.mask)-\(digits.prefix(length))"
      while state.usedTexts.contains(text), length < digits.count {
        length += 2
        text = "\(Redactor.mask)-\(digits.prefix(length))"
      }
      state.usedTexts.insert(text)
      state.texts[code] = text
      return text
    }
  }

  func number(for secret: String) -> Int {
    state.withLock { state in
      let code = self.code(of: "number \(secret)", &state)
      if let known = state.numbers[code] { return known }
      let start = code.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      // The numbers below 1,000,000,000 fit into 32 bits, and are shorter than card numbers.
      let isFull = state.usedNumbers.count >= Self.numberCount
      let free = (isFull ? 0..<0 : 0..<Self.numberCount).lazy.map { Self.number(start + $0) }
        .first { !state.usedNumbers.contains($0) }
      let number = free ?? Self.number(start)
      state.usedNumbers.insert(number)
      state.numbers[code] = number
      return number
    }
  }

  /// The number of different placeholders of numbers.
  ///
  /// Beyond it, different numbers have the same placeholder.
  private static let numberCount = 10_309

  private static func number(_ index: Int) -> Int {
    // The first number from 999,000,000 that has the remainder 11 modulo 97.
    let first = 999_000_000 + (97 + 11 - 999_000_000 % 97) % 97
    return first + 97 * (index % numberCount)
  }

  private func code(of secret: String, _ state: inout State) -> Data {
    if let code = code(Data(secret.utf8), key) { return code }
    if let code = state.randomCodes[secret] { return code }
    let code = Self.randomBytes(32)
    state.randomCodes[secret] = code
    return code
  }

  private static func randomBytes(_ count: Int) -> Data {
    var random = SystemRandomNumberGenerator()
    return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  private static func hexadecimal(_ code: Data) -> String {
    code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // MARK: Encodings

  /// Returns the text from which the placeholder is computed, which is equal for all encodings of a
  /// secret.
  private static func canonical(_ secret: String) -> String {
    var text = secret
    for _ in 0..<maximumEncodings where text.utf8.contains(UInt8(ascii: "%")) {
      let decoded = FormURLCoding.decode(text, false)
      if decoded == text { break }
      text = decoded
    }
    if text.utf8.contains(UInt8(ascii: "&")) {
      for (entity, character) in entities { text = text.replacing(entity, with: character) }
    }
    if text.utf8.contains(UInt8(ascii: "\\")) { text = text.replacing("\\", with: "") }
    text = text.replacing("+", with: " ").trimmingCharacters(in: .whitespacesAndNewlines)
    return SecretShapes.canonicalNumber(text) ?? text
  }

  private static let maximumEncodings = 8
  private static let entities = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&"),
  ]
}
