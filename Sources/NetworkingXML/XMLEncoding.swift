import CatenaSystem
import Foundation
import Networking

/// A converter of documents to UTF-8.
///
/// The encoding is that of the byte order mark, otherwise the charset of the media type if it is known,
/// otherwise that of the encoding declaration, otherwise UTF-8. So the parser and the checks before it read the same
/// text, whatever the declaration says.
///
/// Source: RFC 7303 section 3; Extensible Markup Language (XML) 1.0, section 4.3.3 and appendix F.
struct XMLEncoding {
  /// The start of a document, in which the encoding declaration must be.
  private static let declarationLimit = 1_024

  /// Returns a document in UTF-8 without a byte order mark.
  ///
  /// - Parameters:
  ///   - data: The document.
  ///   - charset: The charset of the media type. `nil` if it has none.
  /// - Returns: The bytes, which are valid UTF-8.
  /// - Throws: ``XMLError`` with the code `encoding`.
  static func utf8(_ data: Data, charset: String?) throws(XMLError) -> Data {
    let start = [UInt8](data.prefix(4))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { return try validated(data.dropFirst(3)) }
    if let (encoding, mark) = markedEncoding(start) {
      return try converted(data.dropFirst(mark), from: encoding, name: "UTF-16 or UTF-32")
    }
    if let charset, encoding(named: charset) != nil {
      return try converted(data, charset: charset)
    }
    if let encoding = unmarkedEncoding(start) {
      return try converted(data, from: encoding, name: "UTF-16 or UTF-32")
    }
    if start == [0x4C, 0x6F, 0xA7, 0x94] {
      throw XMLError(.encoding, "the encoding EBCDIC is not supported")
    }
    guard let declared = declaredEncoding(data) else { return try validated(data) }
    if let encoding = encoding(named: declared), encoding.unitSize > 1 {
      throw XMLError(.encoding, "the text is not in the declared encoding \(quoted(declared))")
    }
    return try converted(data, charset: declared)
  }

  /// Returns a text in UTF-8 with a line feed in place of each other line end.
  ///
  /// libxml2 2.9 does not normalize the line ends of CDATA sections.
  ///
  /// Source: Extensible Markup Language (XML) 1.0, section 2.11.
  static func withNormalizedLineEnds(_ text: Data) -> Data {
    guard text.contains(0x0D) else { return text }
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    text.withUnsafeBytes { bytes in
      for (position, byte) in bytes.enumerated() {
        if byte != 0x0D {
          output.append(byte)
        } else if position + 1 == bytes.count || bytes[position + 1] != 0x0A {
          output.append(0x0A)
        }
      }
    }
    return Data(output)
  }

  /// The encoding of a byte order mark, and the number of its bytes.
  private static func markedEncoding(_ start: [UInt8]) -> (String.Encoding, Int)? {
    // The mark of UTF-32 in little endian starts with that of UTF-16.
    if start == [0xFF, 0xFE, 0, 0] { return (.utf32LittleEndian, 4) }
    if start == [0, 0, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
    if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    return nil
  }

  /// The encoding of a document that starts with `<` in an encoding with units of several bytes.
  private static func unmarkedEncoding(_ start: [UInt8]) -> String.Encoding? {
    guard start.count >= 2 else { return nil }
    if start == [0x3C, 0, 0, 0] { return .utf32LittleEndian }
    if start == [0, 0, 0, 0x3C] { return .utf32BigEndian }
    if start[0] == 0x3C, start[1] == 0 { return .utf16LittleEndian }
    if start[0] == 0, start[1] == 0x3C { return .utf16BigEndian }
    return nil
  }

  /// The name in the encoding declaration of a document whose encoding contains ASCII, or `nil`.
  private static func declaredEncoding(_ data: Data) -> String? {
    let start = data.prefix(declarationLimit)
    guard start.starts(with: "<?xml".utf8), let end = start.range(of: Data("?>".utf8)) else {
      return nil
    }
    let declaration = String(decoding: start[..<end.lowerBound], as: UTF8.self)
    let match = declaration.firstMatch(of: /\sencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/)
    return (match?.1 ?? match?.2).map(String.init)
  }

  private static func encoding(named name: String) -> String.Encoding? {
    switch name.lowercased() {
    // Without a byte order mark, RFC 2781 section 4.3 reads UTF-16 as big endian.
    case "utf-16": .utf16BigEndian
    case "utf-32": .utf32BigEndian
    default: String.Encoding(charset: name)
    }
  }

  private static func converted(_ data: Data, charset: String) throws(XMLError) -> Data {
    guard let encoding = encoding(named: charset) else {
      throw XMLError(.encoding, "the encoding \(quoted(charset)) is not supported")
    }
    return try converted(data, from: encoding, name: quoted(charset))
  }

  private static func converted(
    _ data: Data, from encoding: String.Encoding, name: String
  ) throws(XMLError) -> Data {
    if encoding == .utf8 { return try validated(data) }
    guard encoding != .ascii || data.allSatisfy({ $0 < 0x80 }),
      let text = encoding.text(Data(data))
    else { throw XMLError(.encoding, "the document is not valid text in \(name)") }
    return Data(text.utf8)
  }

  private static func validated(_ data: Data) throws(XMLError) -> Data {
    guard data.withUnsafeBytes({ String(validUTF8: $0) }) != nil else {
      throw XMLError(.encoding, "the document is not valid text in UTF-8")
    }
    return data
  }

  /// The start of a name from the document, in quotes, without control characters.
  private static func quoted(_ name: String) -> String {
    String(name.unicodeScalars.prefix(40)).debugDescription
  }
}
