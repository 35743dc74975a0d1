/// An automaton that classifies a name in one pass over it.
///
/// Each character takes one step in a table that finds all words of the rules. The lengths of the
/// whole name and of its current word tell whether a found word is the whole name, a word of it, or
/// a part. Case, punctuation, diacritics and percent-encoding are skipped.
/// Names come from servers, so a name of any length takes linear time, and none needs a copy.
///
/// Source: A. Aho, M. Corasick, "Efficient string matching", 1975.
final class SecretNameMatcher: Sendable {
  /// The meanings of a word.
  struct Meaning: OptionSet, Sendable {
    let rawValue: UInt32

    /// The word says something about a secret at any position, such as its type or length.
    static let descriptor = Meaning(rawValue: 1 << 16)
    /// The word says something about a secret at the end of a name, such as its state.
    static let lastDescriptor = Meaning(rawValue: 1 << 17)
    /// The word contains a term by chance, such as `tokenizer`.
    static let unrelated = Meaning(rawValue: 1 << 18)
    /// The name counts secrets, such as `tokens`.
    static let counter = Meaning(rawValue: 1 << 19)
    /// The word makes a following `key` an identifier, such as `primary_key`.
    static let identifier = Meaning(rawValue: 1 << 20)
    /// The word names a secret at the end of a name, unless another word makes it an identifier.
    static let key = Meaning(rawValue: 1 << 21)
    /// The word makes the name secret at any position, such as `senha`.
    static let secret = Meaning(rawValue: 1 << 22)

    /// The values of the name follow a rule.
    static func values(_ sensitivity: SecretSensitivity) -> Meaning {
      Meaning(rawValue: 1 << UInt32(sensitivity.rawValue))
    }

    func whole(_ words: String) -> Rule { Rule(place: .whole, meaning: self, words: words) }
    func word(_ words: String) -> Rule { Rule(place: .word, meaning: self, words: words) }
    func anywhere(_ words: String) -> Rule { Rule(place: .anywhere, meaning: self, words: words) }

    /// The strictest rule for the values of the name.
    var sensitivity: SecretSensitivity {
      SecretSensitivity(rawValue: 31 - (rawValue & 0xFFFF | 1).leadingZeroBitCount) ?? .none
    }
  }

  /// The place of a word in a name.
  enum Place { case whole, word, anywhere }

  /// Words with a meaning, in lower case and separated by white space.
  struct Rule {
    let place: Place
    let meaning: Meaning
    let words: String
  }

  /// The words of one alphabet.
  private struct Automaton: Sendable {
    let width: Int
    /// The next state for each state and character.
    private var next: [UInt16]
    /// The meanings of the words that end in a state, wherever they start.
    private(set) var anywhere: [Meaning] = [[]]
    /// The other words that end in a state.
    private var bounded: [[(length: Int, rule: Rule)]] = [[]]

    init(_ words: [(rule: Rule, characters: [Int])], width: Int) {
      self.width = width
      next = Array(repeating: 0, count: width)
      for (rule, characters) in words {
        var state = 0
        for character in characters {
          let edge = state * width + character
          if next[edge] == 0 {
            next[edge] = UInt16(anywhere.count)
            next += Array(repeating: 0, count: width)
            anywhere.append([])
            bounded.append([])
          }
          state = Int(next[edge])
        }
        if rule.place == .anywhere { anywhere[state].formUnion(rule.meaning) }
        bounded[state].append((characters.count, rule))
      }
      addFallbacks()
    }

    /// Adds a transition for each character to the state of the longest suffix of the name that
    /// begins a word.
    private mutating func addFallbacks() {
      var fallbacks = Array(repeating: 0, count: anywhere.count)
      // Breadth first, so that the state of a shorter suffix is complete before it is copied.
      var queue = [0]
      var head = 0
      while head < queue.count {
        let (state, fallback) = (queue[head], fallbacks[queue[head]])
        head += 1
        anywhere[state].formUnion(anywhere[fallback])
        bounded[state] += bounded[fallback]
        for character in 0..<width {
          let edge = state * width + character
          let inherited = state == 0 ? 0 : next[fallback * width + character]
          if next[edge] == 0 {
            next[edge] = inherited
          } else {
            fallbacks[Int(next[edge])] = Int(inherited)
            queue.append(Int(next[edge]))
          }
        }
      }
    }

    @inline(__always) func step(_ state: Int, _ character: Int) -> Int {
      next.withUnsafeBufferPointer { Int($0[state * width + character]) }
    }

    /// Returns the meanings of the words of a length that end in a state.
    func meaning(_ state: Int, length: Int, _ place: Place = .word) -> Meaning {
      bounded[state].reduce(into: []) { meaning, word in
        if word.length == length, word.rule.place == place { meaning.formUnion(word.rule.meaning) }
      }
    }
  }

  private static let ascii = 36
  private let words: Automaton
  /// The words beyond ASCII.
  ///
  /// No word has letters of both alphabets.
  private let foreignWords: Automaton
  private let foreignLetters: [Unicode.Scalar: Int]

  /// Creates an automaton.
  init(_ rules: [Rule]) {
    let words = rules.flatMap { rule in
      rule.words.split(whereSeparator: \.isWhitespace).map { (rule, $0.unicodeScalars) }
    }
    let foreign = words.filter { !$0.1.allSatisfy(\.isASCII) }
      .map { ($0, $1.compactMap(LetterFolding.folded)) }
    let letters = Dictionary(
      uniqueKeysWithValues: Set(foreign.flatMap(\.1)).enumerated().map { ($1, $0) })
    foreignLetters = letters
    foreignWords = Automaton(
      foreign.map { ($0, $1.compactMap { letters[$0] }) }, width: letters.count)
    self.words = Automaton(
      words.filter { $0.1.allSatisfy(\.isASCII) }
        .map { ($0, $1.map { Self.number(of: UInt8($0.value)) }) }, width: Self.ascii)
  }

  /// Returns the number of a letter or digit in ASCII, or ``ascii`` for other characters.
  @inline(__always) private static func number(of byte: UInt8) -> Int {
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    if letter < 26 { return Int(letter) }
    return byte.isASCIIDigit ? 26 + Int(byte - UInt8(ascii: "0")) : ascii
  }

  /// Returns the rule for the values of a name.
  ///
  /// A word starts after punctuation, and at a capital after a small letter or a digit. A percent
  /// sign without two digits, invalid UTF-8, and punctuation are skipped.
  ///
  /// - Parameter name: The name in UTF-8, possibly percent-encoded.
  /// - Returns: The rule.
  func sensitivity(of name: UnsafeBufferPointer<UInt8>) -> SecretSensitivity {
    var (state, foreignState, length, wordLength) = (0, 0, 0, 0)
    var (terms, meanings) = (Meaning(), Meaning())
    var (position, isAfterSmall, isWordStart) = (0, false, false)
    while position < name.count {
      let byte = EscapedBytes.nextByte(of: name, at: &position)
      var number = Self.number(of: byte)
      var isCapital = byte & 0x20 == 0 && number < 26
      var foreign: Int?
      if number == Self.ascii {
        if byte < 0x80 {
          isWordStart = true
          continue
        }
        guard let scalar = Self.scalar(from: byte, in: name, at: &position),
          let letter = LetterFolding.folded(scalar)
        else { continue }
        isCapital = scalar.properties.isUppercase
        if letter.isASCII {
          number = Self.number(of: UInt8(letter.value))
        } else {
          foreign = foreignLetters[letter] ?? -1
        }
      }
      if isWordStart || isCapital && isAfterSmall {
        meanings.formUnion(words.meaning(state, length: wordLength))
        wordLength = 0
      }
      (isAfterSmall, isWordStart, length, wordLength) = (
        !isCapital, false, length + 1, wordLength + 1
      )
      if let foreign {
        (state, foreignState) = (0, foreign < 0 ? 0 : foreignWords.step(foreignState, foreign))
        terms.formUnion(foreignWords.anywhere[foreignState])
      } else {
        (state, foreignState) = (words.step(state, number), 0)
        terms.formUnion(words.anywhere[state])
      }
    }
    let whole = words.meaning(state, length: length, .whole).sensitivity
    guard whole == .none else { return whole }
    let last = words.meaning(state, length: wordLength)
    meanings.formUnion(last)
    if meanings.contains(.unrelated) { terms = [] }
    if meanings.contains(.secret) { terms.formUnion(.values(.strong)) }
    let isDescribed = meanings.contains(.descriptor) || last.contains(.lastDescriptor)
    if !terms.isEmpty {
      if isDescribed { return .described }
      // `tokens` counts or lists, so that numbers are not secret.
      let isCounter = terms.contains(.counter) && terms.sensitivity == .strong
      return isCounter ? .text : terms.sensitivity
    }
    if isDescribed { return .none }
    return last.contains(.key) && !meanings.contains(.identifier) ? .weak : last.sensitivity
  }

  /// Returns the scalar beyond ASCII that a byte begins, or `nil` if it is not valid.
  private static func scalar(
    from first: UInt8, in name: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> Unicode.Scalar? {
    var (encoded, end) = ([first], position)
    while encoded.count < 4, end < name.count {
      let byte = EscapedBytes.nextByte(of: name, at: &end)
      guard byte & 0xC0 == 0x80 else { break }
      encoded.append(byte)
      position = end
    }
    return String(decoding: encoded, as: UTF8.self).unicodeScalars.first
  }
}
