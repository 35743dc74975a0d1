import Foundation

/// A rewriter of JSON texts for `JSONSerialization`, which keeps the last member of an object with a
/// name, and on Linux leaves out a byte order mark at the start of a string.
///
/// The normalized text has only the first member with each name, and escapes such marks. The rewriter
/// makes one pass, without recursion. It does not check the text, which `JSONSerialization` must have
/// parsed before.
struct JSONTextNormalizer {
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// An array or an object around the current position.
  private struct Level {
    /// The names of the members so far.
    ///
    /// `nil` for an array.
    var names: Set<String>?
    /// Whether the next string is the name of a member.
    var expectsName: Bool
    /// The length of the output before the last comma.
    var comma = 0
  }

  private let text: [UInt8]
  private var output: [UInt8] = []
  private var levels: [Level] = []
  /// The number of levels around the repeated member that is being left out.
  private var omittedDepth: Int?
  /// The number of bytes that were read, with repetitions.
  private(set) var stepCount = 0
  /// Whether an object of the text has a name more than once.
  private(set) var hasRepeatedNames = false

  /// Creates a rewriter.
  ///
  /// - Parameter text: A valid text, in UTF-8, UTF-16 or UTF-32.
  init(_ text: Data) { self.text = Array(Self.utf8(text)) }

  /// Returns the normalized text in UTF-8.
  mutating func normalized() -> Data {
    output.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = text[position]
      var end = position + 1
      switch byte {
      case UInt8(ascii: "\""):
        end = stringEnd(from: end)
        appendString(text[(position + 1)..<(end - 1)])
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        levels.append(Level(names: isObject ? [] : nil, expectsName: isObject))
        append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if omittedDepth == levels.count { omittedDepth = nil }
        _ = levels.popLast()
        append(byte)
      case UInt8(ascii: ","):
        if omittedDepth == levels.count { omittedDepth = nil }
        if let last = levels.indices.last, omittedDepth == nil {
          levels[last].comma = output.count
          levels[last].expectsName = levels[last].names != nil
        }
        append(byte)
      default: append(byte)
      }
      stepCount += end - position
      position = end
    }
    return Data(output)
  }

  private mutating func append(_ byte: UInt8) {
    if omittedDepth == nil { output.append(byte) }
  }

  /// Returns the position after the closing quotation mark of a string.
  private func stringEnd(from start: Int) -> Int {
    var position = start
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, text.count)
  }

  /// Appends a string, or begins to leave out a member if the string is its repeated name.
  private mutating func appendString(_ content: ArraySlice<UInt8>) {
    guard omittedDepth == nil else { return }
    var quoted = [UInt8(ascii: "\"")]
    if content.starts(with: Self.byteOrderMark) {
      quoted += #"\uFEFF"#.utf8
      quoted += content.dropFirst(Self.byteOrderMark.count)
    } else {
      quoted += content
    }
    quoted.append(UInt8(ascii: "\""))
    if let last = levels.indices.last, levels[last].expectsName {
      levels[last].expectsName = false
      if levels[last].names?.insert(Self.string(quoted)).inserted == false {
        hasRepeatedNames = true
        omittedDepth = levels.count
        output.removeSubrange(levels[last].comma...)
        return
      }
    }
    output += quoted
    stepCount += quoted.count
  }

  /// Returns the value of a string in quotation marks.
  private static func string(_ quoted: [UInt8]) -> String {
    if quoted.contains(UInt8(ascii: "\\")),
      let value = try? JSONSerialization.jsonObject(
        with: Data(quoted), options: .fragmentsAllowed) as? String
    {
      return value
    }
    return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Returns a text in UTF-8.
  ///
  /// A text in another encoding begins with a byte order mark or with an ASCII character, whose zero
  /// bytes tell the encoding.
  ///
  /// Source: RFC 4627 section 3.
  private static func utf8(_ text: Data) -> Data {
    let start = Array(text.prefix(4))
    let encoding: String.Encoding
    switch start.map({ $0 == 0 }) {
    case _ where start.starts(with: [0, 0, 0xFE, 0xFF]) || start == [0xFF, 0xFE, 0, 0]:
      encoding = .utf32
    case _ where start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]):
      encoding = .utf16
    case [true, true, true, false]: encoding = .utf32BigEndian
    case [false, true, true, true]: encoding = .utf32LittleEndian
    case let zeros where zeros.first == true: encoding = .utf16BigEndian
    case let zeros where zeros.dropFirst().first == true: encoding = .utf16LittleEndian
    default: return text
    }
    return String(data: text, encoding: encoding).map { Data($0.utf8) } ?? text
  }
}
