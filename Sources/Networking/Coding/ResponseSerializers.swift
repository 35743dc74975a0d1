import Foundation

/// Makes a value of a response.
public protocol ResponseSerializing<Output>: Sendable {
  /// What it makes.
  associatedtype Output: Sendable

  /// Makes the value.
  ///
  /// It runs on the thread that settles the promise, and must not block.
  ///
  /// - Parameter response: the response, whole: status, headers and data.
  /// - Returns: the value.
  /// - Throws: any error; the promise is rejected with that.
  func serialize(_ response: Response) throws -> Output
}

/// Makes a `Decodable` value of a JSON body.
///
/// Of a response without a body (204, 205, or an empty one) an `Optional` becomes nil and an
/// ``EmptyResponse`` itself; anything else fails with ``NetworkError/Code-swift.enum/noData``.
public struct DecodableSerializer<Output: Decodable & Sendable>: ResponseSerializing {
  private let decoder: JSONDecoder

  /// Makes a serializer.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - decoder: what reads the body; not to be changed any more. The plain one when nil.
  public init(_ type: Output.Type = Output.self, decoder: JSONDecoder? = nil) {
    self.decoder = decoder ?? Self.plainDecoder
  }

  /// Decodes the body.
  ///
  /// - Parameter response: the response.
  /// - Returns: the value.
  /// - Throws: ``NetworkError`` of the code `decodingFailed`, with the decoder's own error beneath, or
  ///   `noData`.
  public func serialize(_ response: Response) throws -> Output {
    guard !response.hasNoBody else { return try Self.empty(response) }
    do {
      return try decoder.decode(Output.self, from: response.data)
    } catch {
      throw NetworkError(.decodingFailed, response, underlying: error)
    }
  }

  private static func empty(_ response: Response) throws -> Output {
    if let empty = EmptyResponse() as? Output { return empty }
    if let optional = Output.self as? any ExpressibleByNilLiteral.Type,
      let none = optional.init(nilLiteral: ()) as? Output
    {
      return none
    }
    throw NetworkError(.noData, response)
  }
}

/// The decoder of everybody who names none; made once, never changed.
private let sharedDecoder = JSONDecoder()

extension DecodableSerializer {
  fileprivate static var plainDecoder: JSONDecoder { sharedDecoder }
}

extension Response {
  /// Whether there is nothing to decode: an empty body, or a status that has none.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.3.6.
  var hasNoBody: Bool { data.isEmpty || status == 204 || status == 205 }
}

/// Makes a ``JSON`` value of a body.
public struct JSONSerializer: ResponseSerializing {
  /// Makes a serializer.
  public init() {}

  /// Parses the body.
  ///
  /// - Parameter response: the response.
  /// - Returns: the value.
  /// - Throws: ``NetworkError`` of the code `jsonFailed` when the body is no JSON, or `noData` when it is
  ///   empty.
  public func serialize(_ response: Response) throws -> JSON {
    guard !response.hasNoBody else { throw NetworkError(.noData, response) }
    do {
      return try JSON(parsing: response.data)
    } catch {
      throw NetworkError(.jsonFailed, response, underlying: error)
    }
  }
}

/// What a response without a body decodes to, for an endpoint that answers with nothing.
public struct EmptyResponse: Sendable, Hashable, Codable {
  /// Nothing.
  public init() {}
}

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
