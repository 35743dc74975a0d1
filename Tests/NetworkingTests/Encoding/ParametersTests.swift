import Foundation
import Networking
import Testing

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

  @Test func aNameTwiceInALiteralKeepsTheLastValue() {
    #expect((["a": 1, "b": 2, "a": 3] as Parameters) == ["a": 3, "b": 2])
  }

  @Test func membersCanBeSetAndRemovedInAnyNumber() {
    var parameters: Parameters = nil
    for number in 0..<100 { parameters["n\(number)"] = .int(number) }
    for number in 0..<100 where number != 70 { parameters["n\(number)"] = nil }
    parameters["n70"] = "x"
    parameters["last"] = 1
    #expect(parameters == ["n70": "x", "last": 1])
  }

  @Test func dictionariesWithoutOrderAreSorted() {
    #expect(Parameters(["b": 1, "a": 2]) == ["a": 2, "b": 1])
    #expect(
      Parameters(["x": [1, nil, 2.5], "a": true] as JSON) == ["a": true, "x": [1, nil, 2.5]])
  }

  @Test func storageLosesNothing() throws {
    var tree = tree
    tree["whole"] = .double(1)
    tree["big"] = .decimal(Decimal(UInt64.max))
    let data = try JSONEncoder().encode(tree)
    #expect(try JSONDecoder().decode(Parameters.self, from: data) == tree)
  }

  @Test func whatIsNotFiniteCanBeStoredToo() throws {
    let data = try JSONEncoder().encode([Parameters.double(.infinity)])
    #expect(try JSONDecoder().decode([Parameters].self, from: data) == [.double(.infinity)])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Parameters.self, from: Data("{}".utf8))
    }
  }

  private struct Wrong: Error {}
}
