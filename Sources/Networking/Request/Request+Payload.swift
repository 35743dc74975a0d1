public import Foundation

extension Request {
  /// A body that is not encoded from parameters.
  public enum Payload: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// A file, which is read while it is sent.
    case file(URL)
    /// A multipart form. The parameters of the request are sent as its first fields. A form with a
    /// stream cannot be encoded.
    case multipart(MultipartFormData)
    /// A stream, whose bytes are produced while they are sent. A request with a stream cannot be
    /// encoded.
    case stream(BodyStream)
  }
}

extension Request.Payload: Codable {
  /// Decodes a payload.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder. `DecodingError.dataCorrupted` if there is not exactly one
  ///   key of a known kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: BodyKey.self)
    self =
      switch try container.onlyKey() {
      case .data: .data(try container.decode(Data.self, forKey: .data))
      case .file: .file(try container.decode(URL.self, forKey: .file))
      case .multipart: .multipart(try container.decode(MultipartFormData.self, forKey: .multipart))
      }
  }

  /// Encodes the payload.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` for a stream, whose bytes
  ///   cannot be stored.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: BodyKey.self)
    switch self {
    case .data(let data): try container.encode(data, forKey: .data)
    case .file(let url): try container.encode(url, forKey: .file)
    case .multipart(let form): try container.encode(form, forKey: .multipart)
    case .stream:
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "A stream cannot be encoded"))
    }
  }
}

extension Request.Payload: BrieflyDescribed {
  /// The kind and size of the payload, such as `12 bytes`.
  ///
  /// The bytes are not included.
  public var description: String {
    switch self {
    case .data(let data): HTTPBody.data(data).description
    case .file(let url): HTTPBody.file(url).description
    case .multipart(let form): "form of \(form.parts.count) parts"
    case .stream(let stream): HTTPBody.stream(stream).description
    }
  }

  /// A mirror with the description.
  ///
  /// The bytes are not included.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
