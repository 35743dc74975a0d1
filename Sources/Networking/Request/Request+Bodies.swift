public import Foundation

extension RequestFactory {
  /// Creates a request that sends bytes as its body.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  @inlinable
  public static func upload(
    data: Data, to path: RequestPath, method: HTTPMethod = .post, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: Request.StorePolicy = .none, cachePolicy: Request.CachePolicy = .default,
    timeout: Duration? = nil, priority: Request.Priority = .normal
  ) -> Self {
    _wrapping(
      Request(
        method, path, parameters: parameters, headers: headers,
        contentType: .custom(contentType), payload: .data(data),
        storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority))
  }

  /// Creates a request that sends a file as its body.
  ///
  /// The file is read while it is sent.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  @inlinable
  public static func upload(
    file: URL, to path: RequestPath, method: HTTPMethod = .post, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: Request.StorePolicy = .none, cachePolicy: Request.CachePolicy = .default,
    timeout: Duration? = nil, priority: Request.Priority = .normal
  ) -> Self {
    _wrapping(
      Request(
        method, path, parameters: parameters, headers: headers,
        contentType: .custom(contentType), payload: .file(file),
        storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority))
  }

  /// Creates a request that sends a stream as its body.
  ///
  /// The bytes are produced while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  @inlinable
  public static func upload(
    stream: BodyStream, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: Request.StorePolicy = .none, cachePolicy: Request.CachePolicy = .default,
    timeout: Duration? = nil, priority: Request.Priority = .normal
  ) -> Self {
    _wrapping(
      Request(
        method, path, parameters: parameters, headers: headers,
        contentType: .custom(contentType), payload: .stream(stream),
        storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority))
  }

  /// Creates a request that sends a multipart form, which may contain files and streams.
  ///
  /// - Parameters:
  ///   - multipart: The form.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are the first fields of the form. They are sent in the
  ///     query if the body is not of the kind ``MultipartFormData/Kind-swift.struct/formData``.
  ///     `nil` adds none.
  ///   - headers: The header fields of the request.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  @inlinable
  public static func upload(
    multipart: MultipartFormData, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil,
    headers: HTTPHeaders = [:],
    storePolicy: Request.StorePolicy = .none, cachePolicy: Request.CachePolicy = .default,
    timeout: Duration? = nil, priority: Request.Priority = .normal
  ) -> Self {
    _wrapping(
      Request(
        method, path, parameters: parameters, headers: headers,
        contentType: .multipartFormData, payload: .multipart(multipart),
        storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority))
  }
}

// MARK: - Compression

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

// MARK: - Payload

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
  private enum CodingKeys: String, CodingKey {
    case data
    case file
    case multipart
  }

  /// The key of the value, as in a synthesized conformance.
  private enum ValueKeys: String, CodingKey {
    case value = "_0"
  }

  /// Decodes a payload.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder. `DecodingError.dataCorrupted` if there is not exactly one
  ///   key of a known kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "A payload has exactly one of the keys data, file and multipart"))
    }
    let values = try container.nestedContainer(keyedBy: ValueKeys.self, forKey: key)
    self =
      switch key {
      case .data: .data(try values.decode(Data.self, forKey: .value))
      case .file: .file(try values.decode(URL.self, forKey: .value))
      case .multipart: .multipart(try values.decode(MultipartFormData.self, forKey: .value))
      }
  }

  /// Encodes the payload.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` for a stream, whose bytes
  ///   cannot be stored.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func values(_ key: CodingKeys) -> KeyedEncodingContainer<ValueKeys> {
      container.nestedContainer(keyedBy: ValueKeys.self, forKey: key)
    }
    switch self {
    case .data(let data):
      var values = values(.data)
      try values.encode(data, forKey: .value)
    case .file(let url):
      var values = values(.file)
      try values.encode(url, forKey: .value)
    case .multipart(let form):
      var values = values(.multipart)
      try values.encode(form, forKey: .value)
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
