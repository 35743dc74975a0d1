public import Foundation
public import Networking
public import Promises

extension Networking {
  /// Returns the decoded response of an endpoint, from a cache of values if it has the value.
  ///
  /// A value of the type `Data` has the bytes of the response.
  ///
  /// ```swift
  /// let covers = ValueCache<URL, Cover>(cost: .megabytes(50))
  /// networking.value(for: .cover(id: 7), cached: covers)
  /// ```
  ///
  /// - **Key.** The key is the URL of the request, so use a cache for each account. Header fields that the
  ///   endpoint's request or an option sets, such as `Accept-Language`, are part of it: they are its
  ///   fragment.
  /// - **One request.** While a value is requested and decoded, further callers wait for the same one. The
  ///   request is cancelled when all of them have cancelled. It has the options of the first caller,
  ///   such as `timeout` and `priority`; those of the others have no effect, except `onProgress`.
  /// - **Reload.** With the cache policies `reload` and `revalidate` a stored value is not used, but
  ///   replaced. With `noStore` the cache of values is not used at all.
  /// - **Hooks.** ``beforeEach`` runs once for the key, and again if a request is sent. The key has no
  ///   changes by ``preProcessRequest``.
  ///
  /// The response is validated, and its body is the cost of the value.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - cache: The cache.
  ///   - options: The options of the request, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the value, in ``callbackContext``. It is rejected like that of
  ///   `request(_:_:file:line:)`, with the errors of `validate` and `decode`, and with the code
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the method of the request is not GET.
  public func value<Value: Decodable & Sendable>(
    for endpoint: Endpoint, cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    cachedValue(endpoint, options, cache, file, line, Self.decoded)
  }

  /// Returns the decoded response of a typed endpoint, like that of an `Endpoint`.
  @_disfavoredOverload
  public func value<Value: Decodable & Sendable>(
    for endpoint: some TypedEndpoint, cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    cachedValue(endpoint, options, cache, file, line, Self.decoded)
  }

  /// Returns a value that is made of the response of an endpoint, from a cache of values if it has the
  /// value.
  ///
  /// ```swift
  /// networking.value(for: .cover(id: 7), cached: images) { response in try Image(response.data) }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - cache: The cache.
  ///   - options: The options of the request, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - make: A closure that makes the value of the validated response. It runs once for each value,
  ///     off the main thread.
  /// - Returns: A promise of the value, like that of a decoded value. It is also rejected with the
  ///   error that `make` throws.
  public func value<Value: Sendable>(
    for endpoint: Endpoint, cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Value> {
    cachedValue(endpoint, options, cache, file, line, make)
  }

  /// Returns a value that is made of the response of a typed endpoint, like that of an `Endpoint`.
  @_disfavoredOverload
  public func value<Value: Sendable>(
    for endpoint: some TypedEndpoint, cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Value> {
    cachedValue(endpoint, options, cache, file, line, make)
  }

  /// Requests values that will be needed soon, with the lowest priority.
  ///
  /// - Parameters:
  ///   - endpoints: The endpoints, the most important first.
  ///   - cache: The cache.
  ///   - options: The options of the request, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - make: A closure that makes a value of the validated response.
  /// - Returns: A promise that is fulfilled when all requests have ended, also if some have failed. When
  ///   it is cancelled, the requests that nobody else waits for are cancelled. It may be ignored.
  @discardableResult
  public func prefetch<Value: Sendable>(
    _ endpoints: [Endpoint], cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Void> {
    prefetch(endpoints, options, cache, file, line, make)
  }

  /// Requests values of typed endpoints that will be needed soon, like those of an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func prefetch<Value: Sendable>(
    _ endpoints: [some TypedEndpoint], cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Void> {
    prefetch(endpoints, options, cache, file, line, make)
  }

  /// Requests decoded values, or bytes, that will be needed soon, with the lowest priority.
  ///
  /// - Parameters:
  ///   - endpoints: The endpoints, the most important first.
  ///   - cache: The cache.
  ///   - options: The options of the request, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise, like that of the method with a closure. It may be ignored.
  @discardableResult
  public func prefetch<Value: Decodable & Sendable>(
    _ endpoints: [Endpoint], cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    prefetch(endpoints, options, cache, file, line, Self.decoded)
  }

  /// Requests decoded values of typed endpoints that will be needed soon, like those of an
  /// `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func prefetch<Value: Decodable & Sendable>(
    _ endpoints: [some TypedEndpoint], cached cache: ValueCache<URL, Value>,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    prefetch(endpoints, options, cache, file, line, Self.decoded)
  }

  /// Requests values with the lowest priority, unless the options have another one.
  func prefetch<Value: Sendable>(
    _ endpoints: [some RequestConvertible], _ options: [RequestOption],
    _ cache: ValueCache<URL, Value>,
    _ file: StaticString, _ line: UInt,
    cost: @escaping @Sendable (_ value: Value, _ response: Response) -> Int = { $1.data.count },
    _ make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Void> {
    let options = [.priority(.veryLow)] + options
    let values = endpoints.map { cachedValue($0, options, cache, file, line, cost: cost, make) }
    return settled(values, on: .inline, file: file, line: line).map(on: .inline) { _ in () }
  }

  /// Returns the body as bytes, or else decoded.
  private static func decoded<Value: Decodable>(_ response: Response) throws -> Value {
    try response.data as? Value ?? response.decoder.decodeBody(of: response)
  }

  /// Returns a value of a cache, or requests and makes it.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of the request, which are applied in order.
  ///   - cache: The cache.
  ///   - file: The source file of the caller.
  ///   - line: The source line of the caller.
  ///   - cost: A closure that returns the cost of a new value.
  ///   - make: A closure that makes a value of the validated response.
  /// - Returns: A promise of the value.
  func cachedValue<Value: Sendable>(
    _ endpoint: some RequestConvertible, _ options: [RequestOption],
    _ cache: ValueCache<URL, Value>,
    _ file: StaticString, _ line: UInt,
    cost: @escaping @Sendable (_ value: Value, _ response: Response) -> Int = { $1.data.count },
    _ make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Value> {
    let request: Request
    let key: URL
    do {
      request = try endpoint.request.applying(options)
      let hop = try firstHop(of: endpoint, options, preProcesses: false)
      guard hop.method == .get else {
        throw NetworkError(
          .unsupported, "only the values of GET requests can be cached", request: .init(hop))
      }
      key = hop.url.varying(by: request.headers)
    } catch {
      return .rejected(error, file: file, line: line)
    }
    var progress: (any ProgressReceiver)?
    if let handler = request.onProgress { progress = progressReceiver(handler) }
    func work(_ progress: (any ProgressReceiver)?) -> Promise<(value: Value, cost: Int)> {
      var call = CallOptions(options + [.onProgress(nil)])
      call.progress = progress
      return send(endpoint, call, file, line).validate(file: file, line: line)
        .parse { response in
          let value = try make(response)
          return (value, cost(value, response))
        }
    }
    if request.cachePolicy == .noStore { return work(progress).map(on: .inline) { $0.value } }
    return cache.value(
      for: key, on: callbackContext,
      reloads: [.reload, .revalidate].contains(request.cachePolicy), progress: progress, file, line,
      make: work)
  }
}

extension URL {
  /// Returns the URL with header fields as its fragment, which is never sent.
  ///
  /// Fields that trace a request are left out.
  fileprivate func varying(by headers: HTTPHeaders) -> URL {
    var headers = headers
    headers.removeTracingFields()
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.fragment = headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
      .joined(separator: "\n")
    return headers.isEmpty ? self : parts?.url ?? self
  }
}
