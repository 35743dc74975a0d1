import Foundation
import Networking
import TestGate
import Testing

@Suite(.gated)
struct ParametersEncodingTests {
  private struct Board: Encodable {
    var title = "Fish"
    var kind = Kind.big
    var size: Float = 0.1
    var count: UInt64 = .max
    var owner: String?
    var parts = [Part(name: "fin"), Part(name: "tail")]
    var bytes = Data([1])
    var link = URL(string: "https://example.com/a")
    var price = Decimal(string: "1.10")
    var more: Parameters = ["z": 1, "a": 2]
    var other: JSON = [1]
  }

  private struct Part: Encodable { var name: String }
  private struct Empty: Encodable {}
  private enum Kind: String, Encodable { case big }

  @Test func membersHaveTheOrderOfTheirType() throws {
    #expect(
      try Parameters(encoding: Board()) == [
        "title": "Fish", "kind": "big", "size": 0.1, "count": .decimal(Decimal(UInt64.max)),
        "parts": [["name": "fin"], ["name": "tail"]], "bytes": .data(Data([1])),
        "link": "https://example.com/a", "price": .decimal(Decimal(string: "1.10") ?? 0),
        "more": ["z": 1, "a": 2], "other": [1],
      ])
  }

  @Test func rootsOfAllTypesAreEncoded() throws {
    #expect(try Parameters(encoding: 5) == 5)
    #expect(try Parameters(encoding: "a") == "a")
    #expect(try Parameters(encoding: [1, nil, 3]) == [1, nil, 3])
    #expect(try Parameters(encoding: Empty()) == [:])
    #expect(try Parameters(encoding: [Int]()) == [])
    #expect(try Parameters(encoding: ["b": 1, "a": 2, "c": 3]) == ["a": 2, "b": 1, "c": 3])
    #expect(try Parameters(encoding: tree) == tree)
  }

  private let tree: Parameters = ["z": .data(Data([1])), "a": 1]

  @Test func datesUseTheStrategyOfTheCaller() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    #expect(try Parameters(encoding: ["at": date]) == ["at": .date(date)])
    #expect(try Parameters(encoding: [date]) == [.date(date)])
    #expect(try Parameters(encoding: date) == .date(date))
    #expect(
      try Parameters(encoding: ["at": date], date: { .string($0.ISO8601Format()) })
        == ["at": "2001-01-01T00:00:05Z"])
  }

  private class Animal: Encodable {
    var legs = 4
  }

  private final class Fish: Animal {
    private enum CodingKeys: String, CodingKey { case fins }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(2, forKey: .fins)
      try super.encode(to: container.superEncoder())
      var list = container.nestedUnkeyedContainer(forKey: .fins)
      try list.encode(1)
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: CodingKeys.self)
      try inner.encode(true, forKey: .fins)
    }
  }

  @Test func nestedAndSuperContainersAreEncoded() throws {
    #expect(
      try Parameters(encoding: Fish()) == ["fins": [1, nil, ["fins": true]], "super": ["legs": 4]])
  }

  private struct Refusing: Encodable {
    struct Refusal: Error {}
    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  @Test func errorsOfTheValueAreRethrown() {
    #expect(throws: Refusing.Refusal.self) { try Parameters(encoding: [Refusing()]) }
  }
}

@Suite(.gated)
struct ParametersTests {
  private let tree: Parameters = [
    "user": .string("Ada"), "page": 2, "ratio": 0.5, "tags": ["a", "b"], "on": true, "none": nil,
    "nested": ["z": 1, "a": [1, [2]]], "bytes": .data(Data([0, 255])),
  ]

  @Test func literalsKeepTheirOrder() throws {
    guard case .dictionary(let members) = tree else { throw Wrong() }
    #expect(
      members.map(\.name) == ["user", "page", "ratio", "tags", "on", "none", "nested", "bytes"])
    #expect(tree["page"] == .int(2))
    #expect(tree["nope"] == nil)
    #expect((["a": 1, "b": 2] as Parameters) != ["b": 2, "a": 1])
  }

  @Test(arguments: [true, nil])
  func anOptionalValueOfALiteralCanBeNil(_ isFree: Bool?) {
    let parameters: Parameters = ["page": 1, "free": isFree.map { .bool($0) }, "owner": nil]
    let members: Parameters.Members = ["free": isFree.map { .bool($0) }]
    #expect(members["free"] == isFree.map(Parameters.bool) ?? .null)
    #expect(
      parameters == ["page": 1, "free": isFree.map(Parameters.bool) ?? .null, "owner": .null])
  }

  @Test func aDuplicateNameInALiteralKeepsTheLastValue() {
    #expect((["a": 1, "b": 2, "a": 3] as Parameters) == ["a": 3, "b": 2])
  }

  @Test func membersCanBeSetAndRemoved() {
    var parameters: Parameters = nil
    for number in 0..<100 { parameters["n\(number)"] = .int(number) }
    for number in 0..<100 where number != 70 { parameters["n\(number)"] = nil }
    parameters["n70"] = "x"
    parameters["last"] = 1
    #expect(parameters == ["n70": "x", "last": 1])
  }

  @Test func unorderedDictionariesAreSorted() {
    #expect(Parameters(["b": 1, "a": 2]) == ["a": 2, "b": 1])
    #expect(
      Parameters(["x": [1, nil, 2.5], "a": true] as JSON) == ["a": true, "x": [1, nil, 2.5]])
  }

  @Test func parametersRoundTripThroughStorage() throws {
    var tree = tree
    tree["whole"] = .double(1)
    tree["big"] = .decimal(Decimal(UInt64.max))
    tree["at"] = .date(Date(timeIntervalSinceReferenceDate: 0.1))
    let data = try JSONEncoder().encode(tree)
    #expect(try JSONDecoder().decode(Parameters.self, from: data) == tree)
  }

  @Test func nonFiniteNumbersRoundTripThroughStorage() throws {
    let numbers = [Parameters.double(.infinity), .date(.distantFuture.advanced(by: .infinity))]
    let data = try JSONEncoder().encode(numbers)
    #expect(try JSONDecoder().decode([Parameters].self, from: data) == numbers)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Parameters.self, from: Data("{}".utf8))
    }
  }

  @Test func storedParametersDoNotDependOnTheStrategyForDates() throws {
    let date = Parameters.date(Date(timeIntervalSinceReferenceDate: 7.5))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let data = try encoder.encode([date])
    #expect(try JSONDecoder().decode([Parameters].self, from: data) == [date])
  }

  private struct Wrong: Error {}
}

@Suite(.gated)
struct ParametersAccessTests {
  private let tree: Parameters = [
    "user": "ada", "page": 2, "tags": ["a", "b"], "filter": ["open": true],
  ]

  @Test func membersAreReadByName() {
    #expect(tree["user"]?.string == "ada")
    #expect(tree["filter"]?["open"]?.bool == true)
    #expect(tree["tags"]?[1] == "b")
    #expect(tree["tags"]?[2] == nil && tree["tags"]?[-1] == nil)
    #expect(tree["none"] == nil && tree[0] == nil && (7 as Parameters)["a"] == nil)
    #expect(tree.keys == ["user", "page", "tags", "filter"])
    #expect(tree.members.map(\.name) == tree.keys)
    #expect(tree.members.first?.value == "ada")
    #expect(([1, 2] as Parameters).keys.isEmpty && ([1, 2] as Parameters).members.isEmpty)
  }

  @Test(
    arguments: [
      (nil, 0), ([:], 0), ([], 0), (["a": nil], 1), ([1, 2], 2), ("", 1), (0, 1), (false, 1),
    ] as [(Parameters, Int)])
  func onlyParametersWithoutValuesAreEmpty(_ parameters: Parameters, _ count: Int) {
    #expect(parameters.count == count)
    #expect(parameters.isEmpty == (count == 0))
  }

  @Test func typedAccessorsDoNotConvertOtherKinds() {
    let (date, data) = (Date(timeIntervalSinceReferenceDate: 1), Data([1]))
    let values: [Parameters] = [
      nil, true, 2, 2.5, .decimal(Decimal(UInt64.max)), "2", .data(data), .date(date), [1],
      ["a": 1],
    ]
    #expect(values.map(\.isNull) == [true] + values.dropFirst().map { _ in false })
    #expect(values.map(\.bool) == [nil, true] + values.dropFirst(2).map { _ in nil })
    #expect(values.compactMap(\.int) == [2])
    #expect((2.0 as Parameters).int == 2)
    #expect(values.compactMap(\.double) == [2, 2.5, Double(UInt64.max)])
    #expect(values.compactMap(\.string) == ["2"])
    #expect(values.compactMap(\.data) == [data])
    #expect(values.compactMap(\.date) == [date])
    #expect(values.compactMap(\.array) == [[1]])
    #expect(values.compactMap(\.dictionary).map(\.count) == [1])
  }
}

@Suite(.gated)
struct ParametersDescriptionTests {
  @Test func parametersAreDescribedAsALiteral() {
    let parameters: Parameters = [
      "user": "a\"da", "page": 2, "ratio": 0.5, "tags": ["a", nil, true], "none": [:], "no": [],
      "at": .date(Date(timeIntervalSince1970: 1_714_564_800)), "picture": .data(Data(count: 12)),
    ]
    #expect(
      "\(parameters)" == #"["user": "a\"da", "page": 2, "ratio": 0.5, "tags": ["a", nil, true], "#
        + #""none": [:], "no": [], "at": 2024-05-01T12:00:00Z, "picture": (12 bytes)]"#)
    #expect(String(reflecting: parameters) == parameters.description)
    #expect("\(parameters.members)" == parameters.description)
    #expect(parameters.members.first.map { "\($0)" } == #""user": "a\"da""#)
  }

  @Test func secretsAreMaskedEverywhere() throws {
    let parameters: Parameters = [
      "user": "ada", "password": "s3cret", "token": ["s3cret", "s3cret"],
      "items": [["access_token": "s3cret"]], "next": "https://h/?token=s3cret",
    ]
    #expect(
      parameters.description.hasPrefix(
        #"["user": "ada", "password": "***", "token": "***", "items": [["access_token": "***"]], "#
      ))
    #expect(!parameters.description.contains("s3cret"))
    let member = try #require(parameters.members.first { $0.name == "password" })
    for value in [
      parameters, parameters.members, member, Request.post("a", parameters: parameters),
    ]
      as [Any]
    {
      var text = ""
      dump(value, to: &text)
      #expect(text.contains("***") && !text.contains("s3cret"), "\(text)")
      #expect(!String(reflecting: value).contains("s3cret"))
    }
  }

  @Test func unusualValuesHaveADescription() {
    var deep: Parameters = 1
    for _ in 0..<2_000 { deep = [deep] }
    #expect(deep.description.contains("..."))
    #expect("\(Parameters.date(.init(timeIntervalSince1970: 1e300)))" == "(a date out of range)")
    #expect("\(Parameters.double(.nan))" == "nan")
  }
}
