/// The recognition of card numbers and IBANs by their check digits.
///
/// Groups of digits may be separated by a space, a hyphen or `+`, in the groups that are printed on
/// cards: `4111 1111 1111 1111`, `3782-822463-10005`.
package enum PaymentNumbers {
  /// Finds the end of the card number or the IBAN at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position of a letter or a digit after a character that is neither.
  /// - Returns: The end, or `nil` if there is no number.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    let isCard = bytes[start].isASCIIDigit
    var length: Int?
    if isCard {
      // Fast path: no number of an issuer starts with another digit.
      guard 0x32...0x36 ~= bytes[start] else { return nil }
      // The digits of a decimal fraction are no card number.
      if start >= 2, bytes[start - 1] == UInt8(ascii: "."), bytes[start - 2].isASCIIDigit {
        return nil
      }
    } else {
      guard start + 15 <= bytes.count, bytes[start + 2].isASCIIDigit,
        bytes[start + 3].isASCIIDigit
      else { return nil }
      length = ibanLengths[code(bytes[start...])]
      if length == nil { return nil }
    }
    var (position, characters, groups) = (start, [UInt8](), [Int]())
    // Groups with a separator between them.
    repeat {
      if !groups.isEmpty { position += 1 }
      let groupStart = position
      while position < bytes.count, isPart(bytes[position], isCard) {
        guard characters.count < length ?? 19 else { return nil }
        characters.append(bytes[position])
        position += 1
      }
      groups.append(position - groupStart)
    } while characters.count < length ?? 16 && (groups.last == 4 || groups == [4, 6])
      && position + 1 < bytes.count && isSeparator(bytes[position])
      && isPart(bytes[position + 1], isCard)
    let isFormed =
      [[4, 6, 5], [4, 6, 4]].contains(groups) || groups.count == 1
      || groups.dropLast().allSatisfy { $0 == 4 } && groups.last ?? 0 <= 4
    guard isFormed, position == bytes.count || !bytes[position].isASCIIAlphanumeric else {
      return nil
    }
    guard isCard else {
      return characters.count == length && isValidIBAN(characters) ? position : nil
    }
    let isFraction =
      bytes.has(".", at: position) && position + 1 < bytes.count
      && bytes[position + 1].isASCIIDigit
    return !isFraction && Self.isCard(characters) ? position : nil
  }

  @inline(__always) private static func isPart(_ byte: UInt8, _ isCard: Bool) -> Bool {
    isCard ? byte.isASCIIDigit : byte.isASCIIAlphanumeric
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte.isOne(of: " -+") }

  /// Returns whether a text is a number of 12 to 19 digits with separators, of any issuer.
  static func isCardLike(_ text: String) -> Bool {
    let characters = text.utf8.filter { !isSeparator($0) }
    return 12...19 ~= characters.count && characters.allSatisfy(\.isASCIIDigit)
  }

  /// Returns whether a text has the characters of an IBAN, with or without a valid checksum.
  static func isIBANLike(_ text: String) -> Bool {
    let characters = text.utf8.filter { !isSeparator($0) }
    return 15...34 ~= characters.count && characters.allSatisfy(\.isASCIIAlphanumeric)
      && !characters.prefix(2).contains(where: \.isASCIIDigit)
      && characters.dropFirst(2).prefix(2).allSatisfy(\.isASCIIDigit)
  }

  /// Returns a card number or an IBAN without its separators and in capitals.
  ///
  /// `nil` for other texts.
  package static func canonical(_ text: String) -> String? {
    let characters = text.utf8.filter { !isSeparator($0) }
    let isCard = 12...34 ~= characters.count && characters.allSatisfy(\.isASCIIDigit)
    guard isCard || isIBANLike(text) && ibanLengths[code(characters[...])] == characters.count
    else { return nil }
    return String(decoding: characters, as: UTF8.self).uppercased()
  }

  // MARK: Cards

  /// Returns whether digits have a valid check digit, and start with the number of an issuer.
  ///
  /// Source: ISO/IEC 7812-1 annex B (the Luhn algorithm).
  static func isCard(_ digits: [UInt8]) -> Bool {
    guard let issuers = issuers[digits.count], digits.allSatisfy(\.isASCIIDigit) else {
      return false
    }
    let start = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 & 0xF) }
    guard issuers.contains(where: { $0 ~= start }) else { return false }
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() {
      let value = Int(digit & 0xF)
      sum += index.isMultiple(of: 2) ? value : value < 5 ? value * 2 : value * 2 - 9
    }
    return sum.isMultiple(of: 10) && digits.contains { $0 != digits[0] }
  }

  /// The first four digits of the issuers of cards, by the number of digits.
  private static let issuers: [Int: [ClosedRange<Int>]] = {
    let long = [6_200...6_399, 6_700...6_799, 6_011...6_011]
    return [
      14: [3_000...3_059, 3_600...3_699, 3_800...3_999], 15: [3_400...3_499, 3_700...3_799],
      16: [
        2_221...2_720, 3_000...3_059, 3_528...3_589, 3_600...3_699, 4_000...5_099, 5_100...5_899,
        6_011...6_011, 6_200...6_299, 6_440...6_599, 6_700...6_799,
      ], 17: long, 18: long, 19: long,
    ]
  }()

  // MARK: IBANs

  /// Returns whether a checksum modulo 97 is 1.
  ///
  /// Source: ISO 13616-1; ISO/IEC 7064 (MOD 97-10).
  private static func isValidIBAN(_ characters: [UInt8]) -> Bool {
    (characters[4...] + characters[..<4]).reduce(0) { remainder, byte in
      // The numbers of letters start at 10.
      byte.isASCIIDigit
        ? (remainder * 10 + Int(byte & 0xF)) % 97 : (remainder * 100 + Int(byte & 0x1F) + 9) % 97
    } == 1
  }

  private static func code(_ characters: some Collection<UInt8>) -> UInt16 {
    characters.prefix(2).reduce(0) { $0 << 8 | UInt16($1 & 0xDF) }
  }

  /// The lengths of IBANs by the two letters of their country.
  ///
  /// Source: SWIFT, IBAN Registry.
  private static let ibanLengths: [UInt16: Int] = {
    let countries = [
      15: "NO", 16: "BE", 18: "DK FO FI GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK",
      21: "CH HR LI LV", 22: "BG BH CR DE GE GB IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
      24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "PT ST LY", 26: "IS TR",
      27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR PS QA UA",
      30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
    ]
    return countries.reduce(into: [:]) { lengths, group in
      for country in group.value.utf8.split(separator: UInt8(ascii: " ")) {
        lengths[code(country)] = group.key
      }
    }
  }()
}
