import Foundation
import Networking
import Testing

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
    #expect(try Parameters(encoding: ["at": date]) == ["at": 5.0])
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
    let data = try JSONEncoder().encode(tree)
    #expect(try JSONDecoder().decode(Parameters.self, from: data) == tree)
  }

  @Test func nonFiniteNumbersRoundTripThroughStorage() throws {
    let data = try JSONEncoder().encode([Parameters.double(.infinity)])
    #expect(try JSONDecoder().decode([Parameters].self, from: data) == [.double(.infinity)])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Parameters.self, from: Data("{}".utf8))
    }
  }

  private struct Wrong: Error {}
}
