import CatenaSystem

/// An automaton that classifies a name in one pass over it.
///
/// Each character takes one step in three tables: one finds the terms at any position, one compares
/// the whole name, and one compares each word. Case, punctuation, diacritics and percent-encoding
/// are skipped.
/// Names come from servers, so a name of any length takes linear time, and none needs a copy.
///
/// Source: A. Aho, M. Corasick, "Efficient string matching", 1975.
final class SecretNameMatcher: Sendable {
  /// The classes of names that a table finds.
  struct NameClass: OptionSet, Sendable {
    let rawValue: UInt16

    /// All values are secret.
    static let strong = NameClass(rawValue: 1 << 0)
    /// Values that are not short numbers are secret.
    static let text = NameClass(rawValue: 1 << 1)
    /// Numbers such as PINs are secret.
    static let short = NameClass(rawValue: 1 << 2)
    /// Numbers of cards are secret.
    static let card = NameClass(rawValue: 1 << 3)
    /// Values that look like secrets, and texts of six digits, are secret.
    static let code = NameClass(rawValue: 1 << 4)
    /// Values that look like secrets are secret.
    static let weak = NameClass(rawValue: 1 << 5)
    /// The word says something about a secret at any position, such as its type or length.
    static let descriptor = NameClass(rawValue: 1 << 6)
    /// The word says something about a secret at the end of a name, such as its state.
    static let lastDescriptor = NameClass(rawValue: 1 << 8)
    /// The word contains a term by chance, such as `tokenizer`.
    static let unrelated = NameClass(rawValue: 1 << 9)
    /// The name counts secrets, such as `tokens`.
    static let counter = NameClass(rawValue: 1 << 7)
    /// The word makes a following `key` an identifier, such as `primary_key`.
    static let identifier = NameClass(rawValue: 1 << 10)
    /// The word names a secret at the end of a name, unless another word makes it an identifier.
    static let key = NameClass(rawValue: 1 << 11)
    /// The word makes the name secret at any position, such as `senha`.
    static let secret = NameClass(rawValue: 1 << 12)
    /// Values that can be cookies of HTTP are secret.
    static let cookies = NameClass(rawValue: 1 << 13)
  }

  /// The number of letters and digits in ASCII.
  fileprivate static let width = 36
  private static let root: UInt16 = 0

  /// A table with the child of each node and character, 0 if there is none.
  ///
  /// The nodes are numbered from 0, the root.
  private struct Trie: Sendable {
    let width: Int
    var next: [UInt16]
    var classes: [NameClass] = [[]]

    init(_ words: [(NameClass, [String])], _ alphabet: ForeignAlphabet) {
      width = SecretNameMatcher.width + alphabet.count
      next = [UInt16](repeating: 0, count: width)
      for (nameClass, words) in words {
        for word in words {
          var node = 0
          for scalar in word.unicodeScalars {
            guard let character = alphabet.number(of: scalar), character < width else { continue }
            let edge = node * width + character
            if next[edge] == 0 {
              next[edge] = UInt16(classes.count)
              next += [UInt16](repeating: 0, count: width)
              classes.append([])
            }
            node = Int(next[edge])
          }
          classes[node].formUnion(nameClass)
        }
      }
    }

    /// Adds a transition for each character to the node of the longest suffix of the name that
    /// begins a word.
    mutating func addFallbacks() {
      var fallbacks = [UInt16](repeating: root, count: classes.count)
      // Breadth first, so that the node of a shorter suffix is complete before it is copied.
      var queue = [0]
      var head = 0
      while head < queue.count {
        let node = queue[head]
        head += 1
        let fallback = Int(fallbacks[node])
        classes[node].formUnion(classes[fallback])
        for character in 0..<width {
          let edge = node * width + character
          let inherited = node == 0 ? root : next[fallback * width + character]
          if next[edge] == 0 {
            next[edge] = inherited
          } else {
            fallbacks[Int(next[edge])] = inherited
            queue.append(Int(next[edge]))
          }
        }
      }
    }
  }

  private let names: Trie
  private let terms: Trie
  private let words: Trie
  /// The letters beyond ASCII in the terms.
  private let alphabet: ForeignAlphabet

  /// Creates an automaton.
  ///
  /// - Parameters:
  ///   - names: The classes of whole names, in lower case.
  ///   - terms: The classes of terms at any position, in lower case.
  ///   - words: The classes of words. Those of a descriptor and of a secret count at any position,
  ///     the others at the end of a name only.
  init(
    names: [(NameClass, [String])], terms: [(NameClass, [String])], words: [(NameClass, [String])]
  ) {
    self.names = Trie(names, ForeignAlphabet([]))
    alphabet = ForeignAlphabet(terms.flatMap(\.1))
    var terms = Trie(terms, alphabet)
    terms.addFallbacks()
    self.terms = terms
    self.words = Trie(words, ForeignAlphabet([]))
  }

  /// The result of a match.
  struct Match {
    /// The rule for the values of the name.
    var sensitivity = SecretSensitivity.none
    /// The number of letters and digits of the name.
    ///
    /// `nil` if some are beyond ASCII.
    var length: Int? = 0
  }

  /// Classifies a name.
  ///
  /// - Parameter name: The name in UTF-8, possibly percent-encoded.
  /// - Returns: The result.
  func match(_ name: UnsafeBufferPointer<UInt8>) -> Match {
    let (width, termWidth) = (Self.width, terms.width)
    return terms.next.withUnsafeBufferPointer { terms in
      var (term, node, isPrefix, found) = (0, 0, true, NameClass())
      var (word, isWord, descriptors) = (0, true, NameClass())
      var (length, isASCII) = (0, true)
      var characters = NameCharacters(name, alphabet)
      while let character = characters.next() {
        length += 1
        if characters.isWordStart {
          if isWord { descriptors.formUnion(words.classes[word]) }
          (word, isWord) = (0, true)
        }
        term = character < termWidth ? Int(terms[term * termWidth + character]) : 0
        if term != 0 { found.formUnion(self.terms.classes[term]) }
        guard character < width else {
          // A letter beyond ASCII is part of a word.
          (isPrefix, isWord, isASCII) = (false, false, false)
          continue
        }
        if isPrefix {
          node = Int(names.next[node * width + character])
          isPrefix = node != 0
        }
        if isWord {
          word = Int(words.next[word * width + character])
          isWord = word != 0
        }
      }
      let last = isWord ? words.classes[word] : []
      let exact = isPrefix ? names.classes[node] : []
      descriptors.formUnion(last)
      if descriptors.contains(.unrelated) { found = [] }
      if descriptors.contains(.secret) { found.insert(.strong) }
      let sensitivity = Self.sensitivity(
        exact: exact, terms: found, last: last,
        isDescribed: descriptors.contains(.descriptor) || last.contains(.lastDescriptor),
        isIdentifier: descriptors.contains(.identifier))
      return Match(sensitivity: sensitivity, length: isASCII ? length : nil)
    }
  }

  private static func sensitivity(
    exact: NameClass, terms: NameClass, last: NameClass, isDescribed: Bool, isIdentifier: Bool
  ) -> SecretSensitivity {
    if !exact.isEmpty { return sensitivity(of: exact) }
    if !terms.isEmpty {
      if isDescribed { return .described }
      // `tokens` counts or lists, so that numbers are not secret.
      let strong = sensitivity(of: terms)
      return terms.contains(.counter) && strong == .strong ? .text : strong
    }
    if last.contains(.key), !isIdentifier, !isDescribed { return .weak }
    return isDescribed ? .none : sensitivity(of: last)
  }

  private static func sensitivity(of nameClass: NameClass) -> SecretSensitivity {
    if nameClass.contains(.strong) { return .strong }
    if nameClass.contains(.text) { return .text }
    if nameClass.contains(.short) { return .short }
    if nameClass.contains(.card) { return .card }
    if nameClass.contains(.code) { return .code }
    if nameClass.contains(.cookies) { return .cookies }
    return nameClass.contains(.weak) ? .weak : .none
  }

  /// The letters beyond ASCII that a table has columns for.
  fileprivate struct ForeignAlphabet: Sendable {
    private let numbers: [Unicode.Scalar: Int]

    init(_ words: [String]) {
      let letters = Set(
        words.joined().unicodeScalars.filter { !$0.isASCII }.compactMap(LetterFolding.folded))
      numbers = Dictionary(
        uniqueKeysWithValues: letters.enumerated().map { ($1, SecretNameMatcher.width + $0) })
    }

    var count: Int { numbers.count }

    /// Returns the number of a letter or digit, ``unknown`` for one without a column, or `nil` for
    /// other characters.
    func number(of scalar: Unicode.Scalar) -> Int? {
      if scalar.isASCII {
        let number = SecretNameMatcher.number(of: UInt8(scalar.value))
        return number < SecretNameMatcher.width ? number : nil
      }
      guard let letter = LetterFolding.folded(scalar) else { return nil }
      if letter.isASCII { return SecretNameMatcher.number(of: UInt8(letter.value)) }
      return numbers[letter] ?? Self.unknown
    }

    static let unknown = Int(UInt16.max)
  }

  /// Returns the number of a letter or digit in ASCII, or ``width`` for other characters.
  @inline(__always) fileprivate static func number(of byte: UInt8) -> Int {
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    if letter < 26 { return Int(letter) }
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? 26 + Int(digit) : width
  }
}

/// The letters and digits of a name, without percent-encoding and diacritics.
///
/// A word starts after punctuation, and at a capital after a small letter or a digit.
///
/// A percent sign without two digits, invalid UTF-8, and punctuation are skipped.
private struct NameCharacters {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let alphabet: SecretNameMatcher.ForeignAlphabet
  private var position = 0
  /// Whether the last character was a small letter or a digit.
  private var isAfterSmall = false
  /// Whether the last returned character starts another word of the name.
  private(set) var isWordStart = false

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: SecretNameMatcher.ForeignAlphabet) {
    self.bytes = bytes
    self.alphabet = alphabet
  }

  /// Returns the number of the next character: from 0 for letters, from 26 for digits, and from 36
  /// for letters and digits beyond ASCII.
  @inline(__always) mutating func next() -> Int? {
    isWordStart = false
    while position < bytes.count {
      let byte = nextByte()
      let number = SecretNameMatcher.number(of: byte)
      if number < 36 {
        let isCapital = byte & 0x20 == 0 && number < 26
        if isCapital, isAfterSmall { isWordStart = true }
        isAfterSmall = !isCapital
        return number
      }
      if byte < 0x80 {
        isWordStart = true
      } else if let scalar = self.scalar(from: byte), let number = alphabet.number(of: scalar) {
        let isCapital = scalar.properties.isUppercase
        if isCapital, isAfterSmall { isWordStart = true }
        isAfterSmall = !isCapital
        return number
      }
    }
    return nil
  }

  @inline(__always) private mutating func nextByte() -> UInt8 {
    EscapedBytes.nextByte(of: bytes, at: &position)
  }

  /// Returns the scalar beyond ASCII that a byte begins, or `nil` if it is not valid.
  private mutating func scalar(from first: UInt8) -> Unicode.Scalar? {
    let (count, bits): (Int, UInt8)
    switch first {
    case 0xC2...0xDF: (count, bits) = (1, 0x1F)
    case 0xE0...0xEF: (count, bits) = (2, 0x0F)
    case 0xF0...0xF4: (count, bits) = (3, 0x07)
    default: return nil
    }
    var value = UInt32(first & bits)
    for _ in 0..<count {
      let start = position
      guard position < bytes.count else { return nil }
      let byte = nextByte()
      guard byte & 0xC0 == 0x80 else {
        position = start
        return nil
      }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return Unicode.Scalar(value)
  }
}

/// The decoding of names, which ignores percent signs without two digits.
///
/// Source: RFC 3986 section 2.1.
enum EscapedBytes {
  /// Returns the byte at a position, and advances the position.
  @inline(__always) static func nextByte(
    of bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> UInt8 {
    let byte = bytes[position]
    position += 1
    guard byte == UInt8(ascii: "%"), position + 1 < bytes.count,
      let high = bytes[position].hexDigitValue, let low = bytes[position + 1].hexDigitValue
    else { return byte }
    position += 2
    return high << 4 | low
  }

  /// Returns the byte at a position, which may be encoded several times as in `%2541`, and advances
  /// the position.
  static func nextNestedByte(
    of bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> UInt8 {
    let start = position
    var byte = nextByte(of: bytes, at: &position)
    guard position > start + 1 else { return byte }
    while byte == UInt8(ascii: "%"), position + 1 < bytes.count,
      let high = bytes[position].hexDigitValue, let low = bytes[position + 1].hexDigitValue
    {
      byte = high << 4 | low
      position += 2
    }
    return byte
  }

  /// The limit for repeated encoding, as in a URL in a parameter of a URL.
  static let maximumDepth = 8

  /// Returns a text without repeated percent-encoding.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - times: The limit for the number of times that the text is decoded.
  /// - Returns: The decoded text.
  static func decoded(_ text: String, times: Int) -> String {
    var text = text
    for _ in 0..<times {
      guard text.utf8.contains(UInt8(ascii: "%")) else { break }
      let decoded = decoded(text)
      guard decoded != text else { break }
      text = decoded
    }
    return text
  }

  /// Returns a text without percent-encoding, and with invalid UTF-8 repaired.
  static func decoded(_ text: String) -> String {
    var text = text
    let decoded = text.withUTF8 { bytes in
      var (decoded, position) = ([UInt8](), 0)
      decoded.reserveCapacity(bytes.count)
      while position < bytes.count { decoded.append(nextByte(of: bytes, at: &position)) }
      return decoded
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
