/// The secrets that are recognized by their form alone, whatever their name and position is.
///
/// | secret | form |
/// |---|---|
/// | keys and tokens | a prefix of ``TokenPrefixes``, and 16 letters and digits |
/// | JSON web tokens | `eyJ` and at least two periods |
/// | private keys | a PEM block whose label ends with `PRIVATE KEY` |
/// | card numbers | 14 to 19 digits of an issuer, with a valid check digit |
/// | IBANs | a country, its length, and a valid checksum |
///
/// Email addresses, UUIDs, hashes and public keys are not secret. A search makes one pass over the
/// bytes: each form is searched at the start of a word only, and to a fixed distance or to an end
/// that is not searched again.
///
/// Source: RFC 7519 section 3; RFC 7468 section 10; ISO/IEC 7812-1 annex B; ISO 13616-1.
enum SecretShapes {
  private static let minimumLength = 14
  private static let webToken = ByteClass("-_", alphanumeric: true)
  /// The characters after a private key that was cut.
  private static let keyEnd = ByteClass("\"'<>{}&")

  /// Replaces all secrets in a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mask: A closure that returns the replacement of a secret.
  /// - Returns: The text with the replacements.
  static func masked(_ text: String, by mask: (_ secret: String) -> String) -> String {
    // Fast path: no form is shorter.
    guard text.utf8.count >= minimumLength else { return text }
    return MaskedTextBuilder.masked(text) { bytes, builder in
      for range in decodedRanges(in: bytes) {
        builder.replace(range, with: mask(bytes.text(range)))
      }
    }
  }

  /// Returns whether a text contains a secret.
  static func contains(_ text: String) -> Bool {
    guard text.utf8.count >= minimumLength else { return false }
    var text = text
    return text.withUTF8 { !decodedRanges(in: $0).isEmpty }
  }

  /// Returns the ranges of the secrets in a text in which characters may be percent-encoded, also
  /// repeatedly.
  private static func decodedRanges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    // Fast path: most texts have no encoded characters.
    guard bytes.contains(UInt8(ascii: "%")) else { return ranges(in: bytes) }
    var (decoded, offsets, position) = ([UInt8](), [Int](), 0)
    decoded.reserveCapacity(bytes.count)
    offsets.reserveCapacity(bytes.count + 1)
    while position < bytes.count {
      offsets.append(position)
      decoded.append(EscapedBytes.nextNestedByte(of: bytes, at: &position).byte)
    }
    offsets.append(bytes.count)
    return decoded.withUnsafeBufferPointer(ranges)
      .map { offsets[$0.lowerBound]..<offsets[$0.upperBound] }
  }

  private static func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var position = 0
    /// The end of the part in which no web token starts.
    var tokenEnd = 0
    while position < bytes.count {
      let start = position
      var end: Int?
      if bytes[start].isASCIIAlphanumeric {
        if bytes.has("eyJ", at: start), start >= tokenEnd {
          end = webTokenEnd(in: bytes, at: start, searchedEnd: &tokenEnd)
        }
        end =
          end ?? TokenPrefixes.end(in: bytes, at: start) ?? PaymentNumbers.end(in: bytes, at: start)
        position = end ?? bytes.first(from: start) { !$0.isASCIIAlphanumeric }
      } else {
        if bytes.has("-----BEGIN", at: start) { end = privateKeyEnd(in: bytes, from: start + 10) }
        // In `\nghp_`, the letter of the escape is not part of the word.
        let isEscape =
          bytes[start] == UInt8(ascii: "\\") && start + 1 < bytes.count
          && bytes[start + 1].isOne(of: "nrtbf")
        position = end ?? start + (isEscape ? 2 : 1)
      }
      if let end { ranges.append(start..<end) }
    }
    return ranges
  }

  /// Finds the end of a JSON web token.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position of `eyJ`.
  ///   - searchedEnd: The end of the part in which a later search would fail, too.
  /// - Returns: The end, or `nil` if there is no token.
  private static func webTokenEnd(
    in bytes: UnsafeBufferPointer<UInt8>, at start: Int, searchedEnd: inout Int
  ) -> Int? {
    func pieceEnd(from position: Int) -> Int { bytes.first(from: position) { !webToken[$0] } }
    let header = pieceEnd(from: start)
    let payload = bytes.has(".", at: header) ? pieceEnd(from: header + 1) : header
    guard payload > header, bytes.has(".", at: payload), header - start >= 10 else {
      searchedEnd = header
      return nil
    }
    var end = pieceEnd(from: payload + 1)
    // An encrypted token has five parts.
    while bytes.has(".", at: end), pieceEnd(from: end + 1) > end + 1 {
      end = pieceEnd(from: end + 1)
    }
    // The text between two periods can be empty in an encrypted token only.
    return payload > header + 1 || end > payload + 1 ? end : nil
  }

  /// Finds the end of the block of a private key.
  ///
  /// Line breaks may be escaped or percent-encoded. A block without an end reaches to the first
  /// character that cannot be part of it.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position after `BEGIN`.
  /// - Returns: The end, or `nil` if the label is another one.
  private static func privateKeyEnd(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    let labelEnd = bytes.first(from: start, to: min(start + 64, bytes.count)) { $0 == 0x2D }
    let label = bytes.text(start..<labelEnd).replacing("+", with: " ")
    guard label.hasSuffix("PRIVATE KEY") || label.hasSuffix("PRIVATE KEY BLOCK") else { return nil }
    for position in labelEnd..<bytes.count {
      // Quotation marks, brackets and the like end a block that was cut.
      if keyEnd[bytes[position]] { return position }
      if bytes.has("-----END", at: position) {
        let line = bytes.first(from: position + 8) { $0 == UInt8(ascii: "-") }
        return bytes.first(from: line) { $0 != UInt8(ascii: "-") }
      }
    }
    return bytes.count
  }
}
