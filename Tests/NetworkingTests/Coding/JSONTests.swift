import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct JSONTests {
  private func parse(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

  @Test func subscriptsNeverTrap() throws {
    let json = try parse(#"{"a": [{"b": "c"}]}"#)
    #expect(json["a"][0]["b"].string == "c")
    for missing in [json["x"], json[0], json["a"][1], json["a"][-1], json["a"][0]["b"]["d"][7]] {
      #expect(missing.isNull)
    }
  }

  @Test func aNilLiteralBesideAValueIsNull() {
    func optional(_ json: JSON, _ isEmpty: Bool) -> JSON? { isEmpty ? nil : json }
    func none(_ json: JSON, _ isEmpty: Bool) -> JSON? { isEmpty ? JSON?.none : json }
    #expect(optional(7, true) == .some(.null) && none(7, true) == JSON?.none)
  }

  @Test func subscriptsSetValues() throws {
    var json: JSON = ["list": [1, ["b": 2]], "text": "x"]
    json["list"][1]["b"] = 3
    json["list"][0] = nil
    json["list"][2] = "new"
    json["a"]["b"]["c"] = [true]
    json["a"]["list"][0]["d"] = 1
    json["text"]["replaced"] = 1
    #expect(
      json == [
        "list": [nil, ["b": 3], "new"], "text": ["replaced": 1],
        "a": ["b": ["c": [true]], "list": [["d": 1]]],
      ])
  }

  @Test func anIndexBeyondTheEndSetsNothing() {
    var json: JSON = [1]
    json[2] = 5
    json[-1] = 5
    json[.max]["a"] = 5
    #expect(json == [1])
    var text: JSON = "x"
    text[1] = 5
    #expect(text == "x")
    text[0] = 5
    #expect(text == [5])
  }

  @Test func aMemberIsRemovedOrSetToNull() {
    var json: JSON = ["a": 1, "b": 2]
    json["a"] = nil
    #expect(json.remove("b") == 2)
    #expect(json.remove("c") == nil)
    #expect(json.dictionary == ["a": .null])
    var text: JSON = "x"
    #expect(text.remove("a") == nil)
    #expect(text == "x")
  }

  @Test func valuesOfAllTypesAreAccessible() throws {
    let json = try parse(#"{"n":null,"t":true,"f":false,"i":-3,"d":1.5,"s":"ü😀","a":[],"o":{}}"#)
    #expect(
      json == ["n": nil, "t": true, "f": false, "i": -3, "d": 1.5, "s": "ü😀", "a": [], "o": [:]])
    #expect(json["t"].bool == true)
    #expect(json["t"].int == nil)
    #expect(json["i"].bool == nil)
    #expect(json["i"].double == -3)
    #expect(json["i"].string == nil)
    #expect(json["d"].int == nil)
    #expect(json["d"].decimal == Decimal(string: "1.5"))
    #expect(json["a"].array == [])
    #expect(json["a"].strings == [] && json["b"].strings == nil)
    #expect(JSON.array(["x", "y"]).strings == ["x", "y"])
    #expect(JSON.array(["x", 1]).strings == nil && JSON.string("x").strings == nil)
    #expect(json["o"].dictionary == [:])
    #expect(json.dictionary?.count == 8)
  }

  /// The operator `<` orders neither of the first two names before the other.
  @Test func membersAreSortedByTheUTF8BytesOfTheirNames() throws {
    let names = ["e\u{301}", "\u{e9}/", "[ b", "?", "\u{1F600}", "\u{FFFD}", "Z", "a"]
    let sorted =
      #"{"?":0,"Z":0,"[ b":0,"a":0,"e\#u{301}":0,"\#u{e9}/":0,"\#u{FFFD}":0,"\#u{1F600}":0}"#
    let text = EncodedParameters.body([.data(Data(sorted.utf8))], contentType: "application/json")
    var lots = SeededGenerator(seed: 3)
    for _ in 0..<20 {
      let members = names.shuffled(using: &lots).map { ($0, 0) }
      let json = JSON.dictionary(Dictionary(uniqueKeysWithValues: members.map { ($0, .int($1)) }))
      #expect(json.description == sorted)
      let parameters = try Parameters(encoding: Dictionary(uniqueKeysWithValues: members))
      #expect(try JSONParameterEncoder().encode(parameters) == text)
    }
  }

  @Test func zeroAndOneAreNumbers() throws {
    #expect(try parse("[0, 1]") == [0, 1])
    #expect(try parse("[0, 1]")[1].bool == nil)
  }

  @Test(arguments: [
    "9007199254740993", "-9223372036854775808", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "123456789012345678901234567890",
  ])
  func wholeNumbersAreExact(text: String) throws {
    #expect(try parse(text).decimal?.description == text)
    #expect(try parse(text).description == text)
    #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == parse(text))
  }

  @Test(arguments: [
    1e15, 9_007_199_254_740_991, 1e22, 1e23, 1e36, 1e37, 1.2345678901234568e45, 1e300, -0.5,
    123_456_789_012_345.0, 0.12345678901234568, 1e19,
  ])
  func aDoubleIsADoubleAfterWritingAndReading(_ number: Double) throws {
    let read = try JSON(parsing: JSON.array([.double(number)]).data())[0]
    guard case .double(number) = read else {
      Issue.record("\(number) is read as \(String(reflecting: read))")
      return
    }
  }

  /// `JSONSerialization` reads a fraction of 17 and more digits as a decimal number.
  @Test(arguments: [
    "0.34567412803956789", "-1234567890.12345678901", "0.99999999999999999999",
    "1.00000000000000000000",
    "9007199254740992.5", "123456789012345678901234567890.5", "1.7976931348623157e308",
  ])
  func aFractionOfManyDigitsIsReadAsByJSONDecoder(_ text: String) throws {
    let json = try parse("[\(text)]")
    #expect(try JSONDecoder().decode(JSON.self, from: Data("[\(text)]".utf8)) == json)
    #expect(try JSON(parsing: json.data()) == json)
  }

  @Test func aFractionHasThePrecisionOfDouble() throws {
    guard case .double(0.345_674_128_039_567_89) = try parse("0.34567412803956789") else {
      Issue.record("it is not a double")
      return
    }
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"[{"b":"\":","a":1,"a":{"c":3}}]"#, #"{"x":{"a":1,"a":null},"y":"a:b"}"#,
  ])
  func theFirstOfRepeatedNamesCounts(_ text: String) throws {
    let json = try parse(text)
    #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == json)
    let object = text.hasPrefix("[") ? json[0] : json["x"].isNull ? json : json["x"]
    #expect(object["a"] == 1)
  }

  @Test(arguments: [1e16, 1e18, -1.2447839233206492e18, -0x1p63])
  func aDoubleWithTheTextOfAnIntegerIsEqualAfterWritingAndReading(_ number: Double) throws {
    #expect(try JSON(parsing: JSON.array([.double(number)]).data())[0] == .double(number))
  }

  /// The nearest double of each integer is another integer, or has a shorter text.
  @Test(arguments: [
    "-1244783923320649200", "1152921504606846976", "9007199254740993", "123456789012345680000",
  ])
  func anIntegerIsExactAfterReadingAndWriting(_ text: String) throws {
    let json = try parse(text)
    #expect(json.decimal == Decimal(string: text))
    #expect(Int(text).map { json == .int($0) } ?? true)
    #expect(try parse(String(decoding: json.data(), as: UTF8.self)) == json)
  }

  @Test(arguments: [
    "0", "-1", "5.0", "0.5", "0.1", "9007199254740992", "9007199254740993", "9223372036854775807",
    "1e20", "100000000000000000001", "0.123456789012345678901", "1e-100",
  ])
  func equalNumbersOfAllCasesHaveEqualHashes(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    var numbers: [JSON] = [.decimal(decimal)]
    if let double = Double(text) { numbers.append(.double(double)) }
    if let integer = Int(text) { numbers.append(.int(integer)) }
    for left in numbers {
      for right in numbers where left == right { #expect(left.hashValue == right.hashValue) }
    }
  }

  /// A set of them would otherwise compare each with all others.
  @Test func numbersNearOneDoubleHaveHashesOfTheirOwn() throws {
    let integers = (0..<500).map { JSON.int(Int.max - $0) }
    let decimals = try (1_000..<1_500).map {
      JSON.decimal(try #require(Decimal(string: "1234567890123456789012345678901234\($0)")))
    }
    for numbers in [integers, decimals] {
      #expect(Set(numbers.compactMap(\.double)).count == 1)
      #expect(Set(numbers.map(\.hashValue)).count > 490)
    }
  }

  @Test func numbersAreEqualByValueAndHashAlike() throws {
    #expect(JSON.int(1) == .double(1))
    #expect(JSON.int(1) == .decimal(1))
    #expect(JSON.double(0.5) == .decimal(Decimal(string: "0.5") ?? 0))
    #expect(JSON.int(1) != .bool(true))
    #expect(Set([JSON.int(1), .double(1), .decimal(1)]).count == 1)
    #expect(try parse("1.0").int == 1)
  }

  @Test(arguments: ["", "{", "[1", "nul", "{\"a\":1 2}", "1e999", "\u{FEFF}\u{FEFF}1", "'a'"])
  func invalidJSONIsRejected(text: String) {
    #expect(throws: (any Error).self) { try parse(text) }
  }

  @Test func aStringThatBeginsWithAByteOrderMarkKeepsIt() throws {
    let json = try parse("{\"\u{FEFF}name\": [\"\u{FEFF}a\", \"b\"]}")
    #expect(json == ["\u{FEFF}name": ["\u{FEFF}a", "b"]])
    #expect(try parse("\"\u{FEFF}\"") == "\u{FEFF}")
    #expect(try parse("\u{FEFF}[\"a\"]") == ["a"])
  }

  @Test func deeplyNestedTextsAreRejectedWithoutATrap() {
    #expect(throws: (any Error).self) { try parse(String(repeating: "[", count: 100_000)) }
  }

  @Test func jsonCanBePartOfADecodableType() throws {
    struct Page: Codable, Equatable {
      var items: [JSON]
      var meta: JSON
    }
    let text = #"{"items":[1,"a",null,true,2.5],"meta":{"next":"x","deep":[[{}]]}}"#
    let page = try JSONDecoder().decode(Page.self, from: Data(text.utf8))
    #expect(page.items == [1, "a", nil, true, 2.5])
    #expect(page.meta["next"] == "x")
    #expect(page.meta["deep"] == [[[:]]])
    let again = try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(page))
    #expect(again == page)
  }

  @Test func theDescriptionIsCompactJSON() {
    #expect(("\(["b": [1, nil], "a": "\"\n"] as JSON)") == #"{"a":"\"\n","b":[1,null]}"#)
    #expect("\(JSON.double(.nan))" == "not JSON: a number is not finite")
  }
}
