/// A type with the factories of requests, such as `get` and `post`: ``Request``, and the modified
/// endpoint of a request.
///
/// Both conform to it so that the compiler reports a wrong argument in `request(.get("boards", ...))`
/// where it is.
public protocol RequestFactory {
  /// Returns a request as a value of this type.
  ///
  /// - Parameter request: The request.
  /// - Returns: The value.
  static func _wrapping(_ request: Request) -> Self
}

extension Request: RequestFactory {
  /// Returns the request itself.
  @inlinable
  public static func _wrapping(_ request: Request) -> Request { request }
}

extension ModifiedEndpoint: RequestFactory where Base == Request {
  /// Returns a modified endpoint without changes.
  public static func _wrapping(_ request: Request) -> Self { ModifiedEndpoint(request) { $0 } }
}

extension RequestFactory {
  /// Creates a GET request, which reads a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func get(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(.get, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates a POST request, which sends content for a resource to process.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func post(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(.post, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates a PUT request, which replaces a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func put(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(.put, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates a PATCH request, which changes a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func patch(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(
      .patch, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates a DELETE request, which removes a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func delete(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(
      .delete, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates a HEAD request, which reads the status and header fields of a resource without its
  /// content.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func head(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(.head, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  /// Creates an OPTIONS request, which asks for the communication options of a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - storePolicy: The handling of the request when there is no network.
  ///   - cachePolicy: The use of the client's cache.
  ///   - timeout: The time limit for the whole call. `nil` uses the client's setting.
  ///   - priority: The priority in the client's queue.
  /// - Returns: The request.
  public static func options(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: Request.StorePolicy = .none,
    cachePolicy: Request.CachePolicy = .default, timeout: Duration? = nil,
    priority: Request.Priority = .normal
  ) -> Self {
    make(
      .options, path, parameters, headers, contentType, storePolicy, cachePolicy, timeout, priority)
  }

  private static func make(
    _ method: HTTPMethod, _ path: RequestPath, _ parameters: Parameters?, _ headers: HTTPHeaders,
    _ contentType: ContentType?, _ storePolicy: Request.StorePolicy,
    _ cachePolicy: Request.CachePolicy, _ timeout: Duration?, _ priority: Request.Priority
  ) -> Self {
    _wrapping(
      Request(
        method, path, parameters: parameters, headers: headers, contentType: contentType,
        storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority))
  }
}
