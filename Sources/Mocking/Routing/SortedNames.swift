/// The literal segments of a node with many of them, in order, to find similar ones.
///
/// A mistyped name shares its beginning or its end with the intended one. Names with the same
/// beginning are neighbors in the alphabetical order, and names with the same end are neighbors in the
/// alphabetical order of the reversed names.
struct SortedNames: Sendable {
  private var forward: SortedTexts
  private var backward: SortedTexts

  init(_ names: some Collection<String>) {
    forward = SortedTexts(names.sorted())
    backward = SortedTexts(names.map(Self.reversed).sorted())
  }

  mutating func insert(_ name: String) {
    forward.insert(name)
    backward.insert(Self.reversed(name))
  }

  mutating func remove(_ name: String) {
    forward.remove(name)
    backward.remove(Self.reversed(name))
  }

  /// Returns the neighbors of a name in both orders, without duplicates.
  ///
  /// - Parameters:
  ///   - name: The name, which need not be one of the names.
  ///   - count: The number of neighbors on each side.
  /// - Returns: At most four times `count` names.
  func neighbors(of name: String, count: Int) -> [String] {
    var seen: Set<String> = []
    let names =
      forward.neighbors(of: name, count: count)
      + backward.neighbors(of: Self.reversed(name), count: count).map(Self.reversed)
    return names.filter { seen.insert($0).inserted }
  }

  private static func reversed(_ name: String) -> String { String(name.reversed()) }
}

/// Texts in alphabetical order, in blocks of limited size, so that an insertion moves few of them.
struct SortedTexts: Sendable {
  private var blocks: [[String]] = []
  private static let blockSize = 256

  /// Creates a list.
  ///
  /// - Parameter texts: The texts in order.
  init(_ texts: [String]) {
    var start = 0
    while start < texts.count {
      let end = min(start + Self.blockSize, texts.count)
      blocks.append(Array(texts[start..<end]))
      start = end
    }
  }

  mutating func insert(_ text: String) {
    guard !blocks.isEmpty else { return blocks.append([text]) }
    let (block, place) = position(of: text)
    blocks[block].insert(text, at: place)
    if blocks[block].count > 2 * Self.blockSize {
      let half = Array(blocks[block][Self.blockSize...])
      blocks[block].removeLast(half.count)
      blocks.insert(half, at: block + 1)
    }
  }

  mutating func remove(_ text: String) {
    guard !blocks.isEmpty else { return }
    let (block, place) = position(of: text)
    guard place < blocks[block].count, blocks[block][place] == text else { return }
    blocks[block].remove(at: place)
    if blocks[block].isEmpty { blocks.remove(at: block) }
  }

  /// Returns the texts next to the place of a text, at most `count` on each side.
  func neighbors(of text: String, count: Int) -> [String] {
    guard !blocks.isEmpty else { return [] }
    let (block, place) = position(of: text)
    var after: [String] = []
    var next = (block: block, place: place)
    while after.count < count, next.block < blocks.count {
      if next.place < blocks[next.block].count {
        after.append(blocks[next.block][next.place])
        next.place += 1
      } else {
        next = (next.block + 1, 0)
      }
    }
    var before: [String] = []
    var last = (block: block, place: place)
    while before.count < count {
      if last.place > 0 {
        last.place -= 1
        before.append(blocks[last.block][last.place])
      } else if last.block > 0 {
        last = (last.block - 1, blocks[last.block - 1].count)
      } else {
        break
      }
    }
    return before + after
  }

  /// Returns the place of a text, or the one at which to insert it, by binary searches.
  private func position(of text: String) -> (block: Int, place: Int) {
    let block = Self.firstIndex(in: blocks) { block in block[block.count - 1] >= text }
    guard block < blocks.count else { return (blocks.count - 1, blocks[blocks.count - 1].count) }
    return (block, Self.firstIndex(in: blocks[block]) { $0 >= text })
  }

  /// Returns the first index whose element satisfies a condition that all later elements satisfy.
  private static func firstIndex<Element>(
    in elements: [Element], where isAfter: (Element) -> Bool
  ) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(elements[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
