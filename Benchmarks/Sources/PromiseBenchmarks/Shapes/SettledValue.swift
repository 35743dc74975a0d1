import NIOCore
import Promises

extension Promise where Value: Sendable {
  /// The value, if the promise is fulfilled.
  var settledValue: Value? {
    if case .fulfilled(let value) = state { value } else { nil }
  }
}

extension EventLoopFuture where Value: Sendable {
  /// The value, if the future has succeeded; `nil` outside the event loop of the future.
  var settledValue: Value? {
    guard eventLoop.inEventLoop else { return nil }
    var value: Value?
    assumeIsolated().whenSuccess { value = $0 }
    return value
  }
}
