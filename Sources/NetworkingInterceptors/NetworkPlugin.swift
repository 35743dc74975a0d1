public import Networking
public import Promises

/// An interceptor that consists of four optional hooks.
///
/// ```swift
/// struct OpenRequests: NetworkPlugin {
///   let count: Counter
///   func willSend(_ request: HTTPRequest) { count.increment() }
///   func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) {
///     count.decrement()
///   }
/// }
/// ```
///
/// Each hook is called once for each exchange, in the order below, on any thread, and must not
/// block. Its ``InterceptorLevel`` determines whether a plugin observes calls, attempts or hops.
///
/// A type that conforms is not isolated to an actor. To update a view, add a closure with
/// `networking.addMonitor { event in … }`.
public protocol NetworkPlugin: Interceptor {
  /// Returns the request to send.
  ///
  /// - Parameter request: The request.
  /// - Returns: The same request, or a changed one.
  /// - Throws: An error that rejects the request. The request is not sent, and no other hook is
  ///   called.
  func prepare(_ request: HTTPRequest) throws -> HTTPRequest

  /// Observes the request before it is sent.
  ///
  /// - Parameter request: The result of ``prepare(_:)``.
  func willSend(_ request: HTTPRequest)

  /// Observes the result, including that of a cancelled request.
  ///
  /// - Parameters:
  ///   - result: The response, whatever its status, or the error.
  ///   - request: The request that was sent.
  func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest)

  /// Returns the response to deliver.
  ///
  /// Not called for a cancelled request.
  ///
  /// - Parameters:
  ///   - result: The response, whatever its status, or the error.
  ///   - request: The request that was sent.
  /// - Returns: The same response, or another one.
  /// - Throws: The same error, or another one.
  func process(_ result: Result<Response, any Error>, of request: HTTPRequest) throws -> Response
}

extension NetworkPlugin {
  /// Returns the request unchanged.
  public func prepare(_ request: HTTPRequest) throws -> HTTPRequest { request }

  /// A no-op.
  public func willSend(_ request: HTTPRequest) {}

  /// A no-op.
  public func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) {}

  /// Returns the response, or throws the error, unchanged.
  public func process(
    _ result: Result<Response, any Error>, of request: HTTPRequest
  ) throws -> Response {
    try result.get()
  }

  /// Calls the hooks before and after the remaining stages.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    firstly {
      var prepared = exchange
      prepared.request = exchange.request.replaced(by: try prepare(exchange.request))
      let request = prepared.request
      willSend(request)
      return next(prepared)
        .always(on: .inline) { result in didReceive(result, of: request) }
        .asResult()
        .map { result in try process(result, of: request) }
    }
  }
}
