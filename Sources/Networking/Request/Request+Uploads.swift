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
