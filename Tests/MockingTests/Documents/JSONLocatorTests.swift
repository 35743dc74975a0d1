import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import MockingDocuments

@Suite(.gated)
struct JSONLocatorTests {
  private static let text = #"""
    { "a" : [1, {"b\"" : "x]}"}, [], true],
      "c\u0064": {"e": null} , "f":-1.5e3 }
    """#

  private func found(_ steps: JSONValuePath.Step..., isName: Bool = false) -> String {
    let data = Data(Self.text.utf8)
    let offset = JSONLocator.offset(of: JSONValuePath(steps: steps), isName: isName, in: data)
    return String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
  }

  @Test func aValueIsLocatedByItsPath() {
    #expect(found() == #"{ "a"#)
    #expect(found(.member("a")) == "[1, ")
    #expect(found(.member("a"), .element(0)) == "1, {")
    #expect(found(.member("a"), .element(1), .member("b\"")) == #""x]}"#)
    #expect(found(.member("a"), .element(2)) == "[], ")
    #expect(found(.member("a"), .element(3)) == "true")
    #expect(found(.member("cd"), .member("e")) == "null")
    #expect(found(.member("f")) == "-1.5")
    #expect(found(.member("cd"), isName: true) == #""c\u"#)
  }

  @Test(arguments: ["/a/1/b\"", "/cd/e", "/a/3", ""])
  func aPointerLocatesTheSameValueAsItsSteps(_ pointer: String) throws {
    let data = Data(Self.text.utf8)
    let path = try #require(JSONValuePath(pointer: pointer))
    let steps = path.steps.map { step in step.index.map { JSONValuePath.Step.element($0) } ?? step }
    #expect(
      JSONLocator.offset(of: path, in: data)
        == JSONLocator.offset(of: JSONValuePath(steps: steps), in: data))
    #expect(JSONValuePath(steps: steps).pointer == pointer)
  }

  @Test func aMissingPathLocatesTheEnclosingValue() {
    #expect(found(.member("a"), .element(9)) == "[1, ")
    #expect(found(.member("f"), .member("x")) == "-1.5")
  }

  @Test func theElementsOfAnArrayAreLocatedInOnePass() {
    let text = Data("{\"é\": 0, \"a\": [\"é\", {\"b\": [1]},\n  [2], 3]}".utf8)
    let offsets = JSONLocator.elementOffsets(of: ["a"], in: text)
    #expect(offsets == (0..<4).map { JSONLocator.offset(of: ["a", .element($0)], in: text) })
    #expect(
      TextPosition.positions(of: offsets, in: text) == offsets.map { TextPosition($0, in: text) })
    #expect(TextPosition.positions(of: offsets, in: text).map(\.column) == [16, 21, 3, 8])
    #expect(JSONLocator.elementOffsets(of: ["b"], in: text) == [])
    #expect(JSONLocator.elementOffsets(of: [], in: text) == [])
  }

  /// Foundation's parser skips one byte order mark, which the offsets must not miss.
  @Test(arguments: 0...3) func offsetsAreRightInATextAfterByteOrderMarks(_ count: Int) throws {
    let marks = String(repeating: "\u{FEFF}", count: count)
    let text = JSONDocumentError.text(of: Data("\(marks){\"a\": [1]}".utf8))
    #expect(try JSONDocumentError.json(in: text) == ["a": [1]])
    #expect(JSONLocator.offset(of: [], in: text) == 0)
    #expect(JSONLocator.offset(of: ["a", .element(0)], in: text) == 7)
    let error = JSONDocumentError.syntax(
      of: JSONDocumentError.text(of: Data("\(marks)[1,,2]".utf8)))
    #expect(error.offset == 3)
  }

  @Test(arguments: [
    (#"[1,,2]"#, 3, "expected JSON: invalid value"),
    (#"[1"#, 2, "expected JSON: the file ends before the JSON is complete"),
    ("[\"\0\"]", 2, "expected JSON: a NUL byte"),
    // Foundation's parser does not tell the position.
    (#" ["\u12"]"#, 0, "expected JSON: the text is not JSON"),
  ])
  func aSyntaxErrorIsLocatedOrAtTheStart(_ text: String, _ offset: Int, _ problem: String) {
    #expect(throws: JSONDocumentError(offset: offset, text: problem)) {
      try JSONDocumentError.json(in: Data(text.utf8))
    }
  }

  /// The scanner terminates for any text.
  @Test func malformedTextsTerminate() {
    var lots = SeededGenerator(seed: 5)
    let bytes = Array(Self.text.utf8)
    let path = JSONValuePath(steps: [.member("a"), .element(3), .member("x")])
    for length in 0...bytes.count {
      _ = JSONLocator.offset(of: path, in: Data(bytes.prefix(length)))
      var changed = bytes
      for _ in 0..<3 {
        changed[Int.random(in: changed.indices, using: &lots)] = UInt8.random(
          in: 0...255, using: &lots)
      }
      #expect(JSONLocator.offset(of: path, in: Data(changed)) >= 0)
    }
  }
}
