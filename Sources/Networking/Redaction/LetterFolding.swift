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
  /// - Parameter scalar: A scalar beyond ASCII.
  /// - Returns: The folded letter, which may be in ASCII.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case latinStart..<latinEnd: return table[Int(scalar.value - latinStart)]
    case vietnameseStart..<vietnameseEnd:
      return table[Int(scalar.value - vietnameseStart + latinEnd - latinStart)]
    // The letters and digits of East Asian keyboards.
    case 0xFF01...0xFF5E:
      let byte = UInt8(scalar.value - 0xFEE0)
      return byte.isASCIIAlphanumeric ? Unicode.Scalar(byte | 0x20) : nil
    case 0x212A: return "k"
    default: return isLetter(scalar) ? scalar : nil
    }
  }

  private static let (latinStart, latinEnd): (UInt32, UInt32) = (0x80, 0x530)
  private static let (vietnameseStart, vietnameseEnd): (UInt32, UInt32) = (0x1E00, 0x1F00)

  /// The folded letters from ``latinStart`` and from ``vietnameseStart``.
  private static let table: [Unicode.Scalar?] =
    (Array(latinStart..<latinEnd) + Array(vietnameseStart..<vietnameseEnd)).map {
      Unicode.Scalar($0).flatMap(decomposed)
    }

  private static func decomposed(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard isLetter(scalar) else { return nil }
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
