import Foundation

/// A form with parts that may be files.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Balsa Fish", name: "title")
/// form.append(file: picture, name: "picture", contentType: "image/png")
/// let request = Request.upload(multipart: form, to: "boards/\(id)/picture")
/// ```
///
/// Files are not read into memory: they are read as they are sent.
///
/// Source: RFC 7578.
public struct MultipartFormData: Sendable, Hashable, Codable {
  /// One field of the form.
  public struct Part: Sendable, Hashable, Codable {
    /// Where the bytes of a part are.
    public enum Content: Sendable, Hashable, Codable {
      /// In memory.
      case data(Data)
      /// In a file, read as they are sent.
      case file(URL)
    }

    /// The field's name; any text, quotes and line breaks are escaped.
    public var name: String
    /// The bytes.
    public var content: Content
    /// What the file is called, for the server; nil when the part is no file.
    public var filename: String?
    /// The media type; nil leaves it out, which means `text/plain`.
    public var contentType: String?

    /// Makes a part.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - content: the bytes.
    ///   - filename: what the file is called; nil when the part is no file.
    ///   - contentType: the media type; nil leaves it out.
    public init(
      name: String, content: Content, filename: String? = nil, contentType: String? = nil
    ) {
      self.name = name
      self.content = content
      self.filename = filename
      self.contentType = contentType
    }
  }

  /// The parts, in the order in which they are sent; a name may occur more than once.
  public var parts: [Part]

  /// Makes a form.
  ///
  /// - Parameter parts: its parts in order.
  public init(_ parts: [Part] = []) {
    self.parts = parts
  }

  /// Adds a field of text.
  ///
  /// - Parameters:
  ///   - text: the value, sent as UTF-8.
  ///   - name: the field's name.
  public mutating func append(_ text: String, name: String) {
    parts.append(Part(name: name, content: .data(Data(text.utf8))))
  }

  /// Adds bytes.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - name: the field's name.
  ///   - filename: what the file is called; nil when it is none.
  ///   - contentType: the media type.
  public mutating func append(
    _ data: Data, name: String, filename: String? = nil,
    contentType: String? = "application/octet-stream"
  ) {
    parts.append(
      Part(name: name, content: .data(data), filename: filename, contentType: contentType))
  }

  /// Adds a file, which is read when the request is sent, of the type that its name's ending says.
  ///
  /// - Parameters:
  ///   - file: the file's URL; a type that its ending does not say is `application/octet-stream`.
  ///   - name: the field's name.
  ///   - filename: what the file is called; nil takes the last part of its path.
  public mutating func append(file: URL, name: String, filename: String? = nil) {
    let type = MediaType(fileExtension: file.pathExtension)?.description
    append(
      file: file, name: name, filename: filename, contentType: type ?? "application/octet-stream")
  }

  /// Adds a file of a certain type, which is read when the request is sent.
  ///
  /// - Parameters:
  ///   - file: the file's URL.
  ///   - name: the field's name.
  ///   - filename: what the file is called; nil takes the last part of its path.
  ///   - contentType: the media type; nil leaves it out.
  public mutating func append(
    file: URL, name: String, filename: String? = nil, contentType: String?
  ) {
    parts.append(
      Part(
        name: name, content: .file(file), filename: filename ?? file.lastPathComponent,
        contentType: contentType))
  }
}

/// Sends parameters and files as `multipart/form-data`.
///
/// The boundary is random, of 30 characters, and made anew should it occur in what is in memory; in
/// quotes, CR and LF of names are escaped as browsers do it.
///
/// Source: RFC 7578, RFC 2046 section 5.1, the HTML Standard section 4.10.21.8.
public struct MultipartEncoder: ParameterEncoding {
  /// How the tree becomes flat names.
  public var naming: FieldNaming
  /// Gives a boundary to try; for tests that want to know it.
  private let boundary: @Sendable () -> String

  /// Makes an encoder.
  ///
  /// - Parameter naming: how the tree becomes flat names.
  public init(naming: FieldNaming = FieldNaming()) {
    self.init(naming: naming, boundary: Self.randomBoundary)
  }

  init(naming: FieldNaming = FieldNaming(), boundary: @escaping @Sendable () -> String) {
    self.naming = naming
    self.boundary = boundary
  }

  /// Encodes a dictionary, each leaf as a field of its own; data as bytes, everything else as text.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a body of the type `multipart/form-data`.
  /// - Throws: ``ParameterEncodingError`` for a number that is not finite, and for a root that is not
  ///   a dictionary.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    try encode(parameters, MultipartFormData())
  }

  /// Encodes parameters as fields, and a form behind them.
  ///
  /// - Parameters:
  ///   - parameters: the fields to come first; nil or null is none.
  ///   - form: the parts to follow.
  /// - Returns: a body of the type `multipart/form-data`; its files are not read.
  /// - Throws: ``ParameterEncodingError`` as for parameters alone, and for a CR, LF or NUL in the
  ///   content type of a part.
  public func encode(_ parameters: Parameters?, _ form: MultipartFormData) throws
    -> EncodedParameters
  {
    var all = MultipartFormData()
    try naming.forEachLeaf(of: parameters ?? .null) { name, leaf in
      if case .data(let data) = leaf {
        all.append(data, name: name)
      } else {
        all.append(try naming.text(of: leaf, name: name), name: name)
      }
    }
    all.parts += form.parts
    let boundary = uniqueBoundary(all.parts)
    return .body(
      try pieces(all.parts, boundary), contentType: "multipart/form-data; boundary=\(boundary)")
  }

  /// Parts one behind the other; what is in memory between two files is one piece.
  private func pieces(_ parts: [MultipartFormData.Part], _ boundary: String) throws -> [BodyPiece] {
    var pieces: [BodyPiece] = []
    var memory = Data()
    for part in parts {
      memory += try head(of: part, boundary).utf8
      switch part.content {
      case .data(let data): memory += data
      case .file(let url):
        pieces += [.data(memory), .file(url)]
        memory = Data()
      }
      memory += "\r\n".utf8
    }
    memory += "--\(boundary)--\r\n".utf8
    return pieces + [.data(memory)]
  }

  private func head(of part: MultipartFormData.Part, _ boundary: String) throws -> String {
    var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(part.name))\""
    if let filename = part.filename { head += "; filename=\"\(escaped(filename))\"" }
    if let contentType = part.contentType {
      guard HTTPHeaders.isValid(value: contentType) else {
        throw ParameterEncodingError(
          keyPath: part.name, reason: "has a control character in its content type")
      }
      head += "\r\nContent-Type: \(contentType)"
    }
    return head + "\r\n\r\n"
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

  private func uniqueBoundary(_ parts: [MultipartFormData.Part]) -> String {
    var boundary = boundary()
    while parts.contains(where: { $0.containsText(boundary) }) { boundary = self.boundary() }
    return boundary
  }

  /// 120 random bits, which no file has by chance.
  private static let randomBoundary: @Sendable () -> String = {
    let random = [UInt64.random(in: 0..<1 << 60), UInt64.random(in: 0..<1 << 60)]
    return random.map { number in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 15 - digits.count) + digits
    }.joined()
  }
}

extension MultipartFormData.Part {
  fileprivate func containsText(_ boundary: String) -> Bool {
    if name.contains(boundary) || filename?.contains(boundary) == true { return true }
    guard case .data(let data) = content else { return false }
    return data.range(of: Data(boundary.utf8)) != nil
  }
}
