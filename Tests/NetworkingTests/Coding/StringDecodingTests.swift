import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The encodings of ``StringSerializer``.
@Suite(.gated) struct StringDecodingTests {
  private func decode(_ bytes: [UInt8], _ charset: String) throws -> String {
    let response = Response(
      head: .init(status: 200, headers: ["Content-Type": "text/plain; charset=\(charset)"]),
      data: Data(bytes), request: HTTPRequest(url: .of("https://a.example/")))
    return try StringSerializer().serialize(response)
  }

  /// Every encoding of the standard with one byte for each character.
  ///
  /// The texts are Python's.
  @Test(arguments: [
    ("iso-8859-1", "áçê"), ("iso-8859-2", "áçę"), ("iso-8859-3", "áçê"), ("iso-8859-4", "áįę"),
    ("iso-8859-5", "счъ"), ("iso-8859-6", "فهي"), ("iso-8859-7", "αηκ"), ("iso-8859-8", "בחך"),
    ("iso-8859-8-i", "בחך"), ("iso-8859-9", "áçê"), ("iso-8859-10", "áįę"),
    ("iso-8859-13", "įēź"), ("iso-8859-14", "áçê"), ("iso-8859-15", "áçê"),
    ("iso-8859-16", "áçê"), ("windows-874", "แ็๊"), ("windows-1250", "áçę"),
    ("windows-1251", "бзк"), ("windows-1252", "áçê"), ("windows-1253", "αηκ"),
    ("windows-1254", "áçê"), ("windows-1255", "בחך"), ("windows-1256", "لçê"),
    ("windows-1257", "įēź"), ("windows-1258", "áçê"), ("koi8-r", "АГЙ"), ("koi8-u", "АГЙ"),
    ("x-mac-cyrillic", "бзк"), ("ibm866", "счъ"), ("cp866", "счъ"),
  ])
  func aCharsetWithSingleBytesIsDecoded(_ charset: String, _ text: String) throws {
    #expect(try decode([0xE1, 0xE7, 0xEA], charset) == text)
    #expect(try decode([0xE1, 0xE7, 0xEA], charset.uppercased()) == text)
  }

  @Test(
    arguments: [
      ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
      ("ISO-8859-15", [0xA4], "€"), ("koi8-r", [0xE1], "А"), ("gbk", [0xD6, 0xD0], "中"),
      ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"), ("big5", [0xA4, 0xA4], "中"),
      ("euc-kr", [0xC7, 0xD1], "한"), ("windows-1256", [0xC7], "ا"),
      ("windows-31j", [0x82, 0xA0], "あ"), ("iso-8859-7", [0xC1], "Α"),
      ("utf-16le", [0x61, 0x00], "a"), ("utf-16le", [0x61, 0x00, 0x62], nil),
      ("utf-16be", [0x00], nil), ("utf-16", [0xFE, 0xFF, 0x00], nil), ("utf-32le", [0x61, 0], nil),
    ] as [(String, [UInt8], String?)])
  func aCharsetOfTheEncodingStandardIsDecoded(
    _ charset: String, _ bytes: [UInt8], _ text: String?
  ) throws {
    if let text {
      #expect(try decode(bytes, charset) == text)
    } else {
      #expect(throws: NetworkError.self) { try decode(bytes, charset) }
    }
  }

  /// Texts of servers that are not the name of a charset, or have apostrophes around it.
  @Test(arguments: [
    "", "''", "\"\"", "'utf-8'", "'UTF-8'", "\"'utf-8'\"", "none", "utf8mb4", "utf-8,utf-8",
    "\"utf-8", "x-unknown", "binary", "null", "utf-8;", "UTF_8",
  ])
  func aTextThatIsNoCharsetCountsAsUTF8(_ charset: String) throws {
    #expect(try decode(Array("café 日本".utf8), charset) == "café 日本")
    #expect(throws: NetworkError.self) { try decode([0xE9], charset) }
  }

  @Test func apostrophesAroundACharsetAreIgnored() throws {
    #expect(try decode([0xE9], "'iso-8859-1'") == "é")
  }

  #if os(Linux) || canImport(Darwin)
    /// The texts are those of Node's `TextDecoder`.
    @Test(
      arguments: [
        ([0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "日本語"), (Array("ascii".utf8), "ascii"), ([], ""),
        ([0x8E, 0xB1], "ｱ"), ([0x8F, 0xB0, 0xA1], "丂"), ([0xC6], nil), ([0x8F, 0xB0], nil),
        ([0xFF, 0xFF], nil), ([0x61, 0x8E], nil), ([0xA4, 0x61], nil),
      ] as [([UInt8], String?)], ["euc-jp", "EUC-JP", "x-euc-jp"])
    func eucJPIsDecoded(_ text: ([UInt8], String?), _ charset: String) {
      #expect((try? decode(text.0, charset)) == text.1)
    }

    /// The longest output for each byte, and bytes that are not valid at the end of much text.
    @Test func aLongTextInEUCJPIsDecoded() {
      let kanji = Array(repeating: [0xC6, 0xFC] as [UInt8], count: 50_000).flatMap { $0 }
      #expect((try? decode(kanji, "euc-jp"))?.unicodeScalars.count == 50_000)
      #expect((try? decode(kanji + [0xC6], "euc-jp")) == nil)
    }
  #endif

  @Test(
    arguments: [
      ("utf-8", [0xEF, 0xBB, 0xBF]),
      ("utf-16", [0xFE, 0xFF]), ("utf-16", [0xFF, 0xFE]),
      ("utf-16be", [0xFE, 0xFF]), ("utf-16le", [0xFF, 0xFE]),
      ("utf-32", [0, 0, 0xFE, 0xFF]), ("utf-32", [0xFF, 0xFE, 0, 0]),
      ("utf-32be", [0, 0, 0xFE, 0xFF]), ("utf-32le", [0xFF, 0xFE, 0, 0]),
      ("gb18030", [0x84, 0x31, 0x95, 0x33]),
    ] as [(String, [UInt8])])
  func onlyTheFirstByteOrderMarkIsRemoved(_ charset: String, _ mark: [UInt8]) throws {
    #expect(try decode(mark, charset) == "")
    let text = try decode(mark + mark, charset)
    #expect(text.unicodeScalars.map(\.value) == [0xFEFF])
  }
}
