public import Promises

/// A stage of the pipeline, which observes, changes, repeats or replaces requests and their
/// responses.
///
/// ```swift
/// struct Stopwatch: Interceptor {
///   func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
///     let start = ContinuousClock.now
///     return next(exchange).always(on: .inline) { _ in print(ContinuousClock.now - start) }
///   }
/// }
/// ```
///
/// A type that conforms is not isolated to an actor. The closures of ``RefreshInterceptor``, and those of
/// `RequestAdapter`, `HeaderInjector` and `ResponseInterceptor` of `NetworkingInterceptors`, run on the
/// actor in whose code they are written.
public protocol Interceptor: Sendable {
  /// The name of the interceptor in errors.
  ///
  /// The default is the name of its type.
  ///
  /// The error of a call that timed out names the interceptor that has not called back.
  var name: String { get }

  /// The remaining stages, with the transport at their end.
  ///
  /// An interceptor may call it once, again after the promise has settled (to retry, or to follow a
  /// redirect), or not at all (to respond itself), from any thread.
  typealias Next = @Sendable (_ exchange: Exchange) -> NetworkPromise

  /// Handles an exchange.
  ///
  /// It runs on the thread of the outer stage and must not block. Cancelling the returned promise
  /// must cancel the work that the interceptor has started; a promise derived from that of `next`
  /// does so.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise
}

extension Interceptor {
  /// The name of the interceptor's type.
  public var name: String { "\(type(of: self))" }
}
