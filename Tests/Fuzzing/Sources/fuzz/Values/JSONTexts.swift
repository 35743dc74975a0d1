import Foundation

@testable import Networking

extension FuzzTarget {
  /// JSON that is parsed, written and parsed again.
  static let json = FuzzTarget("json") { input in
    Growth.checkLinear(input) { bytes in
      _ = try? JSON(parsing: Data(bytes))
    }
    let foundation = { (bytes: [UInt8]) in
      _ = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }
    Growth.checkRatio(input, to: foundation) { bytes in _ = try? JSON(parsing: Data(bytes)) }
    guard let json = try? JSON(parsing: input.data) else { return }
    // `JSONDecoder` refuses values that are nested more than 64 levels deep.
    if let other = try? JSONDecoder().decode(JSON.self, from: input.data) {
      expect(isSame(other, json), "JSONDecoder reads the same: \(other) and \(json)")
    }
    check(json, depth: 0)
    guard let data = try? json.data() else { return }
    let text = String(decoding: data, as: UTF8.self)
    guard let again = try? JSON(parsing: data) else {
      fatalError("violated: JSON that is written is JSON: \(text)")
    }
    expect(again == json, "JSON that is written again is equal: \(text)")
    expect(again.hashValue == json.hashValue, "equal values have equal hashes: \(text)")
    // The text of a double from 2^53 on may be read as that of an integer, and is written as such.
    let second = try? again.data()
    let third = second.flatMap { try? JSON(parsing: $0).data() }
    expect(second == third, "JSON that was read is written in one way: \(text)")
    if let encoded = try? JSONEncoder().encode(json) {
      let read = try? JSONDecoder().decode(JSON.self, from: encoded)
      expect(
        read.map { isSame($0, json) } ?? false,
        "the encoders of Foundation keep the value: \(text)")
    }
  }

  /// Whether `JSONDecoder` and `JSON(parsing:)` have read the same text.
  ///
  /// `JSONDecoder` reads a number of 2^53 or more as an integer if it can, also if its text has a
  /// fraction or an exponent, as `JSONEncoder` writes it.
  private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.dictionary(let left), .dictionary(let right)):
      return left.count == right.count
        && left.allSatisfy { name, value in right[name].map { isSame(value, $0) } ?? false }
    default:
      guard left != right else { return left.hashValue == right.hashValue }
      guard let left = left.double, let right = right.double else { return false }
      return left.magnitude >= 0x1p53 && (left - right).magnitude <= left.ulp
    }
  }

  private static func check(_ json: JSON, depth: Int) {
    switch json {
    case .array(let values):
      for (index, value) in values.enumerated().prefix(20) {
        expect(json[index] == value, "an element is found by its index")
        if depth < 5 { check(value, depth: depth + 1) }
      }
      expect(json[values.count].isNull && json[-1].isNull, "there are no other elements")
    case .dictionary(let members):
      for (name, value) in members.prefix(20) {
        expect(json[name] == value, "a member is found by its name")
        if depth < 5 { check(value, depth: depth + 1) }
      }
    case .int, .double, .decimal:
      expect(json.double != nil, "a number has a value: \(json)")
      if let int = json.int { expect(JSON.int(int) == json, "an integer is equal: \(json)") }
    case .null, .bool, .string: break
    }
    expect(json == json, "a value equals itself: \(json)")
  }
}
