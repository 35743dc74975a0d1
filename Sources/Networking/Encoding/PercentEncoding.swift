/// The two ways in which text gets into a URL or a form.
enum PercentEncoding {
  /// Everything but the unreserved characters.
  ///
  /// Source: RFC 3986 section 2.3.
  case url
  /// `application/x-www-form-urlencoded`: a space is `+`, and `~` is encoded, `*` not.
  ///
  /// Source: the URL Standard (WHATWG) section 5.2.
  case form

  /// Appends text, encoded.
  func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if keeps(byte) {
        bytes.append(byte)
      } else if self == .form, byte == UInt8(ascii: " ") {
        bytes.append(UInt8(ascii: "+"))
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(Self.hexDigit(byte >> 4))
        bytes.append(Self.hexDigit(byte & 15))
      }
    }
  }

  /// Text, encoded; itself where nothing has to be.
  func encoded(_ text: String) -> String {
    if text.utf8.areAll({ keeps($0) }) { return text }
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func keeps(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    case UInt8(ascii: "~"): self == .url
    case UInt8(ascii: "*"): self == .form
    default: false
    }
  }

  /// The digit of a number up to 15, in upper case.
  static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
