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

  /// Creates a GET request, which reads a resource, with parameters of
  /// variables.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func get(
    _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.get, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
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

  /// Creates a POST request, which sends content for a resource to process, with parameters of
  /// variables.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func post(
    _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.post, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
  }

  /// Creates a POST request, which sends content for a resource to process, with a value as
  /// its JSON body.
  ///
  /// ```swift
  /// case .save(let board): .post("boards", json: board)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The value. It is encoded before this method returns; an error rejects the request.
  ///     ``NetworkingConfiguration/encoder`` has the formats of dates and bytes.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func post(
    _ path: RequestPath, json: some Encodable, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.post, path, nil, headers, .json, nil, [.json(json)] + options)
  }

  /// Creates a POST request, which sends content for a resource to process, with a literal of several types
  /// as its JSON body.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The members. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func post(
    _ path: RequestPath, json: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.post, path, nil, headers, .json, nil, [.json(json)] + options)
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

  /// Creates a PUT request, which replaces a resource, with parameters of
  /// variables.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func put(
    _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.put, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
  }

  /// Creates a PUT request, which replaces a resource, with a value as
  /// its JSON body.
  ///
  /// ```swift
  /// case .save(let board): .put("boards", json: board)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The value. It is encoded before this method returns; an error rejects the request.
  ///     ``NetworkingConfiguration/encoder`` has the formats of dates and bytes.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func put(
    _ path: RequestPath, json: some Encodable, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.put, path, nil, headers, .json, nil, [.json(json)] + options)
  }

  /// Creates a PUT request, which replaces a resource, with a literal of several types
  /// as its JSON body.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The members. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func put(
    _ path: RequestPath, json: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.put, path, nil, headers, .json, nil, [.json(json)] + options)
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

  /// Creates a PATCH request, which changes a resource, with parameters of
  /// variables.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them as JSON.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func patch(
    _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.patch, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
  }

  /// Creates a PATCH request, which changes a resource, with a value as
  /// its JSON body.
  ///
  /// ```swift
  /// case .save(let board): .patch("boards", json: board)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The value. It is encoded before this method returns; an error rejects the request.
  ///     ``NetworkingConfiguration/encoder`` has the formats of dates and bytes.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  public static func patch(
    _ path: RequestPath, json: some Encodable, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.patch, path, nil, headers, .json, nil, [.json(json)] + options)
  }

  /// Creates a PATCH request, which changes a resource, with a literal of several types
  /// as its JSON body.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - json: The members. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func patch(
    _ path: RequestPath, json: KeyValuePairs<String, (any Encodable)?>, headers: HTTPHeaders = [:],
    _ options: RequestOption...
  ) -> Request {
    Request(.patch, path, nil, headers, .json, nil, [.json(json)] + options)
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

  /// Creates a DELETE request, which removes a resource, with parameters of
  /// variables.
  ///
  /// - Parameters:
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - parameters: The parameters. An error of their encoding rejects the request.
  ///   - headers: The header fields of the request.
  ///   - contentType: The format of the parameters. `nil` sends them in the query.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  @_disfavoredOverload
  public static func delete(
    _ path: RequestPath, parameters: KeyValuePairs<String, (any Encodable)?>,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, _ options: RequestOption...
  ) -> Request {
    Request(.delete, path, nil, headers, contentType, nil, [.parameters(parameters)] + options)
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
