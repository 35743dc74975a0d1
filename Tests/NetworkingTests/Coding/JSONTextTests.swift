import Foundation
import Mocking
import MockingResources
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// A member of the type ``JSON`` is taken from the text that a decoder reads.
@Suite(.gated) struct JSONTextTests {
  /// Types that lead a decoder to a ``JSON`` in each way that `Decoder` has.
  private struct Members: Decodable, Equatable {
    let a: JSON
    let itemList: [JSON]?
    let c: [String: JSON]?
  }

  private struct Records: Decodable, Equatable {
    struct Record: Decodable, Equatable {
      let xY: JSON?
      let a: JSON?
    }
    let itemList: [Record]?
  }

  private enum Choice: Decodable, Equatable {
    case a(JSON)
    case b(JSON, meta: JSON)
  }

  private class Base: Decodable {
    let a: JSON?
  }

  private final class Derived: Base {
    let isNull: Bool
    let nested: JSON?
    let second: JSON?

    enum Keys: CodingKey { case a, b, c }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      isNull = try container.decodeNil(forKey: .a)
      nested = try? container.nestedContainer(keyedBy: Keys.self, forKey: .c).decode(
        JSON.self, forKey: .b)
      var elements = try? container.nestedUnkeyedContainer(forKey: .b)
      _ = try? elements?.decodeNil()
      second = try? elements?.decode(JSON.self)
      try super.init(from: container.superDecoder())
    }
  }

  /// Returns a text with repeated, escaped and similar names, and numbers of all kinds.
  private static func text(_ generator: inout SeededGenerator, _ depth: Int = 4) -> String {
    let scalars = [
      "null", "true", "false", "0", "-0", "-1", "1.0", "1.5e3", "1e2", "0.1", "9007199254740993",
      "-9223372036854775808", "18446744073709551615", "123456789012345678901234567890", "1e19",
      "\"\"", "\"a\\u0041\\n\"", "\"\u{FEFF}x\"", "\"e\u{301}\"", "\"[{\\\"a\\\":1}]\"",
    ]
    let names = [
      "a", "b", "c", "super", "item_list", "itemList", "x_y", "xY", "_0", "meta", "\\u0061", "1",
      "\u{e9}", "e\u{301}", "",
    ]
    func children(_ child: (inout SeededGenerator) -> String) -> String {
      (0..<Int.random(in: 0..<5, using: &generator)).map { _ in child(&generator) }
        .joined(separator: Bool.random(using: &generator) ? "," : " ,\n")
    }
    switch depth > 0 ? Int.random(in: 0..<4, using: &generator) : 0 {
    case 0: return scalars.randomElement(using: &generator) ?? ""
    case 1: return "[\(children { text(&$0, depth - 1) })]"
    default:
      let members = children {
        "\"\(names.randomElement(using: &$0) ?? "")\" : \(text(&$0, depth - 1))"
      }
      return "{\(members)}"
    }
  }

  /// The value by all attempts and the value from the text are the same, or both are errors.
  @Test(arguments: [false, true])
  func aValueIsThatOfAllAttempts(convertsNames: Bool) {
    let decoder = JSONDecoder()
    if convertsNames { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    var found = 0
    func compare<Value: Decodable>(_: Value.Type, _ text: String, _ parts: (Value) -> [JSON?]) {
      let data = Data(text.utf8)
      let expected = try? decoder.decode(Value.self, from: data)
      for attempts in [0, 20, nil] {
        let value = try? decoder.decode(Value.self, fromText: data, attempts: attempts)
        #expect(value.map(parts) == expected.map(parts), "\(Value.self) \(attempts ?? -1): \(text)")
      }
      if expected != nil { found += 1 }
    }
    var generator = SeededGenerator(seed: convertsNames ? 1 : 2)
    let count = TestSize.of(1_000, full: 100_000)
    for _ in 0..<count {
      let text = Self.text(&generator)
      compare(JSON.self, text) { [$0] }
      compare([JSON?].self, text) { $0 }
      compare([String: [JSON]].self, text) { [.dictionary($0.mapValues { .array($0) })] }
      compare([Int: JSON].self, text) { $0.sorted { $0.key < $1.key }.map(\.value) }
      compare(Members.self, text) { [$0.a, .array($0.itemList ?? []), .dictionary($0.c ?? [:])] }
      compare(Records.self, text) { ($0.itemList ?? []).flatMap { [$0.xY, $0.a] } }
      compare(Derived.self, text) { [$0.a, .bool($0.isNull), $0.nested, $0.second] }
      compare(Choice.self, text) {
        switch $0 {
        case .a(let value): [value]
        case .b(let value, let meta): [value, meta]
        }
      }
    }
    #expect(found > count)
  }

  @Test(arguments: [#"{"a":{"_0":[1]}}"#, #"{"b":{"_0":{"a":[]},"meta":"x"}}"#])
  func aCaseOfAnEnumerationHasItsValues(_ text: String) throws {
    let data = Data(text.utf8)
    #expect(
      try JSONDecoder().decode(Choice.self, fromText: data, attempts: 0)
        == JSONDecoder().decode(Choice.self, from: data))
  }

  /// Attempts end at 64 levels, so these values are taken from the text.
  private static let deep: JSON = (0..<120).reduce([1]) { value, _ in [value] }

  private struct Item: Codable, Sendable {
    var id: Int?
    var value: JSON
  }

  private static let item: JSON = ["id": 1, "value": deep]

  private static func makeClient(_ mock: Mock) -> Networking<Request> {
    let client = Networking<Request>(
      transport: MockTransport { Route(.get, "/a", mock) }, configuration: .plain)
    client.baseURL = .of("https://a.example/")
    return client
  }

  @Test func aBodyIsReadFromItsText() async throws {
    let client = Self.makeClient(.json(Self.item))
    #expect(try await client.request(.get("/a")).decode(Item.self).value.value == Self.deep)
  }

  @Test func theBodyOfAnErrorIsReadFromItsText() async throws {
    let client = Self.makeClient(.json(Self.item, status: 500))
    let error = await #expect(throws: NetworkError.self) {
      try await client.request(.get("/a")).validate().value
    }
    #expect(try error?.decodeBody(Item.self).value == Self.deep)
  }

  @Test func eventsAndLinesAreReadFromTheirTexts() async throws {
    let lines = Self.makeClient(.lines([Self.item]))
    for try await item in lines.jsonLines(of: .get("/a"), as: Item.self) {
      #expect(item.value == Self.deep)
    }
    let event = ServerSentEvent(Self.item.description)
    #expect(try event.decode(Item.self).value == Self.deep)
  }

  @Test func requestsAndItemsOfAMockAreReadFromTheirTexts() async throws {
    let resource = try Resource<Item>("/items", data: [])
    let client = Networking<Request>(
      transport: MockTransport {
        Route(.post, "/a") { request in .json(try request.decode(Item.self).value) }
        resource
      }, configuration: .plain)
    client.baseURL = .of("https://a.example/")
    let received = client.request(.post("/a", parameters: Parameters(Self.item))).toJson()
    #expect(try await received.value == Self.deep)
    let created = client.request(.post("/items", parameters: Parameters(["value": Self.deep])))
      .validate()
    #expect(try await created.toJson().value["value"] == Self.deep)
    #expect(resource.items.map(\.value) == [Self.deep])
  }

  /// A text that cannot be parsed shows that a value was not taken from it.
  @Test func aFewSmallValuesAreDecodedByAttempts() throws {
    func text(_ count: Int) -> Data {
      let values = Array(repeating: "{}", count: count).joined(separator: ",")
      return Data(#"{"value":[\#(values)],"other":1e999}"#.utf8)
    }
    let decoder = JSONDecoder()
    #expect(try decoder.decode(Item.self, fromText: text(10)).value.array?.count == 10)
    #expect(throws: DecodingError.self) { try decoder.decode(Item.self, fromText: text(1_000)) }
  }

  /// A decoder that cannot be replaced tries all kinds.
  @Test func otherDecodersTryAllKinds() throws {
    final class Subclass: JSONDecoder, @unchecked Sendable {}
    let custom = JSONDecoder()
    custom.keyDecodingStrategy = .custom { path in path[path.count - 1] }
    let json5 = JSONDecoder()
    json5.allowsJSON5 = true
    let data = Data(#"{"value":[{"a":1}]}"#.utf8)
    for decoder in [custom, json5, Subclass()] {
      #expect(try decoder.decode(Item.self, fromText: data).value == [["a": 1]])
      #expect(throws: DecodingError.self) {
        try decoder.decode(Item.self, fromText: Self.item.data())
      }
    }
    let text = Data(#"{value:[+1,],}"#.utf8)
    #expect(try json5.decode(Item.self, fromText: text).value == [1])
  }

  @Test func theSettingsOfTheDecoderApplyToTheOtherMembers() throws {
    struct Event: Decodable {
      let day: Date
      let body: Data
      let rate: Double
      let value: JSON
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.dataDecodingStrategy = .custom {
      Data(try $0.singleValueContainer().decode(String.self).utf8)
    }
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let data = Data(#"{"day":60,"body":"a","rate":"inf","value":[1]}"#.utf8)
    let event = try decoder.decode(Event.self, fromText: data, attempts: 0)
    #expect(event.day == Date(timeIntervalSince1970: 60) && event.body == Data("a".utf8))
    #expect(event.rate == .infinity && event.value == [1])
  }

  /// The coder of a type may give its `userInfo` to a decoder of another text.
  @Test(arguments: ["[2, 3]", "{}", "\"b\"", "false", "null", "[[1]]"])
  func aDecoderOfAnotherTextReadsItsOwn(_ inner: String) throws {
    struct Outer: Decodable {
      let a: JSON
      let inner: JSON

      enum Keys: CodingKey { case a, text }

      struct Inner: Decodable {
        let a: JSON
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        a = try container.decode(JSON.self, forKey: .a)
        let text = try container.decode(String.self, forKey: .text)
        let other = JSONDecoder()
        other.userInfo = decoder.userInfo.compactMapValues { $0 as? JSONText }
        inner = try other.decode(Inner.self, from: Data(text.utf8)).a
      }
    }
    let text = JSON.dictionary(["a": 1, "text": .string("{\"a\":\(inner)}")])
    let value = try JSONDecoder().decode(Outer.self, fromText: text.data(), attempts: 0)
    #expect(value.a == 1)
    #expect(try value.inner == JSON(parsing: Data(inner.utf8)))
  }

  /// The path to an array is followed once, not for each element.
  @Test func namesAreConvertedOnceForAnArray() throws {
    let record = #"{"x_y":1,"b":2,"c":3}"#
    let records = Array(repeating: record, count: 500).joined(separator: ",")
    let others = (0..<500).map { "\"name_\($0)\":0" }.joined(separator: ",")
    let data = Data("{\(others),\"item_list\":[\(records)]}".utf8)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let text = JSONText(data)
    let copy = try #require(text.decoder(like: decoder))
    let value = try copy.decode(Records.self, from: data)
    #expect(value.itemList == Array(repeating: Records.Record(xY: 1, a: nil), count: 500))
    // The members of the root once, and those of each record once.
    #expect(text.conversions == 501 + 3 * 500)
  }
}
