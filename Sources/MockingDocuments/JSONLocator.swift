package import Foundation
package import Networking

/// A search for the position of a value in a JSON text.
///
/// It does not validate the text, which Foundation must have parsed before. For an invalid text,
/// the result is unspecified, but the search always ends.
package struct JSONLocator {
  private let bytes: [UInt8]
  private var position = 0

  /// Creates a locator at the first byte of the root.
  private init(_ text: Data) {
    bytes = Array(text)
    skipSpace()
  }

  /// Creates a locator at the first byte of a value, or returns `nil` if the path does not exist.
  private init?(at path: JSONValuePath, in text: Data) {
    self.init(text)
    for step in path.steps where enter(step) == nil { return nil }
  }

  /// Returns the offset of the first byte of a value, or of the name of a member.
  ///
  /// - Parameters:
  ///   - path: The path from the root.
  ///   - isName: Whether to find the name of the member instead of its value.
  ///   - text: The text, in UTF-8.
  /// - Returns: The offset in bytes. If the path does not exist, the offset of the innermost value
  ///   on the path that exists.
  package static func offset(of path: JSONValuePath, isName: Bool = false, in text: Data) -> Int {
    var locator = JSONLocator(text)
    for (index, step) in path.steps.enumerated() {
      let containerPosition = locator.position
      guard let name = locator.enter(step) else { return containerPosition }
      if isName, index == path.steps.count - 1 { return name }
    }
    return locator.position
  }

  /// Returns the offset of a byte of a string in the text.
  ///
  /// - Parameters:
  ///   - position: The offset in the decoded string, in bytes of UTF-8.
  ///   - start: The offset of the opening quotation mark.
  ///   - text: The text, in UTF-8.
  /// - Returns: The offset in bytes, at most that of the closing quotation mark.
  static func offset(ofStringByte position: Int, inStringAt start: Int, in text: Data) -> Int {
    var locator = JSONLocator(text)
    guard start < text.count, locator.bytes[start] == UInt8(ascii: "\"") else { return start }
    locator.position = start + 1
    var decodedCount = 0
    while decodedCount < position, let byte = locator.next, byte != UInt8(ascii: "\"") {
      let first = locator.position
      guard byte == UInt8(ascii: "\\") else {
        locator.position += 1
        decodedCount += 1
        continue
      }
      let isUnicode = first + 1 < text.count && locator.bytes[first + 1] == UInt8(ascii: "u")
      var end = min(first + (isUnicode ? 6 : 2), text.count)
      let isHighSurrogate =
        isUnicode && end == first + 6
        && UInt16(String(decoding: locator.bytes[(first + 2)..<end], as: UTF8.self), radix: 16)
          .map(UTF16.isLeadSurrogate) == true
      if isHighSurrogate { end = min(end + 6, text.count) }
      decodedCount +=
        isUnicode
        ? Self.text([0x22] + locator.bytes[first..<end] + [0x22])?.utf8.count ?? 1 : 1
      locator.position = end
    }
    return locator.position
  }

  /// Returns the offsets of the elements of an array, in order, after a single pass over the text.
  ///
  /// - Parameters:
  ///   - path: The path of the array from the root.
  ///   - text: The text, in UTF-8.
  /// - Returns: The offsets in bytes. Empty if the path does not lead to an array.
  package static func elementOffsets(of path: JSONValuePath, in text: Data) -> [Int] {
    guard var locator = JSONLocator(at: path, in: text), locator.next == UInt8(ascii: "[") else {
      return []
    }
    var offsets: [Int] = []
    _ = locator.find { _, _, offset in
      offsets.append(offset)
      return false
    }
    return offsets
  }

  /// Moves to a member or an element of the current value.
  ///
  /// - Returns: The position of the member name or of the element, or `nil` if it does not exist.
  private mutating func enter(_ step: JSONValuePath.Step) -> Int? {
    switch (step, next) {
    case (.member(let wanted), UInt8(ascii: "{")):
      // Foundation uses the first of several members with the same name.
      return find { name, _, _ in name == wanted }
    case (_, UInt8(ascii: "[")):
      return step.index.flatMap { wanted in find { _, index, _ in index == wanted } }
    default: return nil
    }
  }

  private mutating func find(
    _ isWanted: (_ name: String?, _ index: Int, _ offset: Int) -> Bool
  ) -> Int? {
    let hasNames = next == UInt8(ascii: "{")
    position += 1
    skipSpace()
    var index = 0
    while let byte = next, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") {
      let start = position
      var name: String?
      if hasNames {
        skipString()
        name = Self.text(bytes[start..<position])
        skipSpace()
        position += 1
        skipSpace()
      }
      if isWanted(name, index, start) { return start }
      skipValue()
      skipSpace()
      if next == UInt8(ascii: ",") { position += 1 }
      skipSpace()
      index += 1
    }
    return nil
  }

  // MARK: Tokens

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func skipString() {
    position += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position + 1, bytes.count)
  }

  private mutating func skipValue() {
    var depth = 0
    repeat {
      switch next {
      case nil: return
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: skipWord()
      }
    } while depth > 0
  }

  /// Skips a number, `true`, `false` or `null`.
  private mutating func skipWord() {
    position += 1
    while let byte = next, !",:]} \t\r\n".utf8.contains(byte) { position += 1 }
  }

  /// Decodes a quoted string.
  private static func text(_ quoted: ArraySlice<UInt8>) -> String? {
    guard quoted.contains(UInt8(ascii: "\\")) else {
      return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
    return try? JSONDecoder().decode(String.self, from: Data(quoted))
  }
}
