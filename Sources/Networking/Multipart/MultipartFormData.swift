public import Foundation

/// A multipart body: a form of the type `multipart/form-data`, or a body of the types
/// `multipart/mixed` and `multipart/related`.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Balsa Fish", name: "title")
/// form.append(json: details, name: "details")
/// form.append(photo, name: "photo", filename: "fish.jpg", type: .image(.jpeg))
/// form.append(file: film, name: "film", type: .video(.mov))
/// let request = Request.upload(multipart: form, to: "boards/\(id)/media")
/// ```
///
/// A form of few parts is a literal:
///
/// ```swift
/// .upload(multipart: ["title": "\(title)", "photo": .file(photo)], to: "boards")
/// ```
///
/// Files and streams are not loaded into memory. They are read while they are sent. The request has
/// a `Content-Length` if the length of each stream is known. A form without streams that can be
/// read only once can be sent again, after a redirect or for a retry.
///
/// If a file does not exist, is a folder or a named pipe, or has another size at the end than at
/// the start, the request fails with ``NetworkError/Code-swift.enum/encodingFailed``.
///
/// Source: RFC 7578, RFC 2046 section 5.1, RFC 2387.
public struct MultipartFormData: Sendable, Hashable {
  /// The kind of a multipart body, which is the subtype of its media type.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    /// The subtype, such as `form-data`.
    public var rawValue: String

    /// Creates a kind.
    ///
    /// - Parameter rawValue: The subtype. If it is not a token, the form cannot be encoded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `multipart/form-data`, a form whose parts have names.
    public static let formData = Kind(rawValue: "form-data")
    /// `multipart/mixed`, independent parts in an order.
    public static let mixed = Kind(rawValue: "mixed")
    /// `multipart/related`, a first part that refers to the other parts.
    ///
    /// The media type has the media type of the first part as its parameter `type`.
    ///
    /// Source: RFC 2387.
    public static let related = Kind(rawValue: "related")
    /// `multipart/alternative`, the same content in several formats.
    public static let alternative = Kind(rawValue: "alternative")
  }

  /// The kind of the body.
  public var kind: Kind
  /// The parts, in the order in which they are sent.
  ///
  /// A name may occur more than once.
  public var parts: [Part]

  /// Creates a form or another multipart body.
  ///
  /// ```swift
  /// let upload = MultipartFormData(
  ///   kind: .related,
  ///   [
  ///     try .json(Metadata(title: "Fish")),
  ///     .file(film, type: .video(.mp4), headers: ["Content-ID": "<film>"]),
  ///   ])
  /// ```
  ///
  /// - Parameters:
  ///   - kind: The kind of the body.
  ///   - parts: The parts, in the order in which they are sent.
  public init(kind: Kind = .formData, _ parts: [Part]) {
    self.kind = kind
    self.parts = parts
  }

  /// Creates a body without parts.
  ///
  /// - Parameter kind: The kind of the body.
  public init(kind: Kind = .formData) { self.init(kind: kind, []) }

  /// Appends a part.
  ///
  /// ```swift
  /// form.append(.data(key, name: "key", headers: ["X-Checksum": checksum]))
  /// ```
  ///
  /// - Parameter part: The part.
  public mutating func append(_ part: Part) { parts.append(part) }
}

extension MultipartFormData: ExpressibleByDictionaryLiteral {
  /// Creates a form from a literal, in its order.
  ///
  /// - Parameter elements: The names and the parts. A name may occur more than once.
  public init(dictionaryLiteral elements: (String, Part)...) {
    self.init()
    for (name, part) in elements {
      parts.append(part)
      parts[parts.count - 1].name = name
    }
  }
}

extension MultipartFormData {
  // MARK: Text and JSON

  /// Appends a text field.
  ///
  /// - Parameters:
  ///   - text: The value, which is sent as UTF-8, without any change.
  ///   - name: The name of the field.
  public mutating func append(_ text: String, name: String) { append(.text(text, name: name)) }

  /// Appends a value as JSON.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - encoder: The encoder.
  /// - Throws: The errors of the encoder.
  public mutating func append(
    json value: some Encodable, name: String, filename: String? = nil,
    encoder: JSONEncoder = JSONEncoder()
  ) throws {
    append(try .json(value, name: name, filename: filename, encoder: encoder))
  }

  // MARK: Data

  /// Appends bytes.
  ///
  /// ```swift
  /// form.append(report, name: "report", filename: "2024.pdf")   // application/pdf
  /// form.append(photo, name: "photo", filename: "photo", type: .image(.jpeg))
  /// ```
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file. Most servers accept bytes as a
  ///     file only if they have a file name.
  ///   - type: The media type, such as `.image(.jpeg)` or `.pdf`. `nil` uses that of the file name
  ///     extension, or `application/octet-stream` if there is none or it is unknown.
  public mutating func append(
    _ data: Data, name: String, filename: String? = nil, type: MediaType? = nil
  ) {
    append(.data(data, name: name, filename: filename, type: type))
  }

  /// Appends bytes with the text of a media type.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - contentType: The media type. `nil` omits it.
  public mutating func append(
    _ data: Data, name: String, filename: String? = nil, contentType: String?
  ) {
    append(
      Part(name: name, content: .data(data), filename: filename, contentType: contentType))
  }

  // MARK: Files and streams

  /// Appends a file.
  ///
  /// The file is read when the request is sent.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` uses the last component of the URL's path.
  ///   - type: The media type, such as `.video(.mov)`. `nil` uses that of the extension of `filename`
  ///     or, if that is unknown, that of the URL. If both are unknown, the media type is
  ///     `application/octet-stream`.
  public mutating func append(
    file: URL, name: String, filename: String? = nil, type: MediaType? = nil
  ) {
    append(.file(file, name: name, filename: filename, type: type))
  }

  /// Appends a file with the text of a media type.
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
    append(
      Part(
        name: name, content: .file(file), filename: filename ?? file.lastPathComponent,
        contentType: contentType))
  }

  /// Appends a stream, whose bytes are produced while they are sent.
  ///
  /// If the length of the stream is not known, the request is sent in chunks. A form with a stream
  /// cannot be encoded or stored offline.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - name: The name of the field.
  ///   - filename: The file name. `nil` if the part is not a file.
  ///   - type: The media type. `nil` uses that of the file name extension or
  ///     `application/octet-stream`.
  public mutating func append(
    stream: BodyStream, name: String, filename: String? = nil, type: MediaType? = nil
  ) {
    append(.stream(stream, name: name, filename: filename, type: type))
  }
}
