import CatenaSystem
import Foundation
import Mocking
import Networking

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
    if RecordingPlaceholder.isPlaceholder(secret) { return secret }
    return state.withLock { state in
      let code = self.code(of: Self.canonical(secret), &state)
      if let known = state.texts[code] { return known }
      let digits = code.hexadecimalText
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
    if let number = Int(secret), RecordingPlaceholder.isPlaceholder(number) { return number }
    return state.withLock { state in
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

  // MARK: Encodings

  /// Returns the text from which the placeholder is computed, which is equal for all encodings of a
  /// secret.
  private static func canonical(_ secret: String) -> String {
    let text = SecretEncodings.decoded(secret)
    return PaymentNumbers.canonical(text) ?? text
  }
}

/// The replacements of secrets in a request that is compared with a recording.
///
/// Placeholders in the request, which come from replayed responses, are kept.
struct ComparedPlaceholders: SecretPlaceholders {
  var keepsForms: Bool { false }

  func text(for secret: String) -> String {
    RecordingPlaceholder.isPlaceholder(secret) ? secret : Redactor.mask
  }

  func number(for secret: String) -> Int {
    Int(secret).map { RecordingPlaceholder.isPlaceholder($0) ? $0 : 0 } ?? 0
  }
}

/// The decoding of secrets that are recorded in several encodings.
enum SecretEncodings {
  /// The limit for the number of encodings within each other.
  private static let maximumDepth = 8

  /// Returns a secret without percent-encoding, entities of XML and escapes of JSON, with spaces for
  /// `+`, and without white space at its ends.
  ///
  /// The text is decoded until it does not change, because a secret may look like an encoded text
  /// itself. So the result is equal for all encodings of a secret, but is not the secret in each case.
  ///
  /// - Parameter secret: The secret, as it occurs in the recording.
  /// - Returns: The decoded secret.
  static func decoded(_ secret: String) -> String {
    var text = secret
    for _ in 0..<maximumDepth {
      var decoded = text
      if decoded.utf8.contains(UInt8(ascii: "%")) { decoded = FormURLCoding.decode(decoded, false) }
      decoded = withoutEscapes(decoded)
      if decoded == text { break }
      text = decoded
    }
    return text.replacing("+", with: " ").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns a text without entities of XML and escapes of JSON, in one pass.
  private static func withoutEscapes(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "\\") }) else {
      return text
    }
    var decoded = ""
    var rest = text[...]
    while let start = rest.unicodeScalars.firstIndex(where: { $0 == "&" || $0 == "\\" }) {
      decoded.unicodeScalars.append(contentsOf: rest[..<start].unicodeScalars)
      let isEntity = rest.unicodeScalars[start] == "&"
      rest = rest[rest.unicodeScalars.index(after: start)...]
      if let character = isEntity ? entity(&rest) : escape(&rest) {
        decoded.unicodeScalars.append(character)
      } else if isEntity {
        decoded.unicodeScalars.append("&")
      }
    }
    decoded.unicodeScalars.append(contentsOf: rest.unicodeScalars)
    return decoded
  }

  /// Reads the rest of an entity such as `lt;` and `#39;`.
  ///
  /// Source: Extensible Markup Language (XML) 1.0, section 4.1.
  private static func entity(_ rest: inout Substring) -> Unicode.Scalar? {
    // A byte, because `;` and a following combining character form one `Character`.
    guard let end = rest.utf8.prefix(10).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = rest[..<end]
    let scalar: Unicode.Scalar? =
      switch name {
      case "lt": "<"
      case "gt": ">"
      case "amp": "&"
      case "quot": "\""
      case "apos": "'"
      case _ where name.hasPrefix("#x") || name.hasPrefix("#X"):
        UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      default: nil
      }
    if scalar != nil { rest = rest[rest.utf8.index(after: end)...] }
    return scalar
  }

  /// Reads the rest of an escape such as `n` and `u0041`.
  ///
  /// Half a surrogate pair is dropped, and so is a backslash that escapes nothing.
  ///
  /// Source: RFC 8259 section 7.
  private static func escape(_ rest: inout Substring) -> Unicode.Scalar? {
    guard let first = rest.unicodeScalars.first else { return nil }
    if first == "u" {
      let digits = rest.unicodeScalars.dropFirst().prefix(4)
      guard digits.count == 4, let value = UInt32(String(digits), radix: 16) else { return nil }
      rest = rest[digits.endIndex...]
      return Unicode.Scalar(value) ?? secondHalf(of: value, &rest)
    }
    let scalar: Unicode.Scalar? =
      switch first {
      case "n": "\n"
      case "r": "\r"
      case "t": "\t"
      case "b": "\u{8}"
      case "f": "\u{C}"
      case "\"", "\\", "/": first
      default: nil
      }
    if scalar != nil { rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...] }
    return scalar
  }

  /// Reads the second half of a surrogate pair.
  private static func secondHalf(of first: UInt32, _ rest: inout Substring) -> Unicode.Scalar? {
    guard 0xD800...0xDBFF ~= first, rest.hasPrefix("\\u"),
      let second = UInt32(rest.dropFirst(2).prefix(4), radix: 16), 0xDC00...0xDFFF ~= second
    else { return nil }
    rest = rest.dropFirst(6)
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }
}
