extension Request {
  /// Reads a resource.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is in the query.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func get(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .get, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Has a resource process what is sent.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is as JSON.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func post(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .post, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Replaces a resource.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is as JSON.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func put(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .put, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Changes a resource.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is as JSON.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func patch(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .patch, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Removes a resource.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is in the query.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func delete(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .delete, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Reads what comes before a resource's content.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is in the query.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func head(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .head, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }

  /// Asks what can be done with a resource.
  ///
  /// - Parameters:
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields.
  ///   - contentType: how the parameters are sent; nil is in the query.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  /// - Returns: the request.
  public static func options(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, storePolicy: StorePolicy = .none,
    cachePolicy: CachePolicy = .default, timeout: Duration? = nil, priority: Priority = .normal
  ) -> Request {
    Request(
      .options, path, parameters: parameters, headers: headers, contentType: contentType,
      storePolicy: storePolicy, cachePolicy: cachePolicy, timeout: timeout, priority: priority)
  }
}
