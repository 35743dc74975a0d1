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
