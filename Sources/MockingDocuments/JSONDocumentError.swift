import CatenaSystem
package import Foundation
package import Networking

/// An error in a JSON document.
package struct JSONDocumentError: Error, Hashable {
  /// The path of the value from the root.
  package let path: JSONValuePath
  /// Whether the error is in the name of the member instead of its value.
  let refersToName: Bool
  /// The offset of the error in bytes, if the text is not JSON.
  package let offset: Int?
  /// The offset of the error in the decoded string at the path, in bytes of UTF-8.
  ///
  /// `nil` if the error is the value as a whole.
  let stringOffset: Int?
  /// A description of the expected and the actual value.
  package let text: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - path: The path of the value from the root.
  ///   - refersToName: Whether the error is in the name of the member instead of its value.
  ///   - offset: The offset of the error in bytes, if the text is not JSON.
  ///   - stringOffset: The offset of the error in the decoded string at the path, in bytes of UTF-8.
  ///   - text: A description of the expected and the actual value.
  package init(
    path: JSONValuePath = [], refersToName: Bool = false, offset: Int? = nil,
    stringOffset: Int? = nil, text: String
  ) {
    self.path = path
    self.refersToName = refersToName
    self.offset = offset
    self.stringOffset = stringOffset
    self.text = text
  }

  /// Returns the position of the error in the text.
  package func place(in data: Data) -> TextPosition {
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
    String(validUTF8: data) != nil
  }

  /// Returns the error of a text that is not JSON.
  package static func syntax(of data: Data) -> JSONDocumentError {
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
private enum JSONSyntaxErrorLocator {
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

  /// Creates the position of a byte in a text.
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
