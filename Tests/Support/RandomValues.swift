import Foundation
package import Networking

/// A generator of texts and trees with critical characters, deterministic for a seed.
package struct RandomValues {
  private static let pieces = [
    "a", "Z9", "/", "?", "#", "%", "%2F", "..", ".", " ", "+", "&", "=", "ü", "😀", "\u{0}", "\r\n",
    "\"", "\\", "[", "]", "{", "@", ":", "://", "//", ";", "~", "e\u{301}", "\u{FFFD}", "https",
    "\t", "\u{7F}", "\u{80}", "\u{FF}", "\u{202E}", "\u{10FFFF}",
  ]

  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns a text of up to four parts, some of which are arbitrary Unicode scalars.
  package mutating func text() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<5, using: &generator) {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        text.unicodeScalars.append(scalar())
      } else {
        text += Self.pieces.randomElement(using: &generator) ?? ""
      }
    }
    return text
  }

  private mutating func scalar() -> Unicode.Scalar {
    Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) ?? "\u{D7FF}"
  }

  /// Returns a tree of up to four levels in a dictionary with one member.
  package mutating func parameters() -> Parameters {
    ["root": tree(depth: 4)]
  }

  private mutating func tree(depth: Int) -> Parameters {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return nil
    case 1: return .bool(.random(using: &generator))
    case 2: return .int(.random(in: .min ... .max, using: &generator))
    case 3: return .double(.random(in: -1e9...1e9, using: &generator) + 0.123)
    case 4: return .double(Double(bitPattern: generator.next() & 0x7FEF_FFFF_FFFF_FFFF))
    case 5: return .string(text())
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &generator)).map { _ in tree(depth: depth - 1) })
    default:
      var parameters: Parameters = [:]
      for _ in 0..<Int.random(in: 0..<5, using: &generator) {
        parameters[text()] = tree(depth: depth - 1)
      }
      return parameters
    }
  }
}

extension JSON {
  /// Creates the JSON value that a server decodes from parameters encoded as JSON.
  package init(received tree: Parameters) {
    self =
      switch tree {
      case .null: .null
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .decimal(let value): .decimal(value)
      case .string(let value): .string(value)
      case .data(let value): .string(value.base64EncodedString())
      case .date(let value): .double(value.timeIntervalSinceReferenceDate)
      case .array(let values): .array(values.map { JSON(received: $0) })
      case .dictionary(let members):
        .dictionary(
          Dictionary(members.map { ($0.name, JSON(received: $0.value)) }) { _, last in last })
      }
  }
}

extension String {
  /// The values of its Unicode scalars, because `==` of strings ignores canonical differences.
  package var scalars: [UInt32] { unicodeScalars.map(\.value) }
}

/// A random number generator that is deterministic for a seed.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// Returns the shortest list for which a check still fails, found by removing elements.
///
/// Removes runs of elements, at first half of the list, and in the end single elements, until no
/// single element can be removed.
///
/// - Parameters:
///   - list: A list for which the check fails.
///   - isFailing: The check. It must have the same result for the same list.
/// - Returns: The shortened list.
package func shortened<Element>(
  _ list: [Element], while isFailing: ([Element]) async -> Bool
) async -> [Element] {
  var list = list
  var size = max(1, list.count / 2)
  while true {
    var start = 0
    var isShorter = false
    while start < list.count {
      var candidate = list
      candidate.removeSubrange(start..<min(start + size, list.count))
      if await isFailing(candidate) {
        list = candidate
        isShorter = true
      } else {
        start += size
      }
    }
    if size > 1 {
      size /= 2
    } else if !isShorter {
      return list
    }
  }
}
