extension Request {
  /// Creates a GET request, which reads a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func get(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.get, path, parameters, headers, contentType, nil, options)
  }

  /// Creates a POST request, which sends content for a resource to process.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func post(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.post, path, parameters, headers, contentType, nil, options)
  }

  /// Creates a PUT request, which replaces a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func put(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.put, path, parameters, headers, contentType, nil, options)
  }

  /// Creates a PATCH request, which changes a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func patch(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.patch, path, parameters, headers, contentType, nil, options)
  }

  /// Creates a DELETE request, which removes a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func delete(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.delete, path, parameters, headers, contentType, nil, options)
  }

  /// Creates a HEAD request, which reads the status and header fields of a resource without its
  /// content.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func head(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.head, path, parameters, headers, contentType, nil, options)
  }

  /// Creates an OPTIONS request, which asks for the communication options of a resource.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func options(
    _ path: RequestPath, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
    contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.options, path, parameters, headers, contentType, nil, options)
  }
}
