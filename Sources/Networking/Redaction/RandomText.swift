import CatenaSystem

/// The recognition of random text by the letters and digits in it.
///
/// A piece is a run of letters and digits. It is random if one of these conditions is met:
///
/// - It has at least 6 characters, and letters and digits alternate in at least 2 places, as in
///   `s3cret`. Timestamps such as `20261121T060923Z` are not random.
/// - It has at least 16 letters, of which at least a third are capitals and a quarter are small,
///   and at least 3 capitals follow small letters. Camel case has fewer capitals.
/// - It has at least 25 letters of one case.
/// - It has at least 24 digits.
///
/// A text is also random if letters and digits alternate in at least 3 places of its pieces of 4
/// or more characters, as in a UUID. Masks, durations such as `PT1H30M`, and colors such as `#ff00aa`
/// are not random.
enum RandomText {
  /// Returns whether a text is random, or has a random piece.
  static func isRandom(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var (position, total) = (0, 0)
      while position < bytes.count {
        let start = position
        if let end = maskEnd(in: bytes, at: start) {
          position = end
          continue
        }
        let isColor = bytes[position] == UInt8(ascii: "#")
        position = bytes.first(from: isColor ? start + 1 : start) { !$0.isASCIIAlphanumeric }
        if position == start { _ = EscapedBytes.nextByte(of: bytes, at: &position) }
        guard !isColor, bytes[start].isASCIIAlphanumeric else { continue }
        let piece = bytes[start..<position]
        let statistics = RunStatistics(piece)
        // In `2026-11-21T06:09:23Z`, the pieces are short.
        if statistics.alternations > 0, isTime(piece) { continue }
        if statistics.isRandom { return true }
        if piece.count >= 4 { total += statistics.alternations }
      }
      return total >= 3
    }
  }

  /// Returns the end of a mask at a position: of `***`, or of a placeholder of a recording, such as
  /// `***-3f2a9c`, which must not be masked again.
  static func maskEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard bytes.has("***", at: start) else { return nil }
    guard bytes.has("-", at: start + 3) else { return start + 3 }
    let end = bytes.first(from: start + 4) { !$0.isASCIIDigit && !(0x61...0x66 ~= $0) }
    guard 10...68 ~= end - start, (end - start).isMultiple(of: 2),
      end == bytes.count || !bytes[end].isASCIIAlphanumeric
    else { return start + 3 }
    return bytes.has("*", at: end) ? end + 1 : end
  }

  /// Returns whether a piece is a date and a time without separators, or a duration such as
  /// `PT1H30M` or `1h30m0s`.
  private static func isTime(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let digits = piece.last == UInt8(ascii: "Z") ? piece.dropLast() : piece
    let parts = digits.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
    if parts.count == 2, parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) { return true }
    // Numbers with units.
    var (hasNumber, hasUnit) = (false, true)
    for byte in piece {
      switch byte | 0x20 {
      case 0x30...0x39: (hasNumber, hasUnit) = (true, false)
      case "p" where !hasNumber, "t" where hasUnit: break
      case let unit where hasNumber && unit.isOne(of: "ywdhms"): hasUnit = true
      default: return false
      }
    }
    return hasNumber && hasUnit
  }
}

/// The numbers of letters and digits in a run of characters.
private struct RunStatistics {
  private(set) var (small, capitals, digits) = (0, 0, 0)
  /// The number of capitals after small letters.
  private(set) var humps = 0
  /// The number of places where a letter is next to a digit.
  private(set) var alternations = 0
  /// The length of the longest part without other characters.
  private(set) var longestPiece = 0

  init(_ run: Slice<UnsafeBufferPointer<UInt8>>) {
    var (piece, previous) = (0, UInt8(0))
    for byte in run {
      guard byte.isASCIIAlphanumeric else {
        piece = 0
        continue
      }
      if byte.isASCIIDigit { digits += 1 } else if byte < 0x60 { capitals += 1 } else { small += 1 }
      if piece > 0, byte.isASCIIDigit != previous.isASCIIDigit { alternations += 1 }
      if piece > 0, previous > 0x60, 0x40..<0x60 ~= byte { humps += 1 }
      (piece, previous) = (piece + 1, byte)
      longestPiece = max(longestPiece, piece)
    }
  }

  /// The number of letters and digits.
  var count: Int { small + capitals + digits }

  /// Whether a run without other characters is random; see ``RandomText``.
  var isRandom: Bool {
    count >= 6 && alternations >= 2
      || count >= 16 && capitals * 3 >= count && small * 4 >= count && humps >= 3
      || count >= 25 && (small == count || capitals == count) || count >= 24 && digits == count
  }
}

/// A detector that distinguishes random values, such as keys and tokens, from other text.
///
/// A run of letters, digits, and `-` `_` `+` `/` `=` is a token if it meets all of these
/// conditions:
///
/// - It has 20 to 512 letters and digits, of which at least 12 are not interrupted by a separator.
///   The words of slugs and paths are shorter. Longer runs are content, such as an image in base64.
/// - One of two conditions is met, because words and camel case have fewer changes than random
///   text: letters and digits alternate in at least 3 places and in 10% of all places; or there is
///   a digit, and the kind of character changes in at least 30% of all places. A change from an
///   uppercase to a lowercase letter is not counted.
/// - It has a Shannon entropy of at least 3 bits per character.
///
/// For a run with the prefix of a well-known key, see ``TokenPrefixes``, at least 16 uninterrupted
/// letters and digits after the prefix, including a digit, are sufficient.
/// UUIDs and object identifiers of 24 hexadecimal digits are not tokens.
package enum TokenDetector {
  private static let tokenCharacter = ByteClass("-_+/=", alphanumeric: true)

  /// Returns the tokens in a sequence of bytes.
  package static func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    bytes.split { !tokenCharacter[$0] }
      // Fast path: shorter runs are never tokens.
      .filter { $0.count >= 20 && isToken($0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the tokens in a text.
  package static func tokens(in text: String) -> [String] {
    var text = text
    return text.withUTF8 { tokens(in: $0) }
  }

  /// Returns whether a run of token characters is a token.
  private static func isToken(_ run: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // Splits `name=token`, and removes the padding of base64.
    let run = run.split(separator: UInt8(ascii: "=")).max { $0.count < $1.count } ?? run
    let statistics = RunStatistics(run)
    if let prefix = TokenPrefixes.length(in: run) ?? (run.starts(with: "eyJ".utf8) ? 3 : nil) {
      let rest = RunStatistics(run.dropFirst(prefix))
      if rest.longestPiece >= 16, rest.digits > 0 { return true }
    }
    guard 20...512 ~= statistics.count, statistics.longestPiece >= 12, statistics.digits > 0 else {
      return false
    }
    // Source of the lengths: RFC 9562 section 4.
    let groups = run.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    if groups.allSatisfy({ $0.allSatisfy { $0.hexDigitValue != nil } }),
      [[24], [8, 4, 4, 4, 12]].contains(groups.map(\.count))
    {
      return false
    }
    let alternates =
      statistics.alternations >= 3 && statistics.alternations * 10 >= statistics.count
    let isMixed = (statistics.alternations + statistics.humps) * 10 >= 3 * statistics.count
    return (alternates || isMixed) && entropy(of: run, count: statistics.count) >= 3
  }

  /// Returns the Shannon entropy of the letters and digits, in bits per character.
  private static func entropy(of run: Slice<UnsafeBufferPointer<UInt8>>, count: Int) -> Double {
    var counts: [UInt8: Double] = [:]
    for byte in run where byte.isASCIIAlphanumeric { counts[byte, default: 0] += 1 }
    return counts.values.reduce(0) { $0 - $1 / Double(count) * log2($1 / Double(count)) }
  }
}
