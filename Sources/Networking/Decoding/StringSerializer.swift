import Foundation

/// Makes text of a body.
///
/// The encoding is the one given, or else the `charset` of the content type, or else UTF-8. A byte order
/// mark is left out.
public struct StringSerializer: ResponseSerializing {
  private let encoding: String.Encoding?

  /// Makes a serializer.
  ///
  /// - Parameter encoding: the encoding whatever the response says; nil goes by the response.
  public init(encoding: String.Encoding? = nil) {
    self.encoding = encoding
  }

  /// Reads the body as text; an empty one is an empty text.
  ///
  /// - Parameter response: the response.
  /// - Returns: the text.
  /// - Throws: ``NetworkError`` of the code `stringFailed` when the bytes are none in the encoding, or the
  ///   response names an encoding that is not known.
  public func serialize(_ response: Response) throws -> String {
    let charset = response.contentType?.parameters["charset"]
    guard let encoding = encoding ?? Self.encoding(named: charset) else {
      throw NetworkError(.stringFailed, response, "the charset \"\(charset ?? "")\" is not known")
    }
    guard var text = String(data: response.data, encoding: encoding) else {
      throw NetworkError(.stringFailed, response, "the body is no text in \(encoding)")
    }
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return text
  }

  /// The encoding that a name of the IANA's registry stands for; UTF-8 for none.
  ///
  /// Source: IANA character sets; RFC 9110 section 8.3.2.
  private static func encoding(named name: String?) -> String.Encoding? {
    switch name?.lowercased() {
    case nil, "utf-8", "utf8": .utf8
    case "us-ascii", "ascii": .ascii
    case "iso-8859-1", "latin1", "iso_8859-1": .isoLatin1
    case "iso-8859-2", "latin2": .isoLatin2
    case "utf-16": .utf16
    case "utf-16be": .utf16BigEndian
    case "utf-16le": .utf16LittleEndian
    case "utf-32": .utf32
    case "windows-1250": .windowsCP1250
    case "windows-1251": .windowsCP1251
    case "windows-1252", "cp1252": .windowsCP1252
    case "windows-1253": .windowsCP1253
    case "windows-1254": .windowsCP1254
    case "macintosh": .macOSRoman
    case "shift_jis", "shift-jis": .shiftJIS
    case "euc-jp": .japaneseEUC
    case "iso-2022-jp": .iso2022JP
    default: nil
    }
  }
}
