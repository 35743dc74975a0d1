import Foundation
import Networking

/// Finds where in a JSON text a value stands.
///
/// It only skips over tokens, and is for a text that Foundation has read already; of any other it finds
/// something or nothing, and comes to its end.
struct JSONLocator {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: Data) {
    bytes = Array(text)
  }

  /// The offset of a value's first byte, or of the name of the member that it is.
  ///
  /// - Parameters:
  ///   - path: the path from the root.
  ///   - isName: whether the name is looked for, not the value.
  ///   - text: the text, in UTF-8.
  /// - Returns: the offset in bytes; that of the value around it where the path leads nowhere.
  static func offset(of path: JSONValuePath, isName: Bool = false, in text: Data) -> Int {
    var locator = JSONLocator(text)
    locator.skipSpace()
    for (index, step) in path.steps.enumerated() {
      let around = locator.position
      guard let name = locator.enter(step) else { return around }
      if isName, index == path.steps.count - 1 { return name }
    }
    return locator.position
  }

  /// What kind of value is at a path, `a string`; nil where there is none.
  static func kind(of path: JSONValuePath, in text: Data) -> String? {
    var locator = JSONLocator(text)
    locator.skipSpace()
    for step in path.steps where locator.enter(step) == nil { return nil }
    switch locator.next {
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

  /// Moves to a member or element of the value here; returns where its name is, or it itself, or nil
  /// where it is not there.
  private mutating func enter(_ step: JSONValuePath.Step) -> Int? {
    switch (step, next) {
    case (.member(let wanted), UInt8(ascii: "{")):
      // Of members of the same name Foundation takes the first.
      return find { name, _ in name == wanted }
    case (.element(let wanted), UInt8(ascii: "[")):
      return find { _, index in index == wanted }
    default: return nil
    }
  }

  private mutating func find(_ isWanted: (_ name: String?, _ index: Int) -> Bool) -> Int? {
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
      if isWanted(name, index) { return start }
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

  /// A number, `true`, `false` or `null`.
  private mutating func skipWord() {
    position += 1
    while let byte = next, !",:]} \t\r\n".utf8.contains(byte) { position += 1 }
  }

  /// What a string in quotes says.
  private static func text(_ quoted: ArraySlice<UInt8>) -> String? {
    guard quoted.contains(UInt8(ascii: "\\")) else {
      return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
    return try? JSONDecoder().decode(String.self, from: Data(quoted))
  }
}

/// A mistake in a JSON text.
struct JSONDocumentError: Error, Hashable {
  /// Where it is, as the value is reached from the root.
  var path = JSONValuePath()
  /// Whether it is the name of the member that is wrong, not its value.
  var refersToName = false
  /// Where it is in bytes, in a text without values.
  var offset: Int?
  /// What was expected, and what is there.
  let text: String

  /// Where it is in the text.
  func place(in data: Data) -> TextPosition {
    TextPosition(offset ?? JSONLocator.offset(of: path, isName: refersToName, in: data), in: data)
  }

  /// Why a text that cannot be read as JSON is none.
  static func syntax(of data: Data) -> JSONDocumentError {
    // Foundation guesses at other encodings, in which places would mean something else.
    guard String(validating: data, as: UTF8.self) != nil else {
      return JSONDocumentError(offset: 0, text: "expected a text in UTF-8")
    }
    let (offset, reason) = JSONSyntaxErrorLocator.find(in: data)
    return JSONDocumentError(offset: offset ?? 0, text: "expected JSON: \(reason)")
  }

  /// The text of a file, without a byte order mark.
  static func text(of file: Data) -> Data {
    Data(file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file)
  }
}

/// Where a JSON text stops being one, as Foundation's reader tells it.
enum JSONSyntaxErrorLocator {
  /// The place as a count of bytes before it, where it is known, and what is wrong there.
  static func find(in data: Data) -> (offset: Int?, reason: String) {
    var description = ""
    do {
      _ = try JSONSerialization.jsonObject(with: data)
    } catch {
      description = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
    }
    if description.contains("end of file") || data.isEmpty {
      return (data.count, "the file ends too soon")
    }
    // `Invalid value around character 16.`: a count of bytes.
    let words = description.split(separator: " around ")
    let digits = words.count == 2 ? words[1].filter(\.isNumber) : ""
    guard let offset = Int(digits) else { return (nil, "it is something else") }
    return (offset, words[0].lowercased())
  }
}

/// A line and a column of a text, both counted from 1.
struct TextPosition: Hashable {
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
