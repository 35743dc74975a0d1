import Foundation

extension Request {
  /// Sends bytes.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - method: the method.
  ///   - parameters: what to put into the query; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: the media type of the bytes.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func upload(
    data: Data, to path: RequestPath, method: HTTPMethod = .post, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: StorePolicy = .none, cachePolicy: CachePolicy = .default,
    timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      method, path, parameters: parameters, headers: headers,
      contentType: .custom(contentType), payload: .data(data),
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Sends a file, read as it is sent.
  ///
  /// - Parameters:
  ///   - file: the file's URL.
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - method: the method.
  ///   - parameters: what to put into the query; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: the media type of the bytes.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func upload(
    file: URL, to path: RequestPath, method: HTTPMethod = .post, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: StorePolicy = .none, cachePolicy: CachePolicy = .default,
    timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      method, path, parameters: parameters, headers: headers,
      contentType: .custom(contentType), payload: .file(file),
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Sends what is made while it is sent.
  ///
  /// - Parameters:
  ///   - stream: makes the bytes.
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - method: the method.
  ///   - parameters: what to put into the query; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: the media type of the bytes.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func upload(
    stream: BodyStream, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    storePolicy: StorePolicy = .none, cachePolicy: CachePolicy = .default,
    timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      method, path, parameters: parameters, headers: headers,
      contentType: .custom(contentType), payload: .stream(stream),
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Sends a form that may have files in it.
  ///
  /// - Parameters:
  ///   - multipart: the form.
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - method: the method.
  ///   - parameters: the first fields of the form; nil is none.
  ///   - headers: the header fields.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func upload(
    multipart: MultipartFormData, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil,
    headers: HTTPHeaders = [:],
    storePolicy: StorePolicy = .none, cachePolicy: CachePolicy = .default,
    timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      method, path, parameters: parameters, headers: headers,
      contentType: .multipartFormData, payload: .multipart(multipart),
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }
}

extension Request {
  /// A body that is there already, in the place of parameters.
  public enum Payload: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// The bytes of a file, read as they are sent.
    case file(URL)
    /// A form, sent with the parameters as its first fields.
    case multipart(MultipartFormData)
    /// What is made while it is sent; a request with one cannot be encoded.
    case stream(BodyStream)
  }
}

extension Request.Payload: Codable {
  private enum CodingKeys: String, CodingKey {
    case data
    case file
    case multipart
  }

  private enum ValueKeys: String, CodingKey {
    case value = "_0"
  }

  /// Reads a payload.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: what the decoder throws; `DecodingError.dataCorrupted` when it is of no kind known.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "A payload is one of data, file and multipart"))
    }
    let values = try container.nestedContainer(keyedBy: ValueKeys.self, forKey: key)
    self =
      switch key {
      case .data: .data(try values.decode(Data.self, forKey: .value))
      case .file: .file(try values.decode(URL.self, forKey: .value))
      case .multipart: .multipart(try values.decode(MultipartFormData.self, forKey: .value))
      }
  }

  /// Writes the payload.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws; `EncodingError.invalidValue` for a stream, which is nothing that
  ///   could be kept.
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
