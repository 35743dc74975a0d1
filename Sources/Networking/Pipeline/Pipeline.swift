import Promises

/// A list of stages with a transport at its end.
struct Pipeline: Sendable {
  private let run: Interceptor.Next

  /// Puts stages around the transport that an exchange brings.
  ///
  /// - Parameter stages: outermost first.
  init(_ stages: [any Interceptor]) {
    let hop: Interceptor.Next = { $0.transport.perform($0.request, $0.delivery) }
    run = stages.reversed().reduce(hop) { next, stage in
      { stage.intercept($0, next: next) }
    }
  }

  /// Sends an exchange through all stages.
  func send(_ exchange: Exchange) -> NetworkPromise {
    run(exchange)
  }
}
