import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct RegularExpressionTests {
  private static func isFound(_ expression: String, in text: String) throws -> Bool {
    let expression = RegularExpression(expression)
    try #require(expression.validationError == nil)
    return expression.isFound(in: text)
  }

  // MARK: Syntax

  private static let matches: [(expression: String, texts: [String])] = [
    ("", ["", "a"]), ("b", ["abc"]), ("^$", [""]), ("^a", ["ab"]), ("c$", ["abc"]),
    ("a|b", ["xb", "a"]), ("^(ab|c)+$", ["abcab"]), ("^a*b$", ["b", "aab"]), ("a+", ["caa"]),
    ("^a{2,3}$", ["aa", "aaa"]), ("^a{2}$", ["aa"]), ("^a{2,}$", ["aaaa"]),
    ("^a{,2}$", ["", "aa"]),
    ("^a??b+?$", ["b", "abb"]), ("a{x}", ["a{x}"]), ("^.$", ["ü", "😀"]), ("(?s)^.$", ["\n"]),
    ("[^a-c]", ["d"]), ("[]a]", ["]"]), ("[a-]", ["-"]), ("[\\]\\\\]", ["\\"]), ("[a\\-z]", ["-"]),
    ("^\\d{4}-\\d\\d$", ["2026-01"]), ("\\D", ["1a"]), ("^\\w+$", ["aü_1"]), ("\\W", ["a b"]),
    ("\\s", ["a\tb"]), ("\\S", [" a"]), ("\\bfish\\b", ["a fish!", "fish"]), ("\\Bi", ["fish"]),
    ("(?m)^b$", ["a\nb\nc", "a\r\nb"]), ("\\Aa\\z", ["a"]), ("(?i)straße", ["STRAßE"]),
    ("(?i)[a-c]x", ["BX"]), ("(?i)\u{212A}", ["k"]), ("a(?i:b)c", ["aBc"]),
    ("(?i)a(?-i:b)", ["Ab"]),
    ("(?<year>\\d+)", ["1"]), ("(?P<year>\\d+)", ["1"]), ("\\x41\\u00e9\\u{1F600}", ["Aé😀"]),
    ("\\p{Lu}\\P{L}", ["A1"]), ("[[:alpha:]_]", ["é"]), ("^[[:alpha:]]{2}$", ["éa"]),
    ("^[?@]+$", ["?@", "@"]),
    ("^[x[:digit:]-]+$", ["x-1"]), ("[\\d.]+$", ["1.5"]),
    ("\\.json$", ["a.json"]),
    ("\\t\\n\\/", ["\t\n/"]), ("e\u{301}", ["e\u{301}"]),
  ]

  @Test(arguments: matches)
  func anExpressionIsFoundInATextThatHasAMatch(expression: String, texts: [String]) throws {
    for text in texts {
      #expect(try Self.isFound(expression, in: text), "in \(text.debugDescription)")
    }
  }

  @Test func aRepetitionMatchesEachNumberBetweenItsLimits() throws {
    for least in 0...4 {
      for most in least...(least + 5) {
        for count in 0...10 {
          let text = String(repeating: "ab", count: count)
          let isFound = try Self.isFound("^(ab){\(least),\(most)}$", in: text)
          #expect(isFound == (least...most).contains(count), "\(count) in \(least)...\(most)")
        }
      }
    }
  }

  @Test(arguments: [
    ("a", ""), ("^b", "ab"), ("a$", "ab"), ("a$", "a\n"), ("^a{2,3}$", "a"), ("^a{2,3}$", "aaaa"),
    (".", "\n"), ("^.$", "\u{2028}"), ("[^a-c]", "abc"), ("\\bish", "fish"), ("a(?i:b)c", "AbC"),
    ("(?i)a(?-i:b)", "AB"), ("^b$", "a\nb"), ("^(a|b)$", "ab"), ("\\d", "a"), ("\\p{Lu}", "a"),
    ("(?i)[^a]", "aA"), ("^\\B$", "a"), ("^[[:alpha:]]+$", "a]"), ("^[?@]$", "A"),
  ])
  func anExpressionIsNotFoundInAnotherText(expression: String, text: String) throws {
    #expect(try !Self.isFound(expression, in: text))
  }

  @Test(arguments: [
    ("(", "a ( without a ) at character 1"), ("a)", "a ) without a ( at character 2"),
    ("a[b", "a [ without a ] at character 2"), ("*a", "* has nothing to repeat at character 1"),
    ("a|+", "+ has nothing to repeat at character 3"), ("a**", "a repetition follows a repetition"),
    ("a++", "a possessive repetition is not supported at character 3"),
    ("a{3,2}", "the maximum of the repetition is less than its minimum at character 2"),
    ("a{1001}", "a repetition is limited to 1000 at character 3"),
    ("(?=a)", "look-around is not supported at character 1"),
    ("(?<!a)", "look-around is not supported at character 1"),
    ("(?>a)", "an atomic group is not supported at character 1"),
    ("(a)\\1", "a back-reference is not supported at character 4"),
    ("[b-a]", "the range is malformed at character 2"), ("\\", "a \\ at the end at character 1"),
    ("\\q", "the escape \\q is not supported at character 1"),
    ("\\u{110000}", "expected the hexadecimal digits of a Unicode scalar at character 1"),
    ("\\p{Xx}", "expected a general category"), ("[[:nope:]]", "the POSIX class is unknown"),
    ("[a&&b]", "set operations are not supported"), ("(?ix)a", "the flag x is not supported"),
  ])
  func anErrorNamesItsReasonAndPosition(expression: String, error: String) throws {
    let malformed = RegularExpression(expression)
    #expect(try #require(malformed.validationError).hasPrefix(error))
    #expect(!malformed.isFound(in: expression))
  }

  // MARK: Bounds

  /// Expressions and texts for which an engine that backtracks needs exponential or quadratic time.
  private static let hostile: [(expression: String, unit: String, end: String)] = [
    ("(a+)+$", "a", "!"), ("(a|aa)+$", "a", "b"), ("(a|a)*c", "a", ""), ("(.*)*x", "a", ""),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""), ("x*x*x*y", "x", ""), ("(a?){50}a{50}!", "a", ""),
    ("(?i)(\\p{L}+\\s?)*!", "é", ""), ("(([^a]|a)*)*\\d", "ab", ""), ("^(a|b|ab)*c$", "ab", ""),
  ]

  @Test(arguments: hostile)
  func theWorkOfASearchIsProportionalToTheText(
    expression: String, unit: String, end: String
  ) throws {
    let expression = RegularExpression(expression)
    try #require(expression.validationError == nil)
    let works = [5_000, 20_000].map { count in
      var work = 0
      let text = String(repeating: unit, count: count / unit.count) + end
      #expect(!expression.isFound(in: text, counting: &work))
      return work
    }
    #expect(works[1] <= works[0] * 4 + works[0] / 100)
    // At most one visit of each instruction for each scalar, of which these expressions have few.
    #expect(works[1] <= 20_010 * 260)
  }

  @Test func aSearchEndsAtItsLimit() {
    let expression = RegularExpression("([ab]?){900}b$")
    let text = String(repeating: "ab", count: 200)
    for limit in [0, 1_000, 100_000] {
      var work = 0
      #expect(!expression.isFound(in: text, counting: &work, limit: limit))
      // The last scalar visits each instruction at most once, and an expression has at most 5,000.
      #expect(work > limit && work <= limit + 5_000)
    }
    var work = 0
    #expect(expression.isFound(in: text, counting: &work, limit: 1_000_000))
  }

  @Test func aTextThatCannotBeginAMatchCostsOneStepForEachScalar() {
    var work = 0
    let text = String(repeating: "b", count: 1_000)
    #expect(!RegularExpression("a[0-9]+").isFound(in: text, counting: &work))
    #expect(work == 1_001)
    work = 0
    #expect(!RegularExpression("^a").isFound(in: text, counting: &work))
    #expect(work == 1)
  }

  @Test func aLargeOrDeepExpressionIsAnError() {
    let deep = String(repeating: "(", count: 5_000) + String(repeating: ")", count: 5_000)
    let errors = [
      deep, String(repeating: "a", count: 10_001), "(((a{1000}){1000}){1000})", "((){1000}){1000}",
    ].map { RegularExpression($0).validationError }
    #expect(
      errors == [
        "groups are nested more than 40 levels deep at character 41",
        "the expression is longer than 10000 characters",
        "the expression is too large: more than 5000 instructions after its repetitions are expanded",
        "the expression is too large: more than 5000 instructions after its repetitions are expanded",
      ])
  }

  // MARK: Comparison with the definition

  /// The search finds a match exactly if one exists by the definition of expressions.
  @Test(arguments: 0..<8)
  func theSearchFollowsTheDefinition(seed: UInt64) throws {
    var generator = ExpressionGenerator(seed: seed)
    for _ in 0..<TestSize.of(120, full: 300) {
      let text = generator.expression(depth: 3)
      let expression = RegularExpression(text)
      try #require(expression.validationError == nil, "\(text)")
      let definition = RegexDefinition(try RegexParser.parse(text))
      for _ in 0..<4 {
        let input = generator.text()
        #expect(
          expression.isFound(in: input) == definition.isFound(in: input),
          "\(text) in \(input.debugDescription)")
      }
    }
  }
}

/// The sets of ends of all matches, computed directly from the syntax tree.
private struct RegexDefinition {
  private let node: RegexNode

  init(_ node: RegexNode) {
    self.node = node
  }

  func isFound(in text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    return !ends(node, Set(0...scalars.count), scalars).isEmpty
  }

  private func ends(_ node: RegexNode, _ starts: Set<Int>, _ text: [Unicode.Scalar]) -> Set<Int> {
    func advance(_ isMatch: (Unicode.Scalar) -> Bool) -> Set<Int> {
      Set(starts.filter { $0 < text.count && isMatch(text[$0]) }.map { $0 + 1 })
    }
    switch node {
    case .empty: return starts
    case .scalar(let scalar): return advance { $0 == scalar }
    case .set(let set): return advance { set.contains($0) }
    case .anchor(let anchor):
      return starts.filter { start in
        RegexPlace(
          before: start > 0 ? text[start - 1] : nil, start < text.count ? text[start] : nil
        ).satisfies(anchor)
      }
    case .sequence(let nodes): return nodes.reduce(starts) { ends($1, $0, text) }
    case .alternatives(let nodes):
      return nodes.reduce(into: []) { $0.formUnion(ends($1, starts, text)) }
    case .repetition(let node, let least, let most):
      var current = starts
      for _ in 0..<least { current = ends(node, current, text) }
      var reached = current
      var count = least
      while !current.isEmpty, most.map({ count < $0 }) ?? true {
        current = ends(node, current, text).subtracting(reached)
        reached.formUnion(current)
        count += 1
      }
      return reached
    }
  }
}

/// A generator of random expressions and texts over a few characters.
private struct ExpressionGenerator {
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  mutating func expression(depth: Int) -> String {
    let terms = (0...pick([0, 1, 2])).map { _ in term(depth: depth) }.joined()
    return depth > 0 && pick([0, 1, 2]) == 0 ? terms + "|" + expression(depth: depth - 1) : terms
  }

  private mutating func term(depth: Int) -> String {
    if pick([0, 1, 2, 3, 4, 5]) == 0 { return pick(["^", "$", "\\b", "\\B"]) }
    let atom =
      depth > 0 && pick([0, 1, 2]) == 0
      ? pick(["(", "(?:", "(?i:"]) + expression(depth: depth - 1) + ")"
      : pick(["a", "a", "b", "c", ".", "[ab]", "[^a]", "\\d", "\\w", "é", "\\W"])
    return atom + pick(["", "", "", "*", "+", "?", "{1,2}", "{2}", "{2,}", "*?", "{0}"])
  }

  mutating func text() -> String {
    (0..<pick([0, 1, 2, 3, 5, 8])).map { _ in pick(["a", "b", "A", "c", " ", "1", "é", "É"]) }
      .joined()
  }
}
