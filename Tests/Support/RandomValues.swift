import Networking

/// Texts and trees that look for trouble, the same ones for the same seed.
package struct RandomValues {
  private static let pieces = [
    "a", "Z9", "/", "?", "#", "%", "%2F", "..", ".", " ", "+", "&", "=", "ü", "😀", "\u{0}", "\r\n",
    "\"", "\\", "[", "]", "{", "@", ":", "://", "//", ";", "~", "e\u{301}", "\u{FFFD}", "https",
    "\t", "\u{7F}", "\u{80}", "\u{FF}", "\u{202E}", "\u{10FFFF}",
  ]

  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Up to four pieces, some of them any character that there is.
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

  /// A tree of up to four levels in a dictionary of one member.
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
  /// A tree as it comes back from a server that has read it as JSON.
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
      case .array(let values): .array(values.map { JSON(received: $0) })
      case .dictionary(let members):
        .dictionary(
          Dictionary(members.map { ($0.name, JSON(received: $0.value)) }) { _, last in last })
      }
  }
}

extension String {
  /// Its characters one by one: strings are equal in Swift when they are canonically.
  package var scalars: [UInt32] { unicodeScalars.map(\.value) }
}
