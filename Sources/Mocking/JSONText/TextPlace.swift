import Foundation

/// A line and a column of a text, both counted from 1.
struct TextPlace: Hashable {
  let line: Int
  /// In characters, as editors count.
  let column: Int

  init(_ offset: Int, in text: Data) {
    let newline = UInt8(ascii: "\n")
    let before = text.prefix(offset)
    line = before.count { $0 == newline } + 1
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? before.startIndex
    column = String(decoding: before[start...], as: UTF8.self).count + 1
  }
}
