import Promises

/// A list of stages with a transport at its end.
struct Pipeline: Sendable {
  private let run: Interceptor.Next

  /// Puts stages around the transport that an exchange brings.
  ///
  /// - Parameter stages: outermost first.
  init(_ stages: [any Interceptor]) {
    self.init(stages) { $0.perform() }
  }

  /// Puts stages around what there is already.
  ///
  /// - Parameters:
  ///   - stages: outermost first.
  ///   - hop: what comes further in.
  init(_ stages: [any Interceptor], around hop: @escaping Interceptor.Next) {
    // A loop, as `reduce` would lay two thunks around each of them.
    var run = hop
    for stage in stages.reversed() {
      let next = run
      if stage is any BuiltInStage {
        run = { stage.intercept($0, next: next) }
      } else {
        run = Self.observed(stage, next)
      }
    }
    self.run = run
  }

  /// A stage of somebody else's, which may never call back: notes when it has the exchange in its hands.
  private static func observed(
    _ stage: any Interceptor, _ next: @escaping Interceptor.Next
  ) -> Interceptor.Next {
    let name = stage.name
    return { exchange in
      let state = exchange.state
      let responderCount = state.events?.responderCount
      state.currentInterceptor = name
      let responsePromise = stage.intercept(exchange) { inner in
        state.currentInterceptor = nil
        return next(inner).always(on: .inline) { _ in state.currentInterceptor = name }
      }
      return responsePromise.always(on: .inline) { result in
        state.currentInterceptor = nil
        guard let responderCount, case .success = result else { return }
        state.events?.servedLocally(by: name, since: responderCount)
      }
    }
  }

  /// Sends an exchange through all stages.
  func send(_ exchange: Exchange) -> NetworkPromise {
    run(exchange)
  }
}

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

/// A stage of this module's own, that is known to call back: nobody has to watch where it got stuck.
protocol BuiltInStage: Interceptor {}

/// Runs interceptors that an exchange brings: those that the client had when the call was made.
struct InterceptorsStage: BuiltInStage {
  /// Which of them.
  let interceptors: @Sendable (_ exchange: Exchange) -> [any Interceptor]

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    let interceptors = interceptors(exchange)
    guard !interceptors.isEmpty else { return next(exchange) }
    return Pipeline(interceptors, around: next).send(exchange)
  }
}

extension Promise where Value == Response {
  /// A promise of whatever comes of this one, rejected only when that is a cancellation.
  func asResult() -> Promise<Result<Response, any Error>> {
    map { response -> Result<Response, any Error> in .success(response) }
      .recover(on: .inline) { error -> Result<Response, any Error> in .failure(error) }
  }
}
