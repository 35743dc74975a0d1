import Foundation
import Networking
import Testing

struct JSONTests {
  private func parse(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

  @Test func subscriptsNeverTrap() throws {
    let json = try parse(#"{"a": [{"b": "c"}]}"#)
    #expect(json["a"][0]["b"].string == "c")
    for missing in [json["x"], json[0], json["a"][1], json["a"][-1], json["a"][0]["b"]["d"][7]] {
      #expect(missing.isNull)
    }
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
    #expect(json["o"].dictionary == [:])
    #expect(json.dictionary?.count == 8)
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
