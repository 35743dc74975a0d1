import Networking

/// The occurrences of a text in another one, which do not overlap.
///
/// The search takes linear time, because both texts may come from a request. Texts are compared by
/// their characters, as Swift compares them.
///
/// Source: Knuth, Morris, Pratt: Fast Pattern Matching in Strings.
package struct TextOccurrences {
  private enum Search {
    /// A search in texts in which each byte is a character.
    case bytes(ListSearch<UInt8>)
    case characters(ListSearch<Character>)
  }

  private let search: Search

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - part: The text to find. An empty text does not occur.
  ///   - text: The searched text.
  package init(of part: String, in text: String) {
    search =
      Self.isSimple(part) && Self.isSimple(text)
      ? .bytes(ListSearch(part: Array(part.utf8), list: Array(text.utf8)))
      : .characters(ListSearch(part: Array(part), list: Array(text)))
  }

  /// Returns whether a text contains another one.
  package static func contains(_ part: String, in text: String) -> Bool {
    part.isEmpty || TextOccurrences(of: part, in: text).count(atMost: 1) > 0
  }

  /// Returns the memory of a search, in bytes, without that of its results.
  package static func size(of part: String, in text: String) -> Int {
    let count = part.utf8.count + text.utf8.count
    return isSimple(part) && isSimple(text)
      ? count + part.utf8.count * MemoryLayout<Int32>.stride
      : count * (MemoryLayout<Character>.stride + MemoryLayout<Int32>.stride)
  }

  /// Returns the number of occurrences.
  package func count(atMost limit: Int = .max) -> Int {
    var count = 0
    func isMore(_ position: Int) -> Bool {
      count += 1
      return count < limit
    }
    switch search {
    case .bytes(let search): search.forEachPosition(isMore)
    case .characters(let search): search.forEachPosition(isMore)
    }
    return count
  }

  /// The texts between the occurrences: one more than these.
  package var pieces: [String] {
    switch search {
    case .bytes(let search): search.pieces { String(decoding: $0, as: UTF8.self) }
    case .characters(let search): search.pieces { String($0) }
    }
  }

  /// Returns whether each byte of a text is a character.
  private static func isSimple(_ text: String) -> Bool {
    // CR LF is one character.
    text.utf8.allBytesSatisfy { $0 < 0x80 && $0 != 0x0D }
  }
}

/// A search for a list in another one.
struct ListSearch<Element: Equatable> {
  let part: [Element]
  let list: [Element]

  /// Calls a closure with the position of each occurrence, until it returns `false`.
  func forEachPosition(_ body: (_ position: Int) -> Bool) {
    guard !part.isEmpty, part.count <= list.count else { return }
    // The lengths of the longest borders of the prefixes of the part.
    var borders: [Int32] = [0]
    borders.reserveCapacity(part.count)
    var length = 0
    func advance(_ element: Element) {
      while length > 0, part[length] != element { length = Int(borders[length - 1]) }
      if part[length] == element { length += 1 }
    }
    for element in part.dropFirst() {
      advance(element)
      borders.append(Int32(length))
    }
    length = 0
    for (index, element) in list.enumerated() {
      advance(element)
      guard length == part.count else { continue }
      guard body(index + 1 - length) else { return }
      length = 0
    }
  }

  func pieces(_ text: (ArraySlice<Element>) -> String) -> [String] {
    var (pieces, start) = ([String](), 0)
    forEachPosition { position in
      pieces.append(text(list[start..<position]))
      start = position + part.count
      return true
    }
    return pieces + [text(list[start...])]
  }
}
