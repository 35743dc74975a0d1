import Foundation

/// The folding of letters to one form without case and diacritics: `Ñ` and `ñ` to `n`.
///
/// Names of secrets are compared in this form, so that `contraseña`, `Contrasena` and `CONTRASEÑA`
/// are one name. Latin, Greek and Cyrillic letters are folded. Letters of other scripts have no
/// case.
///
/// Source: The Unicode Standard, chapter 3.11 (canonical decomposition) and section 5.18 (case).
enum LetterFolding {
  /// Returns a letter without case and diacritics, or `nil` if a scalar is no letter or digit.
  ///
  /// - Parameter scalar: The scalar.
  /// - Returns: The folded letter, which may be in ASCII.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0..<0x80:
      let byte = UInt8(scalar.value)
      // The bit makes letters lower case.
      return byte.isASCIIAlphanumeric ? Unicode.Scalar(byte | 0x20) : nil
    // The letters and digits of East Asian keyboards.
    case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0).flatMap(folded)
    default: return table[scalar] ?? (isLetter(scalar) ? scalar : nil)
    }
  }

  /// The Latin, Greek and Cyrillic letters, the Vietnamese ones, and the sign for kelvins.
  private static let table: [Unicode.Scalar: Unicode.Scalar] = {
    let letters = (Array(0x80..<0x530) + Array(0x1E00..<0x1F00) + [0x212A] as [UInt32])
      .compactMap(Unicode.Scalar.init).filter(isLetter)
    return Dictionary(uniqueKeysWithValues: letters.map { ($0, decomposed($0)) })
  }()

  private static func decomposed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let letters = scalar.properties.lowercaseMapping.decomposedStringWithCanonicalMapping
    let letter = letters.unicodeScalars.first ?? scalar
    return undecomposed[letter] ?? letter
  }

  /// Letters with a stroke and the like, which have no decomposition.
  private static let undecomposed: [Unicode.Scalar: Unicode.Scalar] = [
    "ß": "s", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ħ": "h", "ŧ": "t", "æ": "a",
    "œ": "o", "ς": "σ",
  ]

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}

extension UInt8 {
  /// Whether the byte is one of the digits 0 to 9.
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
