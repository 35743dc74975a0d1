public import Foundation

/// The compression of the body of a request.
///
/// ```swift
/// .post("logs", parameters: entries).compressed(.gzip)
/// .upload(file: log, to: "logs").compressed(.gzip, fallsBack: true)
/// ```
///
/// - **Bodies in memory** are compressed before they are sent, on a background thread, and have a
///   `Content-Length`. Files, streams and forms with files are compressed in pieces while they are
///   sent, so their length is unknown. A request without a body, or with an empty one, is not changed.
/// - **Header fields.** The coding is added to `Content-Encoding`.
/// - **Order.** The client's interceptors receive the original body. Retries, redirects and hop
///   interceptors, such as those that sign requests, receive the compressed one.
/// - **Repeatability.** A compressed body can be sent again if the original one can.
/// - **Linux without libcurl** cannot compress: the request is rejected with
///   ``NetworkError/Code-swift.enum/unsupported``.
/// - **Servers.** Few servers accept compressed requests by default, so nothing is compressed unless the
///   request says so. A server that does not accept the coding responds with 415.
///
/// Source: RFC 9110 section 8.4; RFC 7694.
public struct BodyCompression: Sendable, Hashable, Codable {
  /// A content coding.
  public enum Coding: String, Sendable, Hashable, Codable {
    /// The coding `gzip`.
    ///
    /// Source: RFC 1952.
    case gzip
  }

  /// The content coding.
  public var coding: Coding
  /// Whether the request is sent once more without compression if the status of the response is 415.
  ///
  /// A body that cannot be sent again is not.
  public var fallsBack: Bool

  /// Creates a compression.
  ///
  /// - Parameters:
  ///   - coding: The content coding.
  ///   - fallsBack: Whether the request is sent once more without compression if the status of the
  ///     response is 415.
  public init(_ coding: Coding, fallsBack: Bool = false) {
    self.coding = coding
    self.fallsBack = fallsBack
  }
}

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
  /// A payload that can be encoded.
  private enum StoredPayload: Codable {
    case data(Data)
    case file(URL)
    case multipart(MultipartFormData)
  }

  /// Decodes a payload.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder. `DecodingError.typeMismatch` if there is not exactly one
  ///   key of a known kind.
  public init(from decoder: any Decoder) throws {
    self =
      switch try StoredPayload(from: decoder) {
      case .data(let data): .data(data)
      case .file(let url): .file(url)
      case .multipart(let form): .multipart(form)
      }
  }

  /// Encodes the payload.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` for a stream, whose bytes
  ///   cannot be stored.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .data(let data): try StoredPayload.data(data).encode(to: encoder)
    case .file(let url): try StoredPayload.file(url).encode(to: encoder)
    case .multipart(let form): try StoredPayload.multipart(form).encode(to: encoder)
    case .stream:
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "A request whose body is a stream cannot be encoded"))
    }
  }
}

extension Request.Payload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
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

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the description.
  ///
  /// The bytes are not included.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
