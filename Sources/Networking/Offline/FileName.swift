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

/// Where something is, as the system has it.
struct FilePath: Sendable {
  /// With the 0 at its end.
  let bytes: [CChar]

  init(_ text: String) {
    bytes = Array(text.utf8CString)
  }

  private init(bytes: [CChar]) {
    self.bytes = bytes
  }

  static func / (folder: FilePath, name: FileName) -> FilePath {
    let name = name.bytes.map(CChar.init(bitPattern:))
    return FilePath(
      bytes: folder.bytes.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name + [0])
  }
}
