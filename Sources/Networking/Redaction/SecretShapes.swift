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
package enum SecretShapes {
  /// Replaces all secrets in a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - mask: A closure that returns the replacement of a secret.
  /// - Returns: The text with the replacements.
  static func masked(_ text: String, by mask: (_ secret: String) -> String) -> String {
    // Fast path: no form is shorter.
    guard text.utf8.count >= minimumLength else { return text }
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      var builder = MaskedTextBuilder(of: bytes)
      for range in decodedRanges(in: bytes) {
        let secret = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        builder.replace(range, with: mask(secret))
      }
      return builder.text
    }
    return masked ?? text
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
      decoded.append(EscapedBytes.nextNestedByte(of: bytes, at: &position))
    }
    offsets.append(bytes.count)
    return decoded.withUnsafeBufferPointer { ranges(in: $0) }
      .map { offsets[$0.lowerBound]..<offsets[$0.upperBound] }
  }

  /// Returns whether a text contains a secret.
  static func contains(_ text: String) -> Bool {
    guard text.utf8.count >= minimumLength else { return false }
    var text = text
    return text.withUTF8 { !decodedRanges(in: $0).isEmpty }
  }

  private static let minimumLength = 14

  private static func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var (position, isInWord) = (0, false)
    /// The end of the part in which no web token and no block starts.
    var (tokenEnd, blockEnd) = (0, 0)
    while position < bytes.count {
      let byte = bytes[position]
      guard byte.isASCIIAlphanumeric else {
        if byte == UInt8(ascii: "-"), position >= blockEnd, hasBytes("-----BEGIN", bytes, position)
        {
          if let end = privateKeyEnd(in: bytes, from: position + 10) {
            ranges.append(position..<end)
            position = end
            continue
          }
          blockEnd = position + 10
        }
        position += escapeLength(in: bytes, at: position)
        isInWord = false
        continue
      }
      guard !isInWord else {
        position += 1
        continue
      }
      isInWord = true
      var end: Int?
      if byte <= UInt8(ascii: "9") {
        end = PaymentNumbers.cardEnd(in: bytes, at: position)
      } else {
        if byte == UInt8(ascii: "e"), position >= tokenEnd, hasBytes("eyJ", bytes, position) {
          end = webTokenEnd(in: bytes, at: position, searchedEnd: &tokenEnd)
        }
        end =
          end ?? TokenPrefixes.end(in: bytes, at: position)
          ?? PaymentNumbers.ibanEnd(in: bytes, at: position)
      }
      if let end {
        ranges.append(position..<end)
        (position, isInWord) = (end, false)
      } else {
        position += 1
      }
    }
    return ranges
  }

  /// Returns the length of the separator at a position, which may be an escaped character.
  ///
  /// In `\nghp_`, the letter of the escape is not part of the word.
  private static func escapeLength(
    in bytes: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> Int {
    switch bytes[position] {
    case UInt8(ascii: "\\") where position + 1 < bytes.count:
      return bytes[position + 1].is(.escapeLetter) ? 2 : 1
    default: return 1
    }
  }

  static func hasBytes(
    _ text: StaticString, _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int
  ) -> Bool {
    text.withUTF8Buffer { text in
      guard position + text.count <= bytes.count else { return false }
      for index in text.indices where bytes[position + index] != text[index] { return false }
      return true
    }
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
    func pieceEnd(from position: Int) -> Int {
      bytes[position...].firstIndex {
        !$0.isASCIIAlphanumeric && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
      } ?? bytes.count
    }
    func isPeriod(_ position: Int) -> Bool {
      position < bytes.count && bytes[position] == UInt8(ascii: ".")
    }
    let header = pieceEnd(from: start)
    guard isPeriod(header), header - start >= 10 else {
      searchedEnd = header
      return nil
    }
    let payload = pieceEnd(from: header + 1)
    guard isPeriod(payload) else {
      searchedEnd = header
      return nil
    }
    var end = pieceEnd(from: payload + 1)
    // An encrypted token has five parts.
    while isPeriod(end), pieceEnd(from: end + 1) > end + 1 { end = pieceEnd(from: end + 1) }
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
    var position = start
    var label = ""
    while position < bytes.count, position - start < 64 {
      let byte = EscapedBytes.nextByte(of: bytes, at: &position)
      if byte == UInt8(ascii: "-") { break }
      label.append(byte == UInt8(ascii: "+") ? " " : Character(Unicode.Scalar(byte)))
    }
    guard label.hasSuffix("PRIVATE KEY") || label.hasSuffix("PRIVATE KEY BLOCK") else {
      return nil
    }
    while position < bytes.count {
      if hasBytes("-----END", bytes, position) {
        let line = bytes[(position + 8)...].firstIndex(of: UInt8(ascii: "-")) ?? bytes.count
        return bytes[line...].firstIndex { $0 != UInt8(ascii: "-") } ?? bytes.count
      }
      // Quotation marks, brackets and the like end a block that was cut.
      if bytes[position].is(.keyEnd) { return position }
      position += 1
    }
    return bytes.count
  }

  /// Returns a card number or an IBAN without its separators, or `nil` for other texts.
  package static func canonicalNumber(_ text: String) -> String? {
    PaymentNumbers.canonical(text)
  }
}
