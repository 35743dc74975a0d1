import Foundation

/// Words for a POSIX shell.
///
/// Source: POSIX.1-2017, Shell Command Language, section 2.2; `printf`, extended description.
enum ShellText {
  /// A text as one word; the shell changes nothing in it.
  static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }

  /// A command that prints bytes of any values, zero among them.
  static func printing(_ data: Data) -> String {
    var text = ""
    for byte in data {
      switch byte {
      case UInt8(ascii: "%"): text += "%%"
      case UInt8(ascii: "\\"): text += #"\\"#
      case UInt8(ascii: "'"): text += #"\047"#
      case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += String(format: "\\%03o", byte)
      }
    }
    // A format that begins with a dash would be taken for an option.
    return "printf -- '\(text)'"
  }

  /// The text of bytes that can be a word on a command line, and be pasted into a terminal; nil when they cannot.
  ///
  /// Linux takes words of up to 128 KiB.
  static func word(_ data: Data) -> String? {
    guard data.count <= 64 << 10,
      data.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") })
    else { return nil }
    return String(data: data, encoding: .utf8)
  }
}
