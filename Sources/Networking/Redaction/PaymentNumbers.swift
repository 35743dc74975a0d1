/// The recognition of card numbers and IBANs by their check digits.
///
/// Groups of digits may be separated by a space, a hyphen or `+`, in the groups that are printed on
/// cards: `4111 1111 1111 1111`, `3782-822463-10005`.
enum PaymentNumbers {
  // MARK: Card numbers

  /// Finds the end of the card number at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position of a digit after a character that is neither a letter nor a digit.
  /// - Returns: The end, or `nil` if there is no card number.
  static func cardEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard bytes[start].is(.cardStart) else { return nil }
    // The digits of a decimal fraction are no card number.
    if start >= 2, bytes[start - 1] == UInt8(ascii: "."), isDigit(bytes[start - 2]) { return nil }
    guard let number = groups(in: bytes, at: start, limit: 19, groupLimit: 16, of: isDigit) else {
      return nil
    }
    guard isFormat(number.lengths), isIssued(number.characters), isValid(number.characters) else {
      return nil
    }
    if number.end + 1 < bytes.count, bytes[number.end] == UInt8(ascii: "."),
      isDigit(bytes[number.end + 1])
    {
      return nil
    }
    return number.end
  }

  /// Returns whether a text is a number of 12 to 19 digits with separators, of any issuer.
  static func isCardLike(_ text: String) -> Bool {
    let characters = text.utf8.filter { !isSeparator($0) }
    return 12...19 ~= characters.count && characters.allSatisfy(isDigit)
  }

  /// Returns whether a text has the characters of an IBAN, with or without a valid checksum.
  static func isIBANLike(_ text: String) -> Bool {
    let characters = text.utf8.filter { !isSeparator($0) }
    return 15...34 ~= characters.count && characters.allSatisfy(\.isASCIIAlphanumeric)
      && !characters.prefix(2).contains(where: isDigit)
      && characters.dropFirst(2).prefix(2).allSatisfy(isDigit)
  }

  /// Returns whether the digits of a card number have a valid check digit, and start with the
  /// number of an issuer.
  static func isCard(_ digits: String) -> Bool {
    let digits = Array(digits.utf8)
    return digits.allSatisfy(isDigit) && isIssued(digits) && isValid(digits)
  }

  private static func isFormat(_ lengths: [Int]) -> Bool {
    if lengths.count == 1 { return true }
    return lengths == [4, 6, 5] || lengths == [4, 6, 4]
      || lengths.count >= 4 && lengths.dropLast().allSatisfy { $0 == 4 } && lengths.last ?? 0 <= 4
  }

  /// Returns whether digits start with the number of an issuer of cards of this length.
  private static func isIssued(_ digits: [UInt8]) -> Bool {
    guard 14...19 ~= digits.count else { return false }
    func start(_ length: Int) -> Int {
      digits.prefix(length).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    switch digits.count {
    case 14: return 300...305 ~= start(3) || start(2) == 36 || 38...39 ~= start(2)
    case 15: return start(2) == 34 || start(2) == 37
    case 16:
      return start(1) == 4 || 51...55 ~= start(2) || 2_221...2_720 ~= start(4)
        || start(4) == 6_011 || start(2) == 65 || 644...649 ~= start(3)
        || 3_528...3_589 ~= start(4) || start(2) == 62 || 300...305 ~= start(3)
        || start(2) == 36 || start(2) == 50 || 56...58 ~= start(2) || start(2) == 67
    default: return start(2) == 62 || start(2) == 67 || start(2) == 63 || start(4) == 6_011
    }
  }

  /// Returns whether the last digit is the check digit of the others.
  ///
  /// Source: ISO/IEC 7812-1 annex B (the Luhn algorithm).
  private static func isValid(_ digits: [UInt8]) -> Bool {
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() {
      let value = Int(digit - UInt8(ascii: "0"))
      sum += index.isMultiple(of: 2) ? value : value < 5 ? value * 2 : value * 2 - 9
    }
    return sum.isMultiple(of: 10) && digits.contains { $0 != digits[0] }
  }

  // MARK: IBANs

  /// Finds the end of the IBAN at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position of a letter after a character that is neither a letter nor a digit.
  /// - Returns: The end, or `nil` if there is no IBAN.
  static func ibanEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard start + 15 <= bytes.count, isDigit(bytes[start + 2]), isDigit(bytes[start + 3]),
      !isDigit(bytes[start + 1])
    else { return nil }
    guard let length = lengths[UInt16(bytes[start] & 0xDF) << 8 | UInt16(bytes[start + 1] & 0xDF)],
      let number = groups(
        in: bytes, at: start, limit: length, groupLimit: length,
        of: \.isASCIIAlphanumeric),
      number.characters.count == length,
      // A UUID has a last group of twelve characters.
      number.lengths.count == 1
        || number.lengths.dropLast().allSatisfy({ $0 == 4 }) && number.lengths.last ?? 0 <= 4,
      isValidIBAN(number.characters)
    else { return nil }
    return number.end
  }

  /// Returns whether a checksum modulo 97 is 1.
  ///
  /// Source: ISO 13616-1; ISO/IEC 7064 (MOD 97-10).
  private static func isValidIBAN(_ characters: [UInt8]) -> Bool {
    var remainder = 0
    for byte in characters[4...] + characters[..<4] {
      if isDigit(byte) {
        remainder = (remainder * 10 + Int(byte - UInt8(ascii: "0"))) % 97
      } else {
        remainder = (remainder * 100 + Int(byte & 0xDF) - Int(UInt8(ascii: "A")) + 10) % 97
      }
    }
    return remainder == 1
  }

  /// The lengths of IBANs by the two letters of their country.
  ///
  /// Source: SWIFT, IBAN Registry.
  private static let lengths: [UInt16: Int] = {
    let countries: [Int: String] = [
      15: "NO", 16: "BE", 18: "DKFOFIGLNLSD", 19: "MKSI", 20: "ATBAEEKZLTLUXK",
      21: "CHHRLILV", 22: "BGBHCRDEGEGBIEMERSVA", 23: "AEGIILIQOMSOTL",
      24: "ADCZESMDPKROSASEFSKTNVG", 25: "PTSTLY", 26: "ISTR", 27: "BIDJFRGRITMCMRSM",
      28: "ALAZBYCYDOGTHULBNIPLSV", 29: "BRPSQAUA", 30: "JOKWMU", 31: "MTSC", 32: "LC", 33: "RU",
    ]
    var lengths: [UInt16: Int] = [:]
    for (length, letters) in countries {
      let letters = Array(letters.utf8)
      for index in stride(from: 0, to: letters.count - 1, by: 2) {
        lengths[UInt16(letters[index]) << 8 | UInt16(letters[index + 1])] = length
      }
    }
    return lengths
  }()

  // MARK: Groups

  /// The characters of a number, and the lengths of their groups.
  private struct Number {
    var characters: [UInt8] = []
    var lengths: [Int] = []
    var end = 0
  }

  /// Reads groups of characters with a separator between them.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position of the first character.
  ///   - limit: The largest number of characters.
  ///   - groupLimit: The number of characters after which no other group belongs to the number.
  ///   - isPart: Whether a byte is a character of the number.
  /// - Returns: The groups, or `nil` if a letter or digit follows, or if there are too many
  ///   characters.
  private static func groups(
    in bytes: UnsafeBufferPointer<UInt8>, at start: Int, limit: Int, groupLimit: Int,
    of isPart: (UInt8) -> Bool
  ) -> Number? {
    var number = Number()
    var position = start
    while true {
      let groupStart = position
      while position < bytes.count, isPart(bytes[position]) {
        guard number.characters.count < limit else { return nil }
        number.characters.append(bytes[position])
        position += 1
      }
      number.lengths.append(position - groupStart)
      number.end = position
      guard number.characters.count < groupLimit,
        number.lengths.last == 4 || number.lengths == [4, 6],
        position + 1 < bytes.count, isSeparator(bytes[position]), isPart(bytes[position + 1])
      else { break }
      position += 1
    }
    guard number.end == bytes.count || !bytes[number.end].isASCIIAlphanumeric else { return nil }
    return number
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  /// Returns a card number or an IBAN without its separators and in capitals.
  ///
  /// `nil` for other texts.
  static func canonical(_ text: String) -> String? {
    let characters = text.utf8.filter { !isSeparator($0) }
    guard 12...34 ~= characters.count, characters.allSatisfy(\.isASCIIAlphanumeric),
      characters.dropFirst(2).prefix(2).allSatisfy(isDigit)
    else { return nil }
    guard characters.allSatisfy(isDigit) || lengths[code(of: characters)] == characters.count else {
      return nil
    }
    return String(decoding: characters, as: UTF8.self).uppercased()
  }

  private static func code(of characters: [UInt8]) -> UInt16 {
    UInt16(characters[0] & 0xDF) << 8 | UInt16(characters[1] & 0xDF)
  }
}
