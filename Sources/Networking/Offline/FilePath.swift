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
