import NIOCore
import Promises

extension Promise {
  /// The value if it has one by now.
  var settledValue: Value? {
    if case .fulfilled(let value) = state { value } else { nil }
  }
}

extension EventLoopFuture where Value: Sendable {
  /// The value if it has one by now; nil off the future's loop.
  var settledValue: Value? {
    guard eventLoop.inEventLoop else { return nil }
    var value: Value?
    assumeIsolated().whenSuccess { value = $0 }
    return value
  }
}
