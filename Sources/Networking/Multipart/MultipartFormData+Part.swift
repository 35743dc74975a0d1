public import Foundation

extension MultipartFormData {
  /// A part of a multipart body, such as a field of a form.
  public struct Part: Sendable, Hashable {
    /// The source of the bytes of a part.
    public enum Content: Sendable, Hashable {
      /// Bytes in memory.
      case data(Data)
      /// A file, which is read while it is sent.
      case file(URL)
      /// A stream, whose bytes are produced while they are sent.
      case stream(BodyStream)
    }

    /// The name of the field.
    ///
    /// A form cannot be encoded if one of its parts has no name. A part of another kind of body
    /// needs none.
    ///
    /// In a form, quotation marks and line breaks are escaped in the same way as in browsers.
    public var name: String?
    /// The content.
    public var content: Content
    /// The file name that is sent to the server.
    ///
    /// `nil` if the part is not a file.
    public var filename: String?
    /// The media type.
    ///
    /// `nil` omits it, which means `text/plain`. A field `Content-Type` in ``headers`` overrides
    /// it.
    public var contentType: String?
    /// Further header fields of the part, such as `Content-ID`.
    ///
    /// A form cannot be encoded if they contain `Content-Disposition`. In another kind of body that
    /// field replaces the one with the name and the file name.
    public var headers: HTTPHeaders

    /// Creates a part.
    ///
    /// - Parameters:
    ///   - name: The name of the field. A part of a form needs one.
    ///   - content: The content.
    ///   - filename: The file name. `nil` if the part is not a file.
    ///   - contentType: The media type. `nil` omits it.
    ///   - headers: Further header fields.
    public init(
      name: String? = nil, content: Content, filename: String? = nil, contentType: String? = nil,
      headers: HTTPHeaders = [:]
    ) {
      self.name = name
      self.content = content
      self.filename = filename
      self.contentType = contentType
      self.headers = headers
    }
  }
}

extension MultipartFormData.Part: ExpressibleByStringInterpolation {
  /// Creates a text part from a literal.
  ///
  /// - Parameter value: The text, which is sent as UTF-8.
  public init(stringLiteral value: String) { self = .text(value) }
}

// MARK: - Factories

extension MultipartFormData.Part {
  /// Creates a part with a text.
  ///
  /// - Parameters:
  ///   - text: The text, which is sent as UTF-8.
  ///   - name: The name of the field. A part of a form needs one.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - type: The media type, such as `.text(.html)`. A type `text` without a `charset` is sent
  ///     with `charset=utf-8`. `nil` omits it, which means `text/plain`.
  ///   - headers: Further header fields.
  ///   - normalizingLineBreaks: Whether each CR and each LF that stands alone becomes CR LF, as in
  ///     a form that a browser sends. Otherwise the text is sent without any change.
  /// - Returns: The part.
  public static func text(
    _ text: String, name: String? = nil, filename: String? = nil, type: MediaType? = nil,
    headers: HTTPHeaders = [:], normalizingLineBreaks: Bool = false
  ) -> Self {
    var contentType = type?.headerValue
    if let type, type.type == "text", type.parameters["charset"] == nil {
      contentType?.append("; charset=utf-8")
    }
    let bytes = normalizingLineBreaks ? Data(text.utf8.normalizingLineBreaks) : Data(text.utf8)
    return Self(
      name: name, content: .data(bytes), filename: filename, contentType: contentType,
      headers: headers)
  }

  /// Creates a part with a value as JSON, of the type `application/json`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the field. A part of a form needs one.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - headers: Further header fields. `Content-Type` overrides the media type.
  ///   - encoder: The encoder.
  /// - Returns: The part.
  /// - Throws: The errors of the encoder.
  public static func json(
    _ value: some Encodable, name: String? = nil, filename: String? = nil,
    headers: HTTPHeaders = [:], encoder: JSONEncoder = JSONEncoder()
  ) throws -> Self {
    Self(
      name: name, content: .data(try encoder.encode(value)), filename: filename,
      contentType: MediaType.json.headerValue, headers: headers)
  }

  /// Creates a part with bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field. A part of a form needs one.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - type: The media type, such as `.image(.jpeg)`. `nil` uses that of the file name extension
  ///     or, if it is unknown, `application/octet-stream`.
  ///   - headers: Further header fields.
  /// - Returns: The part.
  public static func data(
    _ data: Data, name: String? = nil, filename: String? = nil, type: MediaType? = nil,
    headers: HTTPHeaders = [:]
  ) -> Self {
    Self(
      name: name, content: .data(data), filename: filename,
      contentType: contentType(type, ofFirstKnown: [filename ?? ""]), headers: headers)
  }

  /// Creates a part with a file, which is read while it is sent.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - name: The name of the field. A part of a form needs one.
  ///   - filename: The file name. `nil` uses the last component of the URL's path.
  ///   - type: The media type, such as `.video(.mov)`. `nil` uses that of the extension of
  ///     `filename` or of the URL or, if both are unknown, `application/octet-stream`.
  ///   - headers: Further header fields.
  /// - Returns: The part.
  public static func file(
    _ file: URL, name: String? = nil, filename: String? = nil, type: MediaType? = nil,
    headers: HTTPHeaders = [:]
  ) -> Self {
    Self(
      name: name, content: .file(file), filename: filename ?? file.lastPathComponent,
      contentType: contentType(type, ofFirstKnown: [filename ?? "", file.path]), headers: headers)
  }

  /// Creates a part with a stream, whose bytes are produced while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - name: The name of the field. A part of a form needs one.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - type: The media type. `nil` uses that of the file name extension or, if it is unknown,
  ///     `application/octet-stream`.
  ///   - headers: Further header fields.
  /// - Returns: The part.
  public static func stream(
    _ stream: BodyStream, name: String? = nil, filename: String? = nil, type: MediaType? = nil,
    headers: HTTPHeaders = [:]
  ) -> Self {
    Self(
      name: name, content: .stream(stream), filename: filename,
      contentType: contentType(type, ofFirstKnown: [filename ?? ""]), headers: headers)
  }

  /// Returns a media type or, without one, that of the first path whose extension is known.
  private static func contentType(_ type: MediaType?, ofFirstKnown paths: [String]) -> String {
    let types = paths.lazy.compactMap {
      MediaType(fileExtension: NSString(string: $0).pathExtension)
    }
    return (type ?? types.first ?? .octetStream).headerValue
  }
}

extension Collection<UInt8> {
  /// The bytes with CR LF in place of each CR and each LF that stands alone.
  var normalizingLineBreaks: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var previous: UInt8 = 0
    for byte in self {
      if byte == 0x0A, previous != 0x0D { bytes.append(0x0D) }
      if previous == 0x0D, byte != 0x0A { bytes.append(0x0A) }
      bytes.append(byte)
      previous = byte
    }
    if previous == 0x0D { bytes.append(0x0A) }
    return bytes
  }
}
