import Networking

/// Reads a line of a head or of trailers: a name, a colon, a value.
///
/// Source: RFC 9112 section 5, RFC 9110 section 5.
enum FieldLine {
  static func parse(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> HTTPHeaders.Field {
    if let first = line.first, isSpace(first) {
      throw RequestRefusal(400, "a header line begins with a space, as folded ones did")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw RequestRefusal(400, "a header line has no colon")
    }
    let name = line[..<colon]
    guard name.isToken else { throw RequestRefusal(400, "a header's name is no token") }
    var value = line[(colon + 1)...]
    while let first = value.first, isSpace(first) { value.removeFirst() }
    while let last = value.last, isSpace(last) { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw RequestRefusal(400, "a header's value has a control character")
    }
    return HTTPHeaders.Field(name: String(decoding: name, as: UTF8.self), value: text(value))
  }

  /// UTF-8, or else Latin-1, which was the rule before: no byte is lost.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
