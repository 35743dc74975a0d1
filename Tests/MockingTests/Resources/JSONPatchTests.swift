import Foundation
import TestGate
import Testing

@testable import Mocking
@testable import MockingDocuments
@testable import MockingResources

/// The examples of RFC 6901, RFC 6902 and RFC 7396, and the bounds of a patch.
@Suite(.gated)
struct JSONPatchTests {
  private static func json(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

  private func patched(_ document: String, _ patch: String) throws -> JSON {
    try JSONPatch(try Self.json(patch)).applied(to: try Self.json(document))
  }

  // MARK: RFC 6901

  private static let document = """
    {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\\\j": 5,
     "k\\"l": 6, " ": 7, "m~n": 8}
    """

  @Test(arguments: [
    ("/foo/0", #""bar""#), ("/foo", #"["bar","baz"]"#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func aPointerLeadsToTheValue(pointer: String, value: String) throws {
    let pointer = try #require(JSONValuePath(pointer: pointer))
    #expect(try pointer.value(in: Self.json(Self.document)).description == value)
  }

  @Test func theEmptyPointerLeadsToTheRoot() throws {
    let pointer = try #require(JSONValuePath(pointer: ""))
    #expect(try pointer.value(in: [1]) == [1])
  }

  @Test(arguments: ["a", "a/b", "/~", "/~2", "/a~", "#/a"])
  func aMalformedPointerIsRefused(text: String) {
    #expect(JSONValuePath(pointer: text) == nil)
  }

  @Test(arguments: [
    "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/a", "/foo/0/x", "/x",
  ])
  func aPointerToAMissingValueFails(text: String) throws {
    let pointer = try #require(JSONValuePath(pointer: text))
    #expect(throws: JSONPatch.Failure.self) { try pointer.value(in: Self.json(Self.document)) }
  }

  @Test func aPointerIsWrittenAsItWasRead() {
    for text in ["", "/", "/a~1b/~0/0", "/foo//bar"] {
      #expect(JSONValuePath(pointer: text)?.pointer == text)
    }
  }

  // MARK: RFC 6902 appendix A

  @Test(arguments: [
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
      #"{"baz":"qux","foo":"bar"}"#
    ),
    (
      #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
      #"{"foo":["bar","qux","baz"]}"#
    ),
    (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    (
      #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
      #"{"foo":["bar","baz"]}"#
    ),
    (
      #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
      #"{"baz":"boo","foo":"bar"}"#
    ),
    (
      #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
    ),
    (
      #"{"foo":["all","grass","cows","eat"]}"#,
      #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
      #"{"foo":["all","cows","eat","grass"]}"#
    ),
    (
      #"{"baz":"qux","foo":["a",2,"c"]}"#,
      #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
      #"{"baz":"qux","foo":["a",2,"c"]}"#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
      #"{"child":{"grandchild":{}},"foo":"bar"}"#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
      #"{"baz":"qux","foo":"bar"}"#
    ),
    (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
    (
      #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
      #"{"foo":["bar",["abc","def"]]}"#
    ),
    (
      #"{"foo":{"a":1}}"#,
      #"[{"op":"copy","from":"/foo","path":"/bar"},{"op":"remove","path":"/foo/a"}]"#,
      #"{"bar":{"a":1},"foo":{}}"#
    ),
    (#"{"a":1}"#, #"[{"op":"replace","path":"","value":[1]}]"#, "[1]"),
    (#"{"a":1}"#, #"[{"op":"add","path":"/a","value":null}]"#, #"{"a":null}"#),
    (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1}"#),
    (#"{"a":1.0}"#, #"[{"op":"test","path":"/a","value":1}]"#, #"{"a":1.0}"#),
  ])
  func aPatchChangesADocument(document: String, patch: String, result: String) throws {
    #expect(try patched(document, patch).description == result)
  }

  @Test(arguments: [
    (#"[{"op":"test","path":"/baz","value":"bar"}]"#, true),
    (#"[{"op":"test","path":"/n","value":"10"}]"#, true),
    (#"[{"op":"add","path":"/bat/x","value":"qux"}]"#, false),
    (#"[{"op":"add","path":"/list/3","value":1}]"#, false),
    (#"[{"op":"remove","path":"/list/2"}]"#, false),
    (#"[{"op":"remove","path":"/x"}]"#, false),
    (#"[{"op":"replace","path":"/x","value":1}]"#, false),
    (#"[{"op":"replace","path":"/list/-","value":1}]"#, false),
    (#"[{"op":"move","from":"/x","path":"/y"}]"#, false),
    (#"[{"op":"move","from":"/object","path":"/object/a"}]"#, false),
    (#"[{"op":"copy","from":"/x","path":"/y"}]"#, false),
  ])
  func anOperationThatCannotBeAppliedFails(patch: String, isTest: Bool) throws {
    let document = #"{"baz":"qux","n":10,"list":[1,2],"object":{"a":1}}"#
    let failure = #expect(throws: JSONPatch.Failure.self) { try patched(document, patch) }
    #expect(failure?.kind == (isTest ? .test : .invalid))
    #expect(failure?.index == 0)
  }

  @Test func aPatchIsAppliedWhollyOrNotAtAll() throws {
    let document: JSON = ["a": 1]
    let patch = try JSONPatch([
      ["op": "add", "path": "/b", "value": 2], ["op": "remove", "path": "/missing"],
    ])
    let failure = #expect(throws: JSONPatch.Failure.self) { try patch.applied(to: document) }
    #expect(failure?.index == 1)
    #expect(document == ["a": 1])
  }

  @Test(arguments: [
    "{}", "1", "[1]", "[{}]", #"[{"op":"spam","path":"/a"}]"#, #"[{"op":"add","value":1}]"#,
    #"[{"op":"add","path":"/a"}]"#, #"[{"op":"add","path":"a","value":1}]"#,
    #"[{"op":"move","path":"/a"}]"#, #"[{"op":"copy","path":"/a","from":1}]"#,
    #"[{"op":"test","path":"/a"}]"#,
  ])
  func aMalformedPatchIsRefused(text: String) throws {
    let document = try Self.json(text)
    #expect(throws: JSONPatch.Failure.self) { try JSONPatch(document) }
  }

  @Test func copiesThatDoubleAValueAreBounded() throws {
    let copies = (0..<60).map { JSON.dictionary(["op": "copy", "from": "/a", "path": "/a/\($0)"]) }
    let patch = try JSONPatch(.array(copies))
    #expect(throws: JSONPatch.Failure.self) { try patch.applied(to: ["a": [:]]) }
  }

  /// Few values may be many bytes.
  @Test func copiesAreBoundedByTheirBytes() throws {
    let copies = (0..<999).map {
      JSON.dictionary(["op": "copy", "from": "/big", "path": "/c\($0)"])
    }
    let document: JSON = ["big": .string(String(repeating: "x", count: 300_000))]
    let failure = #expect(throws: JSONPatch.Failure.self) {
      try JSONPatch(.array(copies)).applied(to: document, atMost: 1_000_000)
    }
    #expect(failure?.kind == .tooLarge)
    #expect(failure?.index == 3)
    let three = try JSONPatch(.array(Array(copies.prefix(3))))
    #expect(try three.applied(to: document, atMost: 1_000_000)["c2"] == document["big"])
  }

  private static let many = JSON.array(Array(repeating: 0, count: 100_000))

  /// A patch with operations that move elements or visit values, and those that it repeats.
  @Test(arguments: [
    [#"{"op":"remove","path":"/list/0"}"#], [#"{"op":"add","path":"/list/0","value":1}"#],
    [#"{"op":"move","from":"/list/1","path":"/list/0"}"#],
    [#"{"op":"move","from":"/list","path":"/a"}"#, #"{"op":"move","from":"/a","path":"/list"}"#],
    [#"{"op":"copy","from":"/nested/0","path":"/nested/0"}"#],
  ])
  func theStepsOfAPatchAreBounded(operations: [String]) throws {
    let text = (0..<1_000).map { operations[$0 % operations.count] }.joined(separator: ",")
    let patch = try JSONPatch(try Self.json("[\(text)]"))
    let nested = JSON.array(Array(repeating: [1], count: 100_000))
    let failure = #expect(throws: JSONPatch.Failure.self) {
      try patch.applied(to: ["list": Self.many, "nested": nested])
    }
    #expect(failure?.reason == "the operations of the patch take too many steps")
    // Each operation takes one to three steps for each of the 100,000 elements.
    let index = failure?.index ?? 0
    #expect((50...JSONPatch.maximumSteps / 100_000).contains(index))
  }

  @Test func manyChangesOfAUsualListAreAllowed() throws {
    let list = JSON.array((0..<10_000).map { .int($0) })
    let removals = Array(repeating: JSON.dictionary(["op": "remove", "path": "/0"]), count: 1_000)
    #expect(try JSONPatch(.array(removals)).applied(to: list)[0] == 1_000)
  }

  @Test func theDepthOfAResultIsBounded() throws {
    let deep = (0..<400).reduce(JSON.null) { json, _ in ["a": json] }
    let path = String(repeating: "/a", count: 200)
    let patch = try JSONPatch([["op": "add", "path": .string(path), "value": deep]])
    let failure = #expect(throws: JSONPatch.Failure.self) { try patch.applied(to: deep) }
    #expect(failure?.reason.contains("levels deep") == true)
  }

  // MARK: RFC 7396 appendix A

  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func aMergePatchChangesADocument(document: String, patch: String, result: String) throws {
    #expect(try Self.json(document).merging(try Self.json(patch)).description == result)
  }
}
