public import Foundation

extension Request {
  /// Creates a request that sends bytes as its body.
  ///
  /// ``RequestOption/parameters(_:)-(Parameters)`` adds parameters, which are sent in the query.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    data: Data, to path: RequestPath, method: HTTPMethod = .post,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    _ options: RequestOption...
  ) -> Request {
    Request(method, path, nil, headers, .custom(contentType), .data(data), options)
  }

  /// Creates a request that sends a file as its body.
  ///
  /// The file is read while it is sent.
  ///
  /// ``RequestOption/parameters(_:)-(Parameters)`` adds parameters, which are sent in the query.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    file: URL, to path: RequestPath, method: HTTPMethod = .post,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    _ options: RequestOption...
  ) -> Request {
    Request(method, path, nil, headers, .custom(contentType), .file(file), options)
  }

  /// Creates a request that sends a stream as its body.
  ///
  /// The bytes are produced while they are sent.
  ///
  /// ``RequestOption/parameters(_:)-(Parameters)`` adds parameters, which are sent in the query.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    stream: BodyStream, to path: RequestPath, method: HTTPMethod = .post,
    headers: HTTPHeaders = [:], contentType: String = "application/octet-stream",
    _ options: RequestOption...
  ) -> Request {
    Request(method, path, nil, headers, .custom(contentType), .stream(stream), options)
  }

  /// Creates a request that sends a multipart form, which may contain files and streams.
  ///
  /// ``RequestOption/parameters(_:)-(Parameters)`` adds parameters, which are the first fields of the form.
  /// They are sent in the query if the body is not of the kind
  /// ``MultipartFormData/Kind-swift.struct/formData``.
  ///
  /// - Parameters:
  ///   - multipart: The form.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func upload(
    multipart: MultipartFormData, to path: RequestPath, method: HTTPMethod = .post,
    headers: HTTPHeaders = [:], _ options: RequestOption...
  ) -> Request {
    Request(method, path, nil, headers, .multipartFormData, .multipart(multipart), options)
  }
}
