import Mocking
import Networking

/// A pattern of a schema: a regular expression of ECMAScript, searched in linear time.
///
/// The pattern is translated to the syntax of ``RegularExpression``: `\d`, `\w` and `\s` have the
/// characters of ECMAScript, `.` matches all but its line terminators, and `\cJ`, `[^]`, `[]` and
/// escaped surrogates have their meaning. Look-ahead at the start of a pattern, as in
/// `^(?=.*[a-z])(?!.*admin).{8,}$`, is searched as conditions of their own. Other look-around,
/// back-references and scripts (`\p{Script=...}`) have no search in linear time here: such a pattern is
/// reported, and matches every text. `\b` follows Unicode.
///
/// Source: ECMA-262, section 22.2; JSON Schema Core 2020-12, section 6.4.
struct SchemaPattern: Sendable {
  /// The pattern as written.
  private(set) var text: String
  /// The syntax tree, without look-ahead at the start.
  ///
  /// `nil` for a pattern that cannot be used.
  let node: RegexNode?
  private let expression: RegularExpression?
  /// The reason why the pattern cannot be used.
  ///
  /// `nil` if it can.
  let problem: String?
  /// The patterns of the look-ahead at the start, and whether a text matches them.
  private var conditions: [(pattern: SchemaPattern, isMatched: Bool)] = []

  /// Returns whether a text is a pattern, even one that has no search in linear time, or that exceeds a
  /// limit.
  static func isValid(_ text: String) -> Bool {
    do throws(RegexError) {
      _ = try RegexParser.parse(try ECMAScriptTranslator.translate(text))
      return true
    } catch {
      return ["not supported", "limited", "longer than", "nested more"].contains {
        error.reason.contains($0)
      }
    }
  }

  init(_ text: String) {
    guard let (looks, rest) = Self.looksAhead(in: text) else {
      self.init(whole: text)
      return
    }
    let main = SchemaPattern(whole: rest)
    let conditions = looks.map { (pattern: SchemaPattern(whole: $0.text), isMatched: $0.isMatched) }
    // The first one with a problem stands for the whole pattern.
    self = ([main] + conditions.map(\.pattern)).first { $0.problem != nil } ?? main
    if problem == nil { self.conditions = conditions }
    self.text = text
  }

  private init(whole text: String) {
    self.text = text
    do throws(RegexError) {
      let translated = try ECMAScriptTranslator.translate(text)
      node = try RegexParser.parse(translated)
      let expression = RegularExpression(translated)
      problem = expression.validationError
      self.expression = problem == nil ? expression : nil
    } catch {
      (expression, node) = (nil, nil)
      problem = error.description
    }
  }

  /// Returns whether a text contains a match.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - work: The number of instructions visited. This method adds its own.
  ///   - limit: The number of instructions, beyond which the search ends.
  /// - Returns: Whether there is a match. `true` for a pattern that cannot be used, and `false` for a
  ///   search that has ended at the limit.
  func isFound(in text: String, counting work: inout Int, limit: Int) -> Bool {
    let isFound = expression?.isFound(in: text, counting: &work, limit: limit) ?? true
    return isFound
      && conditions.allSatisfy {
        $0.pattern.isFound(in: text, counting: &work, limit: limit) == $0.isMatched
      }
  }

  /// Returns the look-ahead at the start of a pattern that begins with `^`, each as a pattern, and the
  /// pattern without it.
  ///
  /// - Returns: `nil` if there is none, or if an alternative is without it.
  private static func looksAhead(
    in text: String
  ) -> (looks: [(text: String, isMatched: Bool)], rest: String)? {
    let scalars = Array(text.unicodeScalars)
    func part(_ range: Range<Int>) -> String {
      String(String.UnicodeScalarView(scalars[range]))
    }
    var looks: [(text: String, isMatched: Bool)] = []
    var (start, index, depth, isInClass) = (1, 1, 0, false)
    guard scalars.first == "^" else { return nil }
    while index < scalars.count {
      let scalar = scalars[index]
      let isLook =
        depth == 0 && index == start && index + 2 < scalars.count && scalars[index + 1] == "?"
        && "=!".unicodeScalars.contains(scalars[index + 2])
      switch scalar {
      case "\\": index += 1
      case _ where isInClass: isInClass = scalar != "]"
      case "[": isInClass = true
      case "(" where isLook:
        looks.append(("", scalars[index + 2] == "="))
        depth = 1
      case "(": depth += 1
      case ")":
        depth -= 1
        guard depth == 0, looks.last?.text == "" else { break }
        // A quantifier after look-ahead is rare, and has no effect that is worth a search.
        if index + 1 < scalars.count, "*+?{".unicodeScalars.contains(scalars[index + 1]) {
          return nil
        }
        looks[looks.count - 1].text = "^(?:" + part((start + 3)..<index) + ")"
        start = index + 1
      case "|" where depth == 0: return nil
      default: break
      }
      index += 1
    }
    return looks.isEmpty || depth != 0 ? nil : (looks, "^" + part(start..<scalars.count))
  }
}

/// A translator from regular expressions of ECMAScript to the syntax of ``RegularExpression``.
private struct ECMAScriptTranslator {
  private static let digits = "0-9"
  private static let notDigits = #"\u{0}-\u{2F}\u{3A}-\u{10FFFF}"#
  private static let words = "A-Za-z0-9_"
  private static let notWords = #"\u{0}-\u{2F}\u{3A}-\u{40}\u{5B}-\u{5E}\u{60}\u{7B}-\u{10FFFF}"#
  private static let spaces =
    #"\u{9}-\u{D}\u{20}\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}"#
  private static let notSpaces =
    #"\u{0}-\u{8}\u{E}-\u{1F}\u{21}-\u{9F}\u{A1}-\u{167F}\u{1681}-\u{1FFF}\u{200B}-\u{2027}"#
    + #"\u{202A}-\u{202E}\u{2030}-\u{205E}\u{2060}-\u{2FFF}\u{3001}-\u{FEFE}\u{FF00}-\u{10FFFF}"#
  /// The long names of the general categories that patterns use.
  private static let categories = [
    "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Mark": "M", "Number": "N",
    "Decimal_Number": "Nd", "digit": "Nd", "Punctuation": "P", "punct": "P", "Symbol": "S",
    "Separator": "Z", "Space_Separator": "Zs", "Other": "C", "Control": "Cc",
  ]

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var result = ""
  private var isInClass = false

  static func translate(_ text: String) throws(RegexError) -> String {
    // The translation of a long pattern would be many times as long.
    var translator = ECMAScriptTranslator(scalars: try RegexParser.scalars(of: text))
    return try translator.run()
  }

  private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

  private var next: Unicode.Scalar? {
    position < scalars.count ? scalars[position] : nil
  }

  private mutating func run() throws(RegexError) -> String {
    while let scalar = next {
      position += 1
      switch scalar {
      case "\\": try escape()
      case "]" where isInClass:
        isInClass = false
        result += "]"
      case "[" where isInClass: result += #"\["#
      case "&" where isInClass: result += #"\&"#
      case "~" where isInClass: result += #"\~"#
      case "-" where isInClass && (next == "-" || isSetNext): result += #"\-"#
      case "[": startClass()
      case "." where !isInClass: result += #"[^\n\r\u{2028}\u{2029}]"#
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private mutating func startClass() {
    let isNegated = next == "^"
    let first = isNegated ? position + 1 : position
    guard first < scalars.count, scalars[first] == "]" else {
      isInClass = true
      result += isNegated ? "[^" : "["
      position = first
      return
    }
    // `[]` matches nothing, and `[^]` anything.
    position = first + 1
    result += isNegated ? #"[\u{0}-\u{10FFFF}]"# : #"[^\u{0}-\u{10FFFF}]"#
  }

  private mutating func escape() throws(RegexError) {
    let start = position - 1
    guard let scalar = next else { throw RegexError(reason: "a \\ at the end", position: start) }
    position += 1
    switch scalar {
    case "d": append(Self.digits)
    case "D": append(Self.notDigits)
    case "w": append(Self.words)
    case "W": append(Self.notWords)
    case "s": append(Self.spaces)
    case "S": append(Self.notSpaces)
    case "b" where isInClass: result += #"\x08"#
    case "v": result += #"\x0B"#
    case "f": result += #"\x0C"#
    case "0": result += #"\x00"#
    case "c":
      guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else {
        throw RegexError(reason: "expected a letter after \\c", position: start)
      }
      position += 1
      append(code: letter.value & 31)
    case "p", "P": try property(scalar, start)
    case "u": try unicode(start)
    case "A", "z", "Z", "G", "a", "e", "h", "Q", "E":
      throw RegexError(reason: "\\\(scalar) is not an escape of ECMAScript", position: start)
    default:
      result += "\\"
      result.unicodeScalars.append(scalar)
    }
  }

  /// Whether an escape of several characters follows, such as `\d`.
  private var isSetNext: Bool {
    guard next == "\\", position + 1 < scalars.count else { return false }
    return "dDwWsSpP".unicodeScalars.contains(scalars[position + 1])
  }

  private mutating func append(_ set: String) {
    result += isInClass ? set : "[\(set)]"
    escapeHyphen()
  }

  /// Escapes a hyphen after several characters in a class, which begins no range.
  ///
  /// Source: ECMA-262, section B.1.2.
  private mutating func escapeHyphen() {
    guard isInClass, next == "-" else { return }
    position += 1
    result += #"\-"#
  }

  private mutating func append(code: UInt32) { result += "\\u{" + String(code, radix: 16) + "}" }

  private mutating func property(
    _ letter: Unicode.Scalar, _ start: Int
  ) throws(RegexError) {
    guard next == "{", let end = scalars[position...].firstIndex(of: "}") else {
      throw RegexError(reason: "expected a property in braces", position: start)
    }
    var name = ""
    name.unicodeScalars.append(contentsOf: scalars[(position + 1)..<end])
    position = end + 1
    for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) {
      name = String(name.dropFirst(prefix.count))
    }
    result += "\\\(letter){\(Self.categories[name] ?? name)}"
    escapeHyphen()
  }

  private mutating func unicode(_ start: Int) throws(RegexError) {
    if next == "{" {
      result += #"\u"#
      return
    }
    guard let high = hexadecimal() else {
      throw RegexError(reason: "expected four hexadecimal digits", position: start)
    }
    guard (0xD800..<0xDC00).contains(high), position + 1 < scalars.count, next == "\\",
      scalars[position + 1] == "u"
    else { return append(code: high) }
    position += 2
    guard let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else {
      throw RegexError(reason: "a surrogate without its pair", position: start)
    }
    append(code: 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func hexadecimal() -> UInt32? {
    guard position + 4 <= scalars.count else { return nil }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[position..<(position + 4)])
    position += 4
    return UInt32(text, radix: 16)
  }
}
