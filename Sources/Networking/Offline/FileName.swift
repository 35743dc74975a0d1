/// What something in a folder is called: bytes, which need not be text.
struct FileName: Sendable, Equatable {
  /// How many bytes a name may have on the file systems there are.
  static let limit = 255

  let bytes: [UInt8]

  /// The name as text, `U+FFFD` in the place of what is none.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Text of so many bytes at the most, cut off after a character.
  static func shortened(_ text: String, to limit: Int) -> Substring {
    var text = Substring(text)
    while text.utf8.count > limit { text.removeLast() }
    return text
  }
}
