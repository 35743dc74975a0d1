import Promises

/// An interceptor in four hooks, of which one implements what one needs.
///
/// ```swift
/// struct Spinner: NetworkPlugin {
///   func willSend(_ request: HTTPRequest) { indicator.start() }
///   func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) { indicator.stop() }
/// }
/// ```
///
/// For each exchange they are called in this order, each once, on whatever thread it is on then; they
/// must not block. Where it stands outside the retries they see a call, further in an attempt.
public protocol NetworkPlugin: Interceptor {
  /// Gives the request to send.
  ///
  /// - Parameter request: the request as it came here.
  /// - Returns: the same, or a changed one.
  /// - Throws: anything, which rejects the request; nothing of it is sent, and no other hook is called.
  func prepare(_ request: HTTPRequest) throws -> HTTPRequest

  /// Sees the request that is about to be sent.
  ///
  /// - Parameter request: what ``prepare(_:)`` gave.
  func willSend(_ request: HTTPRequest)

  /// Sees what came of it; of a request that was cancelled, too.
  ///
  /// - Parameters:
  ///   - result: the response, of whatever status, or the error.
  ///   - request: what was sent.
  func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest)

  /// Gives the answer; not called for a request that was cancelled.
  ///
  /// - Parameters:
  ///   - result: the response, of whatever status, or the error.
  ///   - request: what was sent.
  /// - Returns: the response, the same or another.
  /// - Throws: the error, the same or another.
  func process(_ result: Result<Response, any Error>, of request: HTTPRequest) throws -> Response
}

extension NetworkPlugin {
  /// Changes nothing.
  public func prepare(_ request: HTTPRequest) throws -> HTTPRequest { request }

  /// Does nothing.
  public func willSend(_ request: HTTPRequest) {}

  /// Does nothing.
  public func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) {}

  /// Changes nothing.
  public func process(
    _ result: Result<Response, any Error>, of request: HTTPRequest
  ) throws -> Response {
    try result.get()
  }

  /// Calls the hooks around the stages further in.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    let request: HTTPRequest
    do {
      request = try prepare(exchange.request)
    } catch {
      return .rejected(error)
    }
    var prepared = exchange
    prepared.request = request
    willSend(request)
    return next(prepared)
      .always(on: .inline) { result in didReceive(result, of: request) }
      .asResult()
      .map { result in try process(result, of: request) }
  }
}
