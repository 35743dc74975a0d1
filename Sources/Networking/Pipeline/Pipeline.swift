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
        run = Self.watched(stage, next)
      }
    }
    self.run = run
  }

  /// A stage of somebody else's, which may never call back: notes when it has the exchange in its hands.
  private static func watched(
    _ stage: any Interceptor, _ next: @escaping Interceptor.Next
  ) -> Interceptor.Next {
    let name = stage.name
    return { exchange in
      let call = exchange.call
      let answers = call.trace.events?.answers
      call.trace.holder = name
      let answer = stage.intercept(exchange) { inner in
        call.trace.holder = nil
        return next(inner).always(on: .inline) { _ in call.trace.holder = name }
      }
      return answer.always(on: .inline) { result in
        call.trace.holder = nil
        guard let answers, case .success = result else { return }
        call.trace.events?.answered(by: name, since: answers)
      }
    }
  }

  /// Sends an exchange through all stages.
  func send(_ exchange: Exchange) -> NetworkPromise {
    run(exchange)
  }
}
