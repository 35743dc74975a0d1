public import Foundation

extension Request {
  /// Creates a request that sends bytes as its body.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    data: Data, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(method, path, parameters, headers, .custom(contentType), .data(data), options)
  }

  /// Creates a request that sends bytes as its body, with parameters of variables.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. An error of their encoding
  ///     rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func upload(
    data: Data, to path: RequestPath, method: HTTPMethod = .post,
    parameters: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(
      method, path, nil, headers, .custom(contentType), .data(data),
      [.parameters(parameters)] + options)
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
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    file: URL, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(method, path, parameters, headers, .custom(contentType), .file(file), options)
  }

  /// Creates a request that sends a file as its body, with parameters of variables.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. An error of their encoding
  ///     rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func upload(
    file: URL, to path: RequestPath, method: HTTPMethod = .post,
    parameters: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(
      method, path, nil, headers, .custom(contentType), .file(file),
      [.parameters(parameters)] + options)
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
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    stream: BodyStream, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(method, path, parameters, headers, .custom(contentType), .stream(stream), options)
  }

  /// Creates a request that sends a stream as its body, with parameters of variables.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. An error of their encoding
  ///     rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func upload(
    stream: BodyStream, to path: RequestPath, method: HTTPMethod = .post,
    parameters: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    contentType: String = "application/octet-stream", _ options: RequestOption...
  ) -> Request {
    Request(
      method, path, nil, headers, .custom(contentType), .stream(stream),
      [.parameters(parameters)] + options)
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
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    multipart: MultipartFormData, to path: RequestPath, method: HTTPMethod = .post,
    parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(method, path, parameters, headers, .multipartFormData, .multipart(multipart), options)
  }

  /// Creates a request that sends a multipart form, which may contain files and streams, with parameters of variables.
  ///
  /// - Parameters:
  ///   - multipart: The form.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are the first fields of the form. They are sent in the
  ///     query if the body is not of the kind ``MultipartFormData/Kind-swift.struct/formData``.
  ///     An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func upload(
    multipart: MultipartFormData, to path: RequestPath, method: HTTPMethod = .post,
    parameters: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(
      method, path, nil, headers, .multipartFormData, .multipart(multipart),
      [.parameters(parameters)] + options)
  }
}
