import Foundation

/// A `multipart/form-data` form, whose parts may be files.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Balsa Fish", name: "title")
/// form.append(file: picture, name: "picture", contentType: "image/png")
/// let request = Request.upload(multipart: form, to: "boards/\(id)/picture")
/// ```
///
/// Files are not loaded into memory. They are read while they are sent.
///
/// Source: RFC 7578.
public struct MultipartFormData: Sendable, Hashable, Codable {
  /// One field of the form.
  public struct Part: Sendable, Hashable, Codable {
    /// The source of the bytes of a part.
    public enum Content: Sendable, Hashable, Codable {
      /// Bytes in memory.
      case data(Data)
      /// A file, which is read while it is sent.
      case file(URL)
    }

    /// The name of the field.
    ///
    /// Quotation marks and line breaks are escaped.
    public var name: String
    /// The content.
    public var content: Content
    /// The file name that is sent to the server.
    ///
    /// `nil` if the part is not a file.
    public var filename: String?
    /// The media type.
    ///
    /// `nil` omits it, which means `text/plain`.
    public var contentType: String?

    /// Creates a part.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - content: The content.
    ///   - filename: The file name. `nil` if the part is not a file.
    ///   - contentType: The media type. `nil` omits it.
    public init(
      name: String, content: Content, filename: String? = nil, contentType: String? = nil
    ) {
      self.name = name
      self.content = content
      self.filename = filename
      self.contentType = contentType
    }
  }

  /// The parts, in the order in which they are sent.
  ///
  /// A name may occur more than once.
  public var parts: [Part]

  /// Creates a form.
  ///
  /// - Parameter parts: The parts, in the order in which they are sent.
  public init(_ parts: [Part] = []) {
    self.parts = parts
  }

  /// Appends a text field.
  ///
  /// - Parameters:
  ///   - text: The value, which is sent as UTF-8.
  ///   - name: The name of the field.
  public mutating func append(_ text: String, name: String) {
    parts.append(Part(name: name, content: .data(Data(text.utf8))))
  }

  /// Appends bytes with the media type of the file name extension.
  ///
  /// If there is no file name, or if its extension is unknown, the media type is
  /// `application/octet-stream`.
  ///
  /// ```swift
  /// form.append(report, name: "report", filename: "2024.pdf")   // application/pdf
  /// ```
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file.
  public mutating func append(_ data: Data, name: String, filename: String? = nil) {
    append(
      data, name: name, filename: filename,
      contentType: Self.contentType(ofFirstKnown: [filename ?? ""]))
  }

  /// Appends bytes with a given media type.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - contentType: The media type. `nil` omits it.
  public mutating func append(
    _ data: Data, name: String, filename: String? = nil, contentType: String?
  ) {
    parts.append(
      Part(name: name, content: .data(data), filename: filename, contentType: contentType))
  }

  /// Appends a file with the media type of its file name extension.
  ///
  /// The file is read when the request is sent. The extension is that of `filename` or, if that is
  /// unknown, that of the URL. If both are unknown, the media type is `application/octet-stream`.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` uses the last component of the URL's path.
  public mutating func append(file: URL, name: String, filename: String? = nil) {
    append(
      file: file, name: name, filename: filename,
      contentType: Self.contentType(ofFirstKnown: [filename ?? "", file.path]))
  }

  /// Appends a file with a given media type.
  ///
  /// The file is read when the request is sent.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` uses the last component of the URL's path.
  ///   - contentType: The media type. `nil` omits it.
  public mutating func append(
    file: URL, name: String, filename: String? = nil, contentType: String?
  ) {
    parts.append(
      Part(
        name: name, content: .file(file), filename: filename ?? file.lastPathComponent,
        contentType: contentType))
  }

  /// Returns the media type of the first path whose extension is known.
  private static func contentType(ofFirstKnown paths: [String]) -> String {
    let types = paths.lazy.compactMap {
      MediaType(fileExtension: NSString(string: $0).pathExtension)
    }
    return types.first?.description ?? "application/octet-stream"
  }
}

/// An encoder that sends parameters and files as `multipart/form-data`.
///
/// The boundary is a random string of 30 characters. If it occurs in a name or in the in-memory
/// content of a part, a new one is generated. Quotation marks, CR and LF in names are escaped in
/// the same way as in browsers.
///
/// Source: RFC 7578, RFC 2046 section 5.1, the HTML Standard section 4.10.21.8.
public struct MultipartEncoder: ParameterEncoding {
  /// The format of names and values.
  public var format: QueryFormat
  /// Generates a boundary candidate.
  ///
  /// Tests replace it with a fixed one.
  private let makeBoundary: @Sendable () -> String

  /// Creates an encoder.
  ///
  /// - Parameter format: The format of names and values.
  public init(_ format: QueryFormat = .standard) {
    self.init(format, boundary: Self.randomBoundary)
  }

  init(_ format: QueryFormat = .standard, boundary: @escaping @Sendable () -> String) {
    self.format = format
    makeBoundary = boundary
  }

  /// Encodes a dictionary with one part for each leaf.
  ///
  /// Data is sent as bytes and all other values as text. `null` becomes an empty form.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: A body with the content type `multipart/form-data`.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite, if the root is neither a
  ///   dictionary nor `null`, or if the values are nested too deeply.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    try encode(parameters, MultipartFormData())
  }

  /// Encodes parameters followed by the parts of a form.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, which become the first parts. `nil` or `null` adds none.
  ///   - form: The form whose parts follow.
  /// - Returns: A body with the content type `multipart/form-data`. The files of the form are not
  ///   read.
  /// - Throws: ``ParameterEncodingError`` as for parameters alone, and also if the content type of
  ///   a part contains a control character.
  public func encode(_ parameters: Parameters?, _ form: MultipartFormData) throws
    -> EncodedParameters
  {
    var combined = MultipartFormData()
    for field in try format.fields(of: parameters ?? .null) {
      if let data = field.data {
        combined.append(data, name: field.name)
      } else {
        combined.append(field.text, name: field.name)
      }
    }
    combined.parts += form.parts
    let boundary = uniqueBoundary(for: combined.parts)
    return .body(
      try pieces(of: combined.parts, boundary),
      contentType: "multipart/form-data; boundary=\(boundary)")
  }

  /// Returns the serialized parts.
  ///
  /// Adjacent in-memory bytes are combined into one piece.
  private func pieces(
    of parts: [MultipartFormData.Part], _ boundary: String
  ) throws -> [BodyPiece] {
    var pieces: [BodyPiece] = []
    var bytes = Data()
    for part in parts {
      bytes += try header(of: part, boundary).utf8
      switch part.content {
      case .data(let data): bytes += data
      case .file(let url):
        pieces += [.data(bytes), .file(url)]
        bytes = Data()
      }
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    return pieces + [.data(bytes)]
  }

  /// Returns the delimiter and the header fields of a part.
  private func header(of part: MultipartFormData.Part, _ boundary: String) throws -> String {
    var header = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(part.name))\""
    if let filename = part.filename { header += "; filename=\"\(escaped(filename))\"" }
    if let contentType = part.contentType {
      guard HTTPHeaders.isValid(value: contentType) else {
        throw ParameterEncodingError(
          keyPath: part.name, reason: "has a control character in its content type")
      }
      header += "\r\nContent-Type: \(contentType)"
    }
    return header + "\r\n\r\n"
  }

  private func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "%22".utf8
      case UInt8(ascii: "\r"): bytes += "%0D".utf8
      case UInt8(ascii: "\n"): bytes += "%0A".utf8
      case 0: bytes += "%00".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func uniqueBoundary(for parts: [MultipartFormData.Part]) -> String {
    var boundary = makeBoundary()
    while parts.contains(where: { $0.containsInMemory(boundary) }) { boundary = makeBoundary() }
    return boundary
  }

  /// Returns 120 random bits as 30 hexadecimal digits.
  ///
  /// Files are not searched for the boundary. The probability of a match is negligible.
  private static let randomBoundary: @Sendable () -> String = {
    let random = [UInt64.random(in: 0..<1 << 60), UInt64.random(in: 0..<1 << 60)]
    return random.map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 15 - digits.count) + digits
    }.joined()
  }
}

extension MultipartFormData.Part {
  /// Whether the name, the file name or the in-memory content contains the boundary.
  fileprivate func containsInMemory(_ boundary: String) -> Bool {
    if name.contains(boundary) || filename?.contains(boundary) == true { return true }
    guard case .data(let data) = content else { return false }
    return data.range(of: Data(boundary.utf8)) != nil
  }
}
