import Promises

extension Transport {
  /// Performs an exchange and makes a response of its events.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - delivery: what becomes of the body.
  ///   - events: tells those who watch what happens; nil when nobody does.
  /// - Returns: a promise on the inline context, settled on the transport's thread, or on that which wrote
  ///   a file: once all has come, or, for a stream, once the head has. Cancelling it, or the
  ///   departure of its last consumer, cancels the exchange.
  func perform(
    _ request: HTTPRequest, _ delivery: Delivery = Delivery(), telling events: HopEvents? = nil
  ) -> NetworkPromise {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    if case .file(let target) = delivery.destination {
      do {
        try PartialFile.check(target.url, replacing: target.replaces)
      } catch {
        resolver.reject(NetworkError(.fileNotWritten, error.reason, request: .init(request)))
        return promise
      }
    }
    delivery.progress?.begin()
    let receiver = ResponseReceiver(request, delivery, resolver, telling: events)
    let receive: @Sendable (TransportEvent) -> Void = { receiver.receive($0) }
    let handle = events == nil ? start(request, receive) : start(request.asWatched, receive)
    receiver.flow?.attach(handle)
    resolver.onCancel {
      handle.cancel()
      receiver.abandon()
    }
    return promise
  }
}

extension HTTPRequest {
  fileprivate var asWatched: HTTPRequest {
    var request = self
    request.isWatched = true
    return request
  }
}
