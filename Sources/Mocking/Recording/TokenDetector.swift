import Foundation
import Networking

/// A detector that distinguishes random values, such as keys and tokens, from other text.
///
/// A run of letters, digits, and `-` `_` `+` `/` `=` is a token if it meets all of these
/// conditions:
///
/// - It has 20 to 512 letters and digits, of which at least 12 are not interrupted by a separator.
///   Slugs and paths have shorter words. Longer runs are content, such as an image in base64.
/// - Letters and digits alternate in at least 3 places and one place in ten. Or there is a digit,
///   and the kind of character changes in at least three places in ten, not counting a capital
///   before a small letter. Words and camel case have fewer changes than random text.
/// - It has a Shannon entropy of at least 3 bits per character.
///
/// A run with the prefix of well-known keys (`AKIA`, `ghp_`, `sk_live_`, `xoxb-`, ...) only needs
/// 16 uninterrupted letters and digits, including a digit, after the prefix. UUIDs and object
/// identifiers of 24 hexadecimal digits are not tokens.
enum TokenDetector {
  /// Returns the runs of bytes that look like tokens.
  static func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    var tokens: [String] = []
    var start = 0
    for position in 0...bytes.count where position == bytes.count || !isPart(bytes[position]) {
      // Fast path: shorter runs are never tokens.
      if position - start >= 20 {
        let run = Array(bytes[start..<position])
        if isToken(run) { tokens.append(String(decoding: run, as: UTF8.self)) }
      }
      start = position + 1
    }
    return tokens
  }

  /// Returns the runs of a text that look like tokens.
  static func tokens(in text: String) -> [String] {
    var text = text
    return text.withUTF8 { tokens(in: $0) }
  }

  private static let prefixes = [
    "AKIA", "ASIA", "AIza", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-",
    "xoxp-",
    "sk_live_", "sk_test_", "rk_live_", "sk-", "npm_", "pypi-", "eyJ",
  ].map { Array($0.utf8) }

  /// Returns whether a run without quotes, brackets, dots, and similar characters is a token.
  private static func isToken(_ run: [UInt8]) -> Bool {
    let run = trimmed(run)
    if let prefix = prefixes.first(where: { run.starts(with: $0) }) {
      let rest = CharacterStatistics(run[prefix.count...])
      if rest.alphanumerics >= 16, rest.longestPiece >= 16, rest.hasDigit { return true }
    }
    let shape = CharacterStatistics(run[...])
    guard (20...512).contains(shape.alphanumerics), shape.longestPiece >= 12 else { return false }
    guard !isUUID(run), !(run.count == 24 && run.allSatisfy { $0.hexDigitValue != nil }) else {
      return false
    }
    let count = shape.alphanumerics
    let alternates = shape.alternations >= 3 && shape.alternations * 10 >= count
    let isMixed = shape.hasDigit && shape.switches * 10 >= 3 * count
    return (alternates || isMixed) && shape.entropy >= 3
  }

  /// The statistics of a run, collected in one pass.
  private struct CharacterStatistics {
    var alphanumerics = 0
    var longestPiece = 0
    var hasDigit = false
    /// The number of places where a letter is next to a digit.
    var alternations = 0
    /// The number of places where the kind of character changes, except from a capital to a small
    /// letter.
    var switches = 0
    var entropy = 0.0

    init(_ run: ArraySlice<UInt8>) {
      var counts = [Int](repeating: 0, count: 128)
      var previous = Kind.separator
      var piece = 0
      for byte in run {
        let kind = Kind(byte)
        if kind == .separator {
          piece = 0
        } else {
          piece += 1
          alphanumerics += 1
          counts[Int(byte & 0x7F)] += 1
          hasDigit = hasDigit || kind == .digit
          longestPiece = max(longestPiece, piece)
          if previous != .separator, previous != kind {
            if previous == .digit || kind == .digit { alternations += 1 }
            if !(previous == .capital && kind == .small) { switches += 1 }
          }
        }
        previous = kind
      }
      let total = Double(max(alphanumerics, 1))
      entropy = counts.reduce(0) { sum, count in
        guard count > 0 else { return sum }
        let share = Double(count) / total
        return sum - share * share.log2
      }
    }
  }

  private enum Kind {
    case small
    case capital
    case digit
    case separator

    init(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: self = .separator
      }
    }
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    Kind(byte) != .separator || "-_+/=".utf8.contains(byte)
  }

  private static func trimmed(_ run: [UInt8]) -> [UInt8] {
    // `name=token` is a name and a token. Padding at the end belongs to neither.
    let parts = run.split(separator: UInt8(ascii: "="))
    return parts.max { $0.count < $1.count }.map(Array.init) ?? run
  }

  /// Source: RFC 9562 section 4.
  private static func isUUID(_ run: [UInt8]) -> Bool {
    let groups = run.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.hexDigitValue != nil } }
  }
}

extension Double {
  /// The logarithm to base 2.
  fileprivate var log2: Double { Foundation.log2(self) }
}
