import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking

@Suite(.gated)
struct JSONPathTests {
  private static let document = #"""
    {"store": {
       "book": [
         {"kind": "reference", "title": "A", "price": 8.95},
         {"kind": "fiction", "title": "B", "price": 12.99},
         {"kind": "fiction", "title": "C", "isbn": "x", "price": 8.99},
         {"kind": "fiction", "title": "D", "isbn": "y", "price": 22.99}],
       "bicycle": {"color": "red", "price": 399}},
     "n": [0, 1, 2, 3, 4, 5, 6],
     "names": {"a b": 1, "ü": 2, "x-y": 3, "'": 4, "😀": 5},
     "mixed": [true, null, "1", 1.0, [], {}]}
    """#

  private static func values(_ path: String, limit: Int = .max) throws -> String {
    let json = try JSON(parsing: Data(document.utf8))
    return JSON.array(try JSONPath(path).values(in: json, limit: limit)).description
  }

  @Test(arguments: [
    ("$.store.book[*].title", #"["A","B","C","D"]"#), ("$.n[0]", "[0]"), ("$.n[-1]", "[6]"),
    ("$.n[7]", "[]"), ("$.n[-8]", "[]"), ("$.none.at.all", "[]"), ("$.n.x", "[]"),
    ("$.store[0]", "[]"),
    ("$.store.book[0, -1].title", #"["A","D"]"#), ("$..color", #"["red"]"#),
    ("$..price", "[399,8.95,12.99,8.99,22.99]"), ("$..book[2].title", #"["C"]"#),
    ("$.store.*.color", #"["red"]"#), ("$..[1].title", #"["B"]"#),
    ("$.store..*.color", #"["red"]"#),
    ("$['names']['a b', \"ü\"]", "[1,2]"), ("$.names.x-y", "[3]"), ("$.names['\\'']", "[4]"),
    ("$.names['\\u00fc']", "[2]"), ("$.names[\"\\ud83d\\ude00\"]", "[5]"), ("$.mixed[3]", "[1.0]"),
  ])
  func aPathSelectsValues(path: String, values: String) throws {
    #expect(try Self.values(path) == values)
  }

  @Test(arguments: [
    ("$.n[1:3]", "[1,2]"), ("$.n[:2]", "[0,1]"), ("$.n[5:]", "[5,6]"), ("$.n[-2:]", "[5,6]"),
    ("$.n[1:6:2]", "[1,3,5]"), ("$.n[::3]", "[0,3,6]"), ("$.n[5:1:-2]", "[3,5]"),
    ("$.n[::-3]", "[0,3,6]"), ("$.n[1:3:0]", "[]"), ("$.n[10:]", "[]"), ("$.n[:-10]", "[]"),
    ("$.n[-100:100:6]", "[0,6]"), ("$.n[3:3]", "[]"), ("$.n[9:-9:-3]", "[0,3,6]"),
    ("$.n[ 1 : 2 : 1 ]", "[1]"), ("$.store[0:1]", "[]"),
  ])
  func aSliceSelectsElements(path: String, values: String) throws {
    #expect(try Self.values(path) == values)
  }

  @Test(arguments: [
    ("[?@.isbn]", "CD"), ("[?!@.isbn]", "AB"), ("[?@.price < 10]", "AC"),
    ("[?@.price <= 8.95]", "A"),
    ("[?@.price > 12.99]", "D"), ("[?@.price >= 12.99]", "BD"), ("[?@.title == 'B']", "B"),
    ("[?'B' != @.title]", "ACD"), ("[?@.title >= \"C\"]", "CD"), ("[?@.price == 899e-2]", "C"),
    ("[?@.kind == 'fiction' && @.price < 20]", "BC"),
    ("[?(@.title == 'A' || @['isbn'] == 'y')]", "AD"),
    ("[?!(@.title == 'A' || @.title == 'B')]", "CD"), ("[?@.isbn == @.none]", "AB"),
    ("[?@.title == @.title && @.price != @.title]", "ABCD"), ("[?@ == 1]", ""),
    ("[?@.price == -1]", ""),
    ("[?@.title == 'A' || @.title == 'B' && @.isbn]", "A"), ("[?@.title < 1]", ""),
    ("[?@.title == 'A', 3]", "AD"),
  ])
  func aFilterSelectsElements(filter: String, titles: String) throws {
    let expected = titles.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try Self.values("$.store.book\(filter).title") == "[\(expected)]")
  }

  @Test func aFilterComparesValuesOfAllTypes() throws {
    let expected = [
      "true": "[true]", "null": "[null]", "'1'": #"["1"]"#, "1": "[1.0]", "false": "[]",
      "@": "[true,null,\"1\",1.0]",
    ]
    for (literal, values) in expected {
      #expect(try Self.values("$.mixed[?@ == \(literal)]") == values)
    }
    #expect(try Self.values("$.store[?@.color == 'red'].price") == "[399]")
    #expect(try Self.values("$..[?@.color].price") == "[399]")
    #expect(try Self.values("$.n[?@ >= 2 && @ < 5]") == "[2,3,4]")
  }

  @Test func theNumberOfValuesCanBeLimited() throws {
    #expect(try Self.values("$..price", limit: 2) == "[399,8.95]")
    #expect(try Self.values("$", limit: 0) == "[]")
  }

  @Test(arguments: [
    ("", "expected $, as in $.user.name, at character 1"),
    ("user", "expected $, as in $.user.name, at character 1"),
    ("$user", "expected . or [ at character 2"),
    ("$.", "expected the name of a member or * at character 3"),
    ("$.1a", "expected the name of a member or * at character 3"),
    ("$.n[1", "expected ] at character 6"),
    ("$.n[", "expected an index, a slice, a name in quotes, ? or * at character 5"),
    ("$.n[a]", "expected an index, a slice, a name in quotes, ? or * at character 5"),
    ("$.n[01]", "expected an index without leading zeros, such as 0 or -1, at character 5"),
    ("$.n[-0]", "expected an index without leading zeros, such as 0 or -1, at character 5"),
    (
      "$.n[9007199254740992]",
      "expected an index without leading zeros, such as 0 or -1, at character 5"
    ),
    ("$['a", "a name without a closing quotation mark at character 3"),
    ("$['\\q']", "the escape \\q is unknown at character 4"),
    ("$['\\ud800']", "expected four hexadecimal digits of a Unicode scalar at character 4"),
    ("$[?]", "expected a path such as @.name, or a literal at character 4"),
    ("$[?@.a==]", "expected a path such as @.name, or a literal at character 9"),
    ("$[?@.a == b]", "expected a path such as @.name, or a literal at character 11"),
    ("$[?length(@) > 1]", "functions are not supported at character 4"),
    ("$[?$.a]", "only paths that begin with @ are supported in a filter at character 4"),
    (
      "$[?@.*]",
      "a path in a filter leads to one value, such as @.name or @.list[0], at character 5"
    ),
    ("$[?1]", "expected a comparison, such as ==, at character 5"),
    ("$[?@.a === 1]", "the operator is unknown at character 8"),
    ("$[?!@.a == 1]", "a comparison after ! needs parentheses at character 5"),
    ("$[?(@.a]", "expected ) at character 8"),
  ])
  func anErrorNamesItsPosition(path: String, error: String) {
    let failure = #expect(throws: JSONPathError.self) { try JSONPath(path) }
    #expect(failure?.description == error)
  }

  @Test func aLongOrDeepPathIsAnError() {
    for path in [
      "$" + String(repeating: ".a", count: 61), "$[?" + String(repeating: "(", count: 10_000),
    ] {
      #expect(throws: JSONPathError.self) { try JSONPath(path) }
    }
  }

  /// A search that visited a value for each way to it would not end.
  @Test func severalDescendantsVisitEachValueOnce() throws {
    var json: JSON = 1
    for _ in 0..<100 { json = ["a": json] }
    let path = try JSONPath("$" + String(repeating: "..a", count: 30))
    var visits = 0
    let isFound = path.contains(in: json) { _ in
      visits += 1
      return false
    }
    #expect(!isFound)
    #expect(visits == 71)
  }
}
