import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

@Suite(.gated)
struct YAMLReaderTests {
  private static func read(_ text: String) throws -> JSON {
    try YAMLReader.read(Data(text.utf8)).json
  }

  private static func error(_ text: String) -> DocumentSyntaxError? {
    do throws(DocumentSyntaxError) {
      _ = try YAMLReader.read(Data(text.utf8))
      return nil
    } catch { return error }
  }

  // MARK: Values

  private static let documents: [(text: String, value: JSON)] = [
    ("", nil), ("# only a comment\n", nil), ("---\n...\n", nil),
    ("a: 1\nb: two\n", ["a": 1, "b": "two"]),
    ("- 1\n-\n- - x\n  - y\n", [1, nil, ["x", "y"]]),
    ("a:\n- 1\n- 2\nb: 3", ["a": [1, 2], "b": 3]),
    ("a:\n  b:\n    c: d\n  e: f\n", ["a": ["b": ["c": "d"], "e": "f"]]),
    ("- a: 1\n  b: 2\n- c: 3\n", [["a": 1, "b": 2], ["c": 3]]),
    ("? a\n: b\n? c\n", ["a": "b", "c": nil]),
    ("200: ok\ntrue: yes\n~: x", ["200": "ok", "true": "yes", "~": "x"]),
    ("[a, 'b', \"c\", [1], {d: e}, f: g,]", ["a", "b", "c", [1], ["d": "e"], ["f": "g"]]),
    ("{a: 1, \"b\":2, c, d: , ? e : f}", ["a": 1, "b": 2, "c": nil, "d": nil, "e": "f"]),
    ("a: one\n  two\n\n  three\n", ["a": "one two\nthree"]),
    ("a: 'it''s\n  two'", ["a": "it's two"]),
    ("a:\n  b: \"x\ny\nz\"\nc: 1", ["a": ["b": "x y z"], "c": 1]), ("a: 'b\nc'", ["a": "b c"]),
    ("\"a\\n\\x41\\u00e9\\U0001F600 \\\n  b\"", "a\nAé😀 b"), ("\"\\ud83d\\ude00\"", "😀"),
    ("|\n a\n  b\n\n c\n", "a\n b\n\nc\n"), (">\n a\n b\n\n c\n  d\n e\n", "a b\nc\n d\ne\n"),
    ("a: |-\n  x\nb: |+\n  y\n\nc: >2-\n    z\n", ["a": "x", "b": "y\n\n", "c": "  z"]),
    ("a: &x {b: 1}\nc: *x\n", ["a": ["b": 1], "c": ["b": 1]]), ("&a a: *a", ["a": "a"]),
    ("!!str 12", "12"), ("a: !!int \"3\"", ["a": 3]), ("! 1.0", "1.0"),
    ("%YAML 1.2\n--- a # b\n", "a"), ("\u{FEFF}a: 1", ["a": 1]),
    ("\u{FEFF}\u{FEFF}{\"a\": 1}", ["a": 1]),
    ("a: b#c\r\nd: e #f\r\n", ["a": "b#c", "d": "e"]),
    ("a: http://x.y/z?q=1&r=[2]\n", ["a": "http://x.y/z?q=1&r=[2]"]),
    ("a: [\n  1\n]\n", ["a": [1]]), ("\"\n  b\"", " b"), ("'\n\n  b'", "\nb"),
    ("\"a  \n  b\"", "a b"),
  ]

  @Test(arguments: documents)
  func aDocumentHasItsValue(text: String, value: JSON) throws {
    #expect(try Self.read(text) == value)
  }

  @Test(
    arguments: [
      ("12", 12), ("-3", -3), ("+4", 4), ("0x1F", 31), ("0o17", 15), ("017", 17), ("1.5", 1.5),
      (".5", 0.5),
      ("1e2", 100), ("1e+2", 100), ("25E-1", 2.5), ("-1.", -1), ("null", nil), ("~", nil),
      ("TRUE", true), ("False", false),
      ("yes", "yes"),
      ("1_000", "1_000"), ("0b1", "0b1"), ("12:30", "12:30"), ("2026-01-31", "2026-01-31"),
      ("1e", "1e"),
      ("0x", "0x"), ("-", "-x"), ("tRUE", "tRUE"),
    ] as [(String, JSON)])
  func aPlainScalarHasTheTypeOfTheCoreSchema(text: String, value: JSON) throws {
    #expect(try Self.read("a: " + (text == "-" ? "-x" : text)) == ["a": value])
  }

  @Test func aLongIntegerIsExact() throws {
    let value = try #require(Decimal(string: "12345678901234567890"))
    #expect(try Self.read("12345678901234567890") == .decimal(value))
  }

  @Test func membersKeepTheirOrderAndTheirPositions() throws {
    let root = try YAMLReader.read(Data("z: 1\na:\n  - x: 2\n".utf8))
    #expect(root.members.map(\.name) == ["z", "a"])
    #expect(root.offset(at: ["a", "0", "x"]) == 15)
    #expect(root.offset(at: ["a", "0", "missing"]) == 12)
    #expect(root.members[1].offset == 5)
  }

  // MARK: Errors

  private static let errors: [(text: String, offset: Int, reason: String)] = [
    ("%YAML 1.2", 9, "expected --- after the directives"),
    ("a: 1\na: 2", 5, "occurs twice"), ("a: b: c", 3, "not allowed here"), ("a:\n\t- b", 4, "tab"),
    ("a: [1, 2", 3, "not closed"), ("a: \"x", 3, "not closed"), ("a: *b", 3, "no anchor"),
    ("a: &b [*b]", 7, "its own value"), ("<<: {a: 1}", 0, "merge keys"),
    ("[a]: b", 0, "no name in JSON"),
    ("a: .inf", 3, "infinite"), ("a: .nan", 3, "no value in JSON"), ("a: !foo b", 8, "core schema"),
    ("a: 1\n  b: 2", 8, "only one key"), ("a:\n  - b\n - c", 10, "expected the end"),
    ("--- a\n--- b", 6, "second document"), ("a: [b,\nc]", 7, "indented"),
    ("a: @b", 3, "quotation marks"),
    ("a: \"\\q\"", 4, "escape"), ("a: |x\n  b", 4, "expected +"),
    ("- a\nb: c", 4, "expected the end"),
    ("a: - b", 3, "line of its own"), ("a\u{0}b", 1, "control character"),
    ("a: [1]#x", 6, "before a comment"),
    ("a: 1e999", 3, "out of range"), ("a: !!int x", 9, "not one of the tag"),
    ("%YAML 2.0\n--- a", 0, "%YAML 1.2"),
    ("\"a\nb\": c", 5, "one line"),
  ]

  @Test(arguments: errors)
  func anErrorHasItsPosition(text: String, offset: Int, reason: String) throws {
    let error = try #require(Self.error(text))
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.offset == offset, "\(error)")
  }

  @Test func invalidUTF8IsAnError() {
    #expect(throws: DocumentSyntaxError.self) { try YAMLReader.read(Data([0x61, 0xFF])) }
  }

  // MARK: Bounds

  @Test func theExpansionOfAliasesIsBounded() throws {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(try #require(Self.error(text)).reason.contains("too large"))
  }

  /// The texts of aliases have few nodes, but are long.
  @Test(arguments: [
    ("a: &a %", "*a"), ("a: &a {%: 1}", "*a"), ("a: &a [%]", "[*a]"), ("? &a %\n: 1", "{*a : 1}"),
  ])
  func theExpansionOfLongTextsIsBounded(anchor: String, alias: String) throws {
    let long = String(repeating: "x", count: 1_000)
    func document(_ count: Int) -> String {
      let aliases = Array(repeating: alias, count: count).joined(separator: ",")
      return anchor.replacing("%", with: long) + "\nb: [\(aliases)]\n"
    }
    let count = YAMLReader.maximumAliasSize / (long.utf8.count + 16)
    #expect(try Self.read(document(count))["b"].array?.count == count)
    #expect(try #require(Self.error(document(count + count / 10))).reason.contains("too large"))
  }

  /// The text ends without a line break, which the reader adds.
  @Test(arguments: ["? a", "? |\n b", "? a\n:", "a:", "-"])
  func aMissingValueAtTheEndIsWithinTheText(text: String) throws {
    let root = try YAMLReader.read(Data(text.utf8))
    let values = root.elements + root.members.map(\.value)
    #expect(values.map(\.offset).allSatisfy { $0 <= text.utf8.count })
    #expect(values.count == 1)
  }

  @Test(arguments: ["[", "{a: ", "- ", "? "])
  func nestingIsBounded(opening: String) throws {
    let text = String(repeating: opening, count: 10_000)
    #expect(try #require(Self.error(text)).reason.contains("levels deep"))
  }

  @Test(arguments: ["[*a%, 1]", "{b: *a%}"])
  func nestingByAliasesIsBounded(value: String) throws {
    var text = "- &a0 [1]\n"
    for level in 1...200 {
      text += "- &a\(level) " + value.replacing("%", with: "\(level - 1)") + "\n"
    }
    #expect(try #require(Self.error(text)).reason.contains("too large"))
  }

  @Test func nestingWithinTheBoundIsRead() throws {
    let text = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    #expect(try Self.read(text).array?.count == 1)
  }
}
