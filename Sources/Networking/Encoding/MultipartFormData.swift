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
