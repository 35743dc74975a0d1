package import Foundation
import Mocking
package import Networking

/// The order in which a resource writes the members of its items.
///
/// A ``JSON`` object has no order. Members are therefore written in the order in which their names
/// first occurred in the data and the requests, and names beyond the limit after them.
package struct MemberOrder: Sendable {
  /// The maximum number of names, so that clients cannot use unlimited memory.
  private static let limit = 2_000

  /// The ranks of the names.
  package private(set) var ranks: [String: Int] = [:]

  /// Creates an order without names.
  package init() {}

  /// Whether a name has occurred, at any depth.
  func contains(_ name: String) -> Bool { ranks[name] != nil }

  /// Returns the name that is most similar to another one, or `nil` if none is similar.
  ///
  /// Only short names are compared, and of many names only some, because the other name may come from
  /// a request.
  func nearest(to name: String) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let candidates = ranks.sorted { $0.value < $1.value }.prefix(200).map(\.key)
      .filter { $0.utf8.count <= 64 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
    return NameSuggestion.of(name, among: candidates)
  }

  /// Returns a value as JSON text.
  ///
  /// - Throws: `ParameterEncodingError` if the values are nested too deeply.
  package func encode(_ json: JSON) throws -> Data {
    try json.data { ranks[$0] ?? .max }
  }

  /// Adds a name after all others, unless it is known.
  mutating func learn(_ name: String) {
    guard ranks.count < Self.limit, ranks[name] == nil else { return }
    ranks[name] = ranks.count
  }

  /// Adds the names of another order.
  mutating func learn(_ other: MemberOrder) {
    for (name, _) in other.ranks.sorted(by: { $0.value < $1.value }) { learn(name) }
  }

  /// Adds the names of a value, sorted in each object.
  mutating func learn(_ json: JSON) {
    switch json {
    case .array(let values): for value in values { learn(value) }
    case .dictionary(let members):
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        learn(name)
        learn(value)
      }
    case .null, .bool, .int, .decimal, .double, .string: break
    }
  }

  /// Adds the names of encoded parameters.
  mutating func learn(_ parameters: Parameters) {
    switch parameters {
    case .array(let values): for value in values { learn(value) }
    case .dictionary(let members):
      for member in members {
        learn(member.name)
        learn(member.value)
      }
    default: break
    }
  }

  /// Adds the names in a JSON text that Foundation has parsed before.
  ///
  /// - Parameter text: The text in UTF-8. Each string that a colon follows is a name. Scanning ends
  ///   with the first value of the text.
  package mutating func learn(from text: Data) {
    text.withUnsafeBytes { bytes in
      var (position, depth) = (0, 0)
      while position < bytes.count, ranks.count < Self.limit {
        switch bytes[position] {
        case UInt8(ascii: "\""):
          let start = position
          position = Self.endOfString(bytes, start)
          if Self.isColonNext(bytes, position) {
            learnQuoted(bytes[start..<position])
          } else if depth == 0 {
            return
          }
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth <= 0 { return }
        default: break
        }
        position += 1
      }
    }
  }

  private mutating func learnQuoted(_ quoted: Slice<UnsafeRawBufferPointer>) {
    guard quoted.contains(UInt8(ascii: "\\")) else {
      return learn(String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
    }
    if let name = try? JSONDecoder().decode(String.self, from: Data(quoted)) { learn(name) }
  }

  /// Returns the position after the closing quotation mark.
  private static func endOfString(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
    var position = start + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, bytes.count)
  }

  private static func isColonNext(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Bool {
    var position = start
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
    return position < bytes.count && bytes[position] == UInt8(ascii: ":")
  }
}
