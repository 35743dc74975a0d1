package import Foundation
package import Networking

/// A search for the position of a value in a JSON text.
///
/// It does not validate the text, which Foundation must have parsed before. For an invalid text,
/// the result is unspecified, but the search always ends.
struct JSONLocator {
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
  static func offset(of path: JSONValuePath, isName: Bool = false, in text: Data) -> Int {
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
  static func elementOffsets(of path: JSONValuePath, in text: Data) -> [Int] {
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

  /// Returns the kind of the value at a path, such as `a string`, or `nil` if there is none.
  static func kind(of path: JSONValuePath, in text: Data) -> String? {
    switch JSONLocator(at: path, in: text)?.next {
    case UInt8(ascii: "{"): return "an object"
    case UInt8(ascii: "["): return "an array"
    case UInt8(ascii: "\""): return "a string"
    case UInt8(ascii: "t"): return "true"
    case UInt8(ascii: "f"): return "false"
    case UInt8(ascii: "n"): return "null"
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return "a number"
    default: return nil
    }
  }

  /// Moves to a member or an element of the current value.
  ///
  /// - Returns: The position of the member name or of the element, or `nil` if it does not exist.
  private mutating func enter(_ step: JSONValuePath.Step) -> Int? {
    switch (step, next) {
    case (.member(let wanted), UInt8(ascii: "{")):
      // Foundation uses the first of several members with the same name.
      return find { name, _, _ in name == wanted }
    case (.element(let wanted), UInt8(ascii: "[")):
      return find { _, index, _ in index == wanted }
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

/// An error in a JSON document.
package struct JSONDocumentError: Error, Hashable {
  /// The path of the value from the root.
  var path = JSONValuePath()
  /// Whether the error is in the name of the member instead of its value.
  var refersToName = false
  /// The offset of the error in bytes, if the text is not JSON.
  package var offset: Int?
  /// The offset of the error in the decoded string at the path, in bytes of UTF-8.
  ///
  /// `nil` if the error is the value as a whole.
  var stringOffset: Int?
  /// A description of the expected and the actual value.
  package let text: String

  /// Returns the position of the error in the text.
  func place(in data: Data) -> TextPosition {
    let start = offset ?? JSONLocator.offset(of: path, isName: refersToName, in: data)
    guard let stringOffset else { return TextPosition(start, in: data) }
    return TextPosition(
      JSONLocator.offset(ofStringByte: stringOffset, inStringAt: start, in: data), in: data)
  }

  /// Parses a text, which must be in UTF-8 without a byte order mark; see ``text(of:)``.
  ///
  /// Foundation also accepts other encodings, but the offsets would be wrong for them. It takes a text
  /// with a NUL byte for UTF-16 or UTF-32.
  package static func json(in data: Data) throws(JSONDocumentError) -> JSON {
    guard isUTF8(data), !data.contains(0), let json = try? JSON(parsing: data) else {
      throw syntax(of: data)
    }
    return json
  }

  private static func isUTF8(_ data: Data) -> Bool {
    String(validating: data, as: UTF8.self) != nil
  }

  /// Returns the error of a text that is not JSON.
  static func syntax(of data: Data) -> JSONDocumentError {
    guard isUTF8(data) else {
      return JSONDocumentError(offset: 0, text: "expected a text in UTF-8")
    }
    if let offset = data.firstIndex(of: 0) {
      return JSONDocumentError(offset: offset, text: "expected JSON: a NUL byte")
    }
    let (offset, reason) = JSONSyntaxErrorLocator.find(in: data)
    return JSONDocumentError(offset: offset ?? 0, text: "expected JSON: \(reason)")
  }

  /// Returns the contents of a file without byte order marks at its start.
  ///
  /// Programs that join files can write several. Foundation's parser skips one, and the offsets in its
  /// errors do not count it.
  package static func text(of file: Data) -> Data {
    var text = file[...]
    while text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    return Data(text)
  }
}

/// A search for the first syntax error in a JSON text.
///
/// The position is taken from the error of Foundation's parser.
enum JSONSyntaxErrorLocator {
  /// Returns the offset of the error in bytes, if it is known, and its reason.
  static func find(in data: Data) -> (offset: Int?, reason: String) {
    var description = ""
    do {
      _ = try JSONSerialization.jsonObject(with: data)
    } catch {
      description = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
    }
    if description.contains("end of file") || data.isEmpty {
      return (data.count, "the file ends before the JSON is complete")
    }
    // In `Invalid value around character 16.` the number is an offset in bytes.
    let words = description.split(separator: " around ")
    let digits = words.count == 2 ? words[1].filter(\.isNumber) : ""
    guard let offset = Int(digits) else { return (nil, "the text is not JSON") }
    return (offset, words[0].lowercased())
  }
}

/// A line and a column in a text, counted from 1.
package struct TextPosition: Hashable {
  /// The line.
  package let line: Int
  /// The column in characters.
  package let column: Int

  /// Finds the position of an offset in bytes.
  package init(_ offset: Int, in text: Data) {
    self = TextPosition(line: 1, column: 1).advanced(over: text.prefix(offset))
  }

  private init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Returns the positions of ascending offsets after a single pass over the text.
  package static func positions(of offsets: [Int], in text: Data) -> [TextPosition] {
    var (position, end) = (TextPosition(line: 1, column: 1), 0)
    return offsets.map { offset in
      position = position.advanced(over: text.dropFirst(end).prefix(offset - end))
      end = offset
      return position
    }
  }

  private func advanced(over text: Data) -> TextPosition {
    let newline = UInt8(ascii: "\n")
    let lineBreaks = text.count { $0 == newline }
    let start = text.lastIndex(of: newline).map { $0 + 1 } ?? text.startIndex
    let count = String(decoding: text[start...], as: UTF8.self).count
    return TextPosition(line: line + lineBreaks, column: (lineBreaks > 0 ? 1 : column) + count)
  }
}
