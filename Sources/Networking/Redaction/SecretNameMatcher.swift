/// An automaton that decides in one pass over a name whether it is secret.
///
/// Each character takes one step in two tables: one finds the terms at any position, the other
/// compares the whole name. Case, punctuation and percent-encoding are skipped. Names come from
/// servers, so a name of any length takes linear time, and none needs a copy.
///
/// Source: A. Aho, M. Corasick, "Efficient string matching", 1975.
final class SecretNameMatcher: Sendable {
  /// The number of letters and digits.
  private static let width = 36
  private static let root: UInt16 = 0
  /// The bit of a node that ends a word.
  private static let endBit: UInt16 = 0x8000

  /// A table with the child of each node and character, 0 if there is none.
  ///
  /// The nodes are numbered from 0, the root.
  private struct Trie {
    var next = [UInt16](repeating: 0, count: width)
    var isEnd = [false]

    init(_ words: [String]) {
      for word in words {
        var node = 0
        for byte in word.utf8 {
          let character = SecretNameMatcher.number(of: byte)
          guard character < width else { continue }
          let edge = node * width + character
          if next[edge] == 0 {
            next[edge] = UInt16(isEnd.count)
            next += [UInt16](repeating: 0, count: width)
            isEnd.append(false)
          }
          node = Int(next[edge])
        }
        isEnd[node] = true
      }
    }

    /// The table, with ``endBit`` in the numbers of nodes that end a word.
    var marked: [UInt16] {
      next.map { isEnd[Int($0)] ? $0 | endBit : $0 }
    }
  }

  private let names: [UInt16]
  /// The terms, with a transition for each character: to the node of the longest suffix of the name
  /// that begins a term.
  private let terms: [UInt16]

  /// Creates an automaton.
  ///
  /// - Parameters:
  ///   - exactNames: The names that are secret as a whole, in lower case.
  ///   - terms: The terms that make a name secret at any position, in lower case.
  init(exactNames: [String], terms: [String]) {
    names = Trie(exactNames).marked
    var trie = Trie(terms)
    var fallbacks = [UInt16](repeating: Self.root, count: trie.isEnd.count)
    // Breadth first, so that the node of a shorter suffix is complete before it is copied.
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      let fallback = Int(fallbacks[node])
      if trie.isEnd[fallback] { trie.isEnd[node] = true }
      for character in 0..<Self.width {
        let edge = node * Self.width + character
        let inherited = node == 0 ? Self.root : trie.next[fallback * Self.width + character]
        if trie.next[edge] == 0 {
          trie.next[edge] = inherited
        } else {
          fallbacks[Int(trie.next[edge])] = inherited
          queue.append(Int(trie.next[edge]))
        }
      }
    }
    self.terms = trie.marked
  }

  /// The result of a match.
  struct Match {
    /// Whether the name contains a term, or is one of the exact names.
    var isSecret = false
    /// The number of letters and digits of the name.
    ///
    /// `nil` if some are beyond ASCII.
    var length: Int? = 0
  }

  /// Returns whether a name is secret.
  ///
  /// - Parameter name: The name in UTF-8, possibly percent-encoded.
  /// - Returns: The result.
  func match(_ name: UnsafeBufferPointer<UInt8>) -> Match {
    terms.withUnsafeBufferPointer { terms in
      names.withUnsafeBufferPointer { names in
        var (term, node, isPrefix, hasTerm) = (Self.root, Self.root, true, false)
        var (length, isASCII) = (0, true)
        var characters = NameCharacters(name)
        while let character = characters.next() {
          length += 1
          guard character < Self.width else {
            // A letter beyond ASCII is part of a word.
            (term, isPrefix, isASCII) = (Self.root, false, false)
            continue
          }
          term = terms[Int(term & ~Self.endBit) * Self.width + character]
          if term & Self.endBit != 0 { hasTerm = true }
          if isPrefix {
            node = names[Int(node & ~Self.endBit) * Self.width + character]
            isPrefix = node != Self.root
          }
        }
        let isExact = isPrefix && node & Self.endBit != 0
        return Match(isSecret: hasTerm || isExact, length: isASCII ? length : nil)
      }
    }
  }

  /// Returns the number of a letter or digit in ASCII, or ``width`` for other characters.
  @inline(__always) fileprivate static func number(of byte: UInt8) -> Int {
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    if letter < 26 { return Int(letter) }
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? 26 + Int(digit) : width
  }
}

/// The letters and digits of a name, without percent-encoding.
///
/// A percent sign without two digits, invalid UTF-8, and punctuation are skipped.
private struct NameCharacters {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Returns the number of the next character: from 0 for letters, from 26 for digits, and 36 for
  /// letters and digits beyond ASCII.
  @inline(__always) mutating func next() -> Int? {
    while position < bytes.count {
      let byte = nextByte()
      let number = SecretNameMatcher.number(of: byte)
      if number < 36 { return number }
      if byte >= 0x80, let number = self.number(ofScalarFrom: byte) { return number }
    }
    return nil
  }

  @inline(__always) private mutating func nextByte() -> UInt8 {
    PercentDecoding.nextByte(of: bytes, at: &position)
  }

  /// Returns the number of a character beyond ASCII, or `nil` if it is skipped.
  private mutating func number(ofScalarFrom first: UInt8) -> Int? {
    let (count, bits): (Int, UInt8)
    switch first {
    case 0xC2...0xDF: (count, bits) = (1, 0x1F)
    case 0xE0...0xEF: (count, bits) = (2, 0x0F)
    case 0xF0...0xF4: (count, bits) = (3, 0x07)
    default: return nil
    }
    var value = UInt32(first & bits)
    for _ in 0..<count {
      let start = position
      guard position < bytes.count else { return nil }
      let byte = nextByte()
      guard byte & 0xC0 == 0x80 else {
        position = start
        return nil
      }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard let scalar = Unicode.Scalar(value) else { return nil }
    switch scalar {
    // The only capitals beyond ASCII whose small letters are in ASCII.
    case "\u{212A}": return SecretNameMatcher.number(of: UInt8(ascii: "k"))
    case "\u{0130}": return SecretNameMatcher.number(of: UInt8(ascii: "i"))
    default:
      return scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? 36 : nil
    }
  }
}

/// The decoding of names, which ignores percent signs without two digits.
///
/// Source: RFC 3986 section 2.1.
enum PercentDecoding {
  /// Returns the byte at a position, and advances the position.
  @inline(__always) static func nextByte(
    of bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> UInt8 {
    let byte = bytes[position]
    position += 1
    guard byte == UInt8(ascii: "%"), position + 1 < bytes.count,
      let high = bytes[position].hexDigitValue, let low = bytes[position + 1].hexDigitValue
    else { return byte }
    position += 2
    return high << 4 | low
  }

  /// Returns a text without percent-encoding, and with invalid UTF-8 repaired.
  static func decoded(_ text: String) -> String {
    var text = text
    let decoded = text.withUTF8 { bytes in
      var (decoded, position) = ([UInt8](), 0)
      decoded.reserveCapacity(bytes.count)
      while position < bytes.count { decoded.append(nextByte(of: bytes, at: &position)) }
      return decoded
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
