import CatenaSystem
package import Foundation

#if os(Linux)
  import CCatena
#endif

extension String.Encoding {
  /// Creates the encoding with a name, or returns `nil` if the name is not known.
  ///
  /// Spaces and apostrophes around the name are ignored.
  ///
  /// Most names are labels of the Encoding Standard. Unlike there, `iso-8859-1` and `us-ascii` are
  /// not names of windows-1252, so that a response that declares them is read as declared.
  ///
  /// Source: WHATWG Encoding Standard section 4.2; IANA character sets; RFC 9110 section 8.3.2.
  ///
  /// - Parameter charset: The name, in any case.
  package init?(charset: String) {
    let name = charset.trimmingCharacters(in: CharacterSet(charactersIn: " \t'")).lowercased()
    guard let encoding = Self.named[name] else { return nil }
    self = encoding
  }

  /// Returns a text in this encoding, or `nil` if the bytes are not valid.
  ///
  /// Foundation on Linux reads no text in EUC-JP, so the C library decodes it.
  ///
  /// - Parameter data: The bytes of the text.
  /// - Returns: The text.
  package func text(_ data: Data) -> String? {
    guard data.count.isMultiple(of: unitSize) else { return nil }
    #if os(Linux)
      if self == .japaneseEUC { return Self.textInEUCJP(data) }
    #endif
    return self == .utf8
      ? String(validUTF8: data) : String(data: data, encoding: self)
  }

  /// Whether the platform reads texts in this encoding.
  var isSupported: Bool {
    #if canImport(Darwin)
      true
    #elseif os(Linux)
      self != .japaneseEUC || catena_converts_from_eucjp()
    #else
      self != .japaneseEUC
    #endif
  }

  #if os(Linux)
    private static func textInEUCJP(_ data: Data) -> String? {
      data.withUnsafeBytes { bytes -> String? in
        // A character has at most twice as many bytes in UTF-8.
        let buffer = UnsafeMutableRawBufferPointer.allocate(
          byteCount: max(bytes.count * 2, 1), alignment: 1)
        defer { buffer.deallocate() }
        let count = catena_convert_from_eucjp(
          bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
        guard count >= 0, let text = String(validUTF8: buffer[..<count]),
          // The characters of vendors have other meanings in browsers.
          !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .privateUse })
        else { return nil }
        return text
      }
    }
  #endif

  /// The number of bytes that the length of a text is a multiple of.
  package var unitSize: Int {
    switch self {
    case .utf16, .utf16LittleEndian, .utf16BigEndian: 2
    case .utf32, .utf32LittleEndian, .utf32BigEndian: 4
    default: 1
    }
  }

  private static let named: [String: String.Encoding] = {
    var names: [String: String.Encoding] = [:]
    for (encoding, labels) in labels {
      for label in labels.split(separator: " ") { names[String(label)] = encoding }
    }
    return names
  }()

  /// Creates an encoding of Core Foundation.
  ///
  /// - Parameter number: The value of its `kCFStringEncoding` constant.
  private init(coreFoundation number: UInt) { self.init(rawValue: 0x8000_0000 | number) }

  private static let labels: [(String.Encoding, String)] = [
    (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    (.utf16, "utf-16"),
    (.utf16BigEndian, "utf-16be unicodefffe"),
    (.utf16LittleEndian, "utf-16le unicode csunicode iso-10646-ucs-2 ucs-2 unicodefeff"),
    (.utf32, "utf-32"),
    (.utf32BigEndian, "utf-32be"),
    (.utf32LittleEndian, "utf-32le"),
    (.ascii, "us-ascii ascii ansi_x3.4-1968"),
    (.isoLatin1, "iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 latin1 l1 cp819 ibm819"),
    (.isoLatin2, "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 l2"),
    (Self(coreFoundation: 0x203), "iso-8859-3 iso8859-3 iso88593 iso_8859-3 latin3 l3"),
    (Self(coreFoundation: 0x204), "iso-8859-4 iso8859-4 iso88594 iso_8859-4 latin4 l4"),
    (Self(coreFoundation: 0x205), "iso-8859-5 iso8859-5 iso88595 iso_8859-5 cyrillic"),
    (
      Self(coreFoundation: 0x206),
      "iso-8859-6 iso8859-6 iso88596 iso_8859-6 arabic ecma-114 asmo-708 iso-8859-6-e iso-8859-6-i"
    ),
    (
      Self(coreFoundation: 0x207),
      "iso-8859-7 iso8859-7 iso88597 iso_8859-7 greek greek8 ecma-118 elot_928 sun_eu_greek"
    ),
    (
      Self(coreFoundation: 0x208),
      "iso-8859-8 iso8859-8 iso88598 iso_8859-8 hebrew visual logical iso-8859-8-e iso-8859-8-i"
    ),
    (Self(coreFoundation: 0x209), "iso-8859-9 iso8859-9 iso88599 iso_8859-9 latin5 l5"),
    (Self(coreFoundation: 0x20A), "iso-8859-10 iso8859-10 iso885910 latin6 l6"),
    (Self(coreFoundation: 0x20D), "iso-8859-13 iso8859-13 iso885913"),
    (Self(coreFoundation: 0x20E), "iso-8859-14 iso8859-14 iso885914"),
    (Self(coreFoundation: 0x20F), "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 l9"),
    (Self(coreFoundation: 0x210), "iso-8859-16"),
    (Self(coreFoundation: 0x41D), "windows-874 dos-874 iso-8859-11 iso8859-11 tis-620"),
    (.windowsCP1250, "windows-1250 cp1250 x-cp1250"),
    (.windowsCP1251, "windows-1251 cp1251 x-cp1251"),
    (.windowsCP1252, "windows-1252 cp1252 x-cp1252"),
    (.windowsCP1253, "windows-1253 cp1253 x-cp1253"),
    (.windowsCP1254, "windows-1254 cp1254 x-cp1254"),
    (Self(coreFoundation: 0x505), "windows-1255 cp1255 x-cp1255"),
    (Self(coreFoundation: 0x506), "windows-1256 cp1256 x-cp1256"),
    (Self(coreFoundation: 0x507), "windows-1257 cp1257 x-cp1257"),
    (Self(coreFoundation: 0x508), "windows-1258 cp1258 x-cp1258"),
    (Self(coreFoundation: 0x41B), "ibm866 cp866 866 csibm866"),
    (Self(coreFoundation: 7), "x-mac-cyrillic x-mac-ukrainian"),
    (Self(coreFoundation: 0xA02), "koi8-r koi8 koi8_r koi cskoi8r"),
    (Self(coreFoundation: 0xA08), "koi8-u koi8-ru"),
    // GB18030 contains GBK and GB 2312.
    (
      Self(coreFoundation: 0x632),
      "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 iso-ir-58 x-gbk"
    ),
    (Self(coreFoundation: 0xA03), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    (.shiftJIS, "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis"),
    // Foundation on Linux reads "macintosh" as another encoding, so it is not in this list.
    (.japaneseEUC, "euc-jp x-euc-jp cseucpkdfmtjapanese"),
    (.iso2022JP, "iso-2022-jp csiso2022jp"),
    (
      Self(coreFoundation: 0x422),
      "euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
    ),
  ]
}
