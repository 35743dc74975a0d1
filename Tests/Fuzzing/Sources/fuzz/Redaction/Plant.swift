import Foundation

@testable import Networking

/// A known secret that is planted into an input, and must not be in the masked copy.
enum Plant {
  /// The value of the secret, which no mutation of an input finds by chance.
  static let secret = "S3cr3tV4lu3Q9x7"

  /// Returns the input with a text between its parts.
  ///
  /// - Parameters:
  ///   - text: The text that contains the secret.
  ///   - input: The input.
  /// - Returns: The text, or `nil` if the input contains the secret itself.
  static func text(_ text: String, into input: FuzzInput) -> String? {
    guard !input.text.contains(secret) else { return nil }
    var choices = input.choices
    let cut = choices.number(below: input.bytes.count + 1)
    return String(decoding: input.bytes[..<cut], as: UTF8.self) + text
      + String(decoding: input.bytes[cut...], as: UTF8.self)
  }

  /// Checks that a masked text does not contain the secret.
  static func check(
    _ masked: String, of text: String, file: StaticString = #fileID, line: UInt = #line
  ) {
    let bytes = Array(secret.utf8)
    let hasSecret = masked.utf8.withContiguousStorageIfAvailable { Self.contains(bytes, in: $0) }
    expect(
      !(hasSecret ?? masked.contains(secret)),
      "a secret is masked: \(masked.debugDescription) of \(text.debugDescription)", file: file,
      line: line)
  }

  private static func contains(
    _ pattern: [UInt8], in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard bytes.count >= pattern.count else { return false }
    return (0...(bytes.count - pattern.count)).contains { bytes[$0...].starts(with: pattern) }
  }
}

extension Redactor {
  /// The redactors of both purposes, and one with the placeholders of a recording.
  static let purposes = [
    Redactor(purpose: .display), Redactor(purpose: .recording),
    Redactor(purpose: .recording, placeholders: LengthPlaceholders()),
  ]
}

extension [UInt8] {
  /// The bytes as UTF-8, with invalid sequences replaced.
  var text: String { String(decoding: self, as: UTF8.self) }
}

/// Placeholders that depend on the length of a secret, so that the outcome of an input is always the
/// same.
private struct LengthPlaceholders: SecretPlaceholders {
  var keepsForms: Bool { true }

  func text(for secret: String) -> String {
    if secret.wholeMatch(of: /\*\*\*(-[0-9a-f]{6,})?/) != nil { return secret }
    let digits = String(secret.utf8.count, radix: 16)
    return "***-" + String(repeating: "0", count: max(6 - digits.count, 0)) + digits
  }

  func number(for secret: String) -> Int {
    if let number = Int(secret), number >= 999_000_004 { return number }
    return 999_000_004 + 97 * secret.utf8.count
  }
}
