/// A stage of the pipeline: it sees a request go and its answer come, and may change or replace both.
///
/// ```swift
/// struct Stopwatch: Interceptor {
///   func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
///     let start = ContinuousClock.now
///     return next(exchange).always(on: .inline) { _ in print(ContinuousClock.now - start) }
///   }
/// }
/// ```
public protocol Interceptor: Sendable {
  /// What it is called in errors; its type's name unless it says otherwise.
  ///
  /// A call whose time is up names the interceptor that has it and has not called back.
  var name: String { get }

  /// The stages further in, the network at the end of them.
  ///
  /// It may be called once, again after the promise has settled (a retry, a redirect), or not at all,
  /// for an answer from elsewhere; from any thread.
  typealias Next = @Sendable (_ exchange: Exchange) -> NetworkPromise

  /// Handles an exchange.
  ///
  /// It runs on whatever thread the stage outside it runs on, and must not block. Cancelling the promise
  /// that it returns has to cancel what it has begun: a promise derived from `next`'s does.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise
}

extension Interceptor {
  /// The name of its type.
  public var name: String { "\(type(of: self))" }
}
