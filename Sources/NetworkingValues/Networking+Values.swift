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
  /// The key is the URL of the request, so use a cache for each account. While a value is requested and decoded, further callers wait
  /// for the same one; the request is cancelled when all of them have cancelled. The response is
  /// validated, and its body is the cost of the value.
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

  /// Requests values with the lowest priority, unless the options have another one.
  func prefetch<Value: Sendable>(
    _ endpoints: [Endpoint], _ options: [RequestOption], _ cache: ValueCache<URL, Value>,
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
    _ endpoint: Endpoint, _ options: [RequestOption], _ cache: ValueCache<URL, Value>,
    _ file: StaticString, _ line: UInt,
    cost: @escaping @Sendable (_ value: Value, _ response: Response) -> Int = { $1.data.count },
    _ make: @escaping @Sendable (_ response: Response) throws -> Value
  ) -> Promise<Value> {
    let key: URL
    do {
      let hop = try firstHop(of: endpoint, options)
      guard hop.method == .get else {
        throw NetworkError(
          .unsupported, "only the values of GET requests can be cached", request: .init(hop))
      }
      key = hop.url
    } catch {
      return .rejected(error, file: file, line: line)
    }
    return cache.value(for: key, on: callbackContext, file, line) {
      send(endpoint, CallOptions(options), file, line).validate(file: file, line: line)
        .parse { response in
          let value = try make(response)
          return (value, cost(value, response))
        }
    }
  }
}
