import Foundation

/// The key of an encoded body or content, which names its kind.
enum BodyKey: String, CodingKey { case data, file, multipart }

extension KeyedDecodingContainer {
  /// Returns the key of an encoded case with a value.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if there is not exactly one known key.
  func onlyKey() throws -> Key {
    if allKeys.count == 1 { return allKeys[0] }
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "There is not exactly one known key"))
  }
}

extension MultipartFormData: Codable {
  private enum CodingKeys: String, CodingKey { case kind, parts }

  /// Decodes a form.
  ///
  /// Without a kind it is a form.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kind: try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .formData,
      try container.decode([Part].self, forKey: .parts))
  }

  /// Encodes the form.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` if a part is a stream.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if kind != .formData { try container.encode(kind, forKey: .kind) }
    try container.encode(parts, forKey: .parts)
  }
}

extension MultipartFormData.Part: Codable {
  private enum CodingKeys: String, CodingKey { case name, content, filename, contentType, headers }

  /// Decodes a part.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decodeIfPresent(String.self, forKey: .name),
      content: try container.decode(Content.self, forKey: .content),
      filename: try container.decodeIfPresent(String.self, forKey: .filename),
      contentType: try container.decodeIfPresent(String.self, forKey: .contentType),
      headers: try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? [:])
  }

  /// Encodes the part.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` if the content is a stream.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encode(content, forKey: .content)
    try container.encodeIfPresent(filename, forKey: .filename)
    try container.encodeIfPresent(contentType, forKey: .contentType)
    if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
  }
}

extension MultipartFormData.Part.Content: Codable {
  /// Decodes a content.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder. `DecodingError.dataCorrupted` if there is not exactly one
  ///   key, `data` or `file`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: BodyKey.self)
    self =
      switch try container.onlyKey() {
      case .data: .data(try container.decode(Data.self, forKey: .data))
      case .file: .file(try container.decode(URL.self, forKey: .file))
      case .multipart:
        throw DecodingError.dataCorruptedError(
          forKey: .multipart, in: container, debugDescription: "A part cannot contain a form")
      }
  }

  /// Encodes the content.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` for a stream, whose bytes
  ///   cannot be stored.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: BodyKey.self)
    switch self {
    case .data(let data): try container.encode(data, forKey: .data)
    case .file(let url): try container.encode(url, forKey: .file)
    case .stream:
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "A stream cannot be encoded"))
    }
  }
}
