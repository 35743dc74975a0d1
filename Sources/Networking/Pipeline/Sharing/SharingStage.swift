import Promises
import Synchronization

/// Has identical requests that are under way wait for one exchange, and breaks it off when all of them
/// have gone.
///
/// It stands inside what is each caller's own, his time limit and the interceptors that may change his
/// request, and outside what there is to be but once: the retries with their budget, the redirects, the
/// hops.
final class SharingStage: BuiltInStage {
  private let sharesAll: Bool
  private let machine = Mutex(SharingMachine())

  /// Makes a stage.
  ///
  /// - Parameter sharesAll: whether requests are shared that do not say so themselves.
  init(sharesAll: Bool) {
    self.sharesAll = sharesAll
  }

  /// How many exchanges are under way that may be shared.
  var exchangeCount: Int { machine.withLock { $0.count } }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.call.isShared ?? sharesAll, let key = SharingKey(exchange) else {
      return next(exchange)
    }
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    let events = exchange.events
    let (ticket, shared, isFirst) = machine.withLock { $0.enter(key, resolver, telling: events) }
    if !isFirst { events?.share(with: shared.trace.events?.call) }
    // All of it before the promise is handed out: its handlers come after the last progress.
    let hasHistory = exchange.call.trace.follow(shared.trace)
    if let progress = exchange.call.delivery.progress {
      shared.progress.add(progress, for: ticket.caller)
    }
    resolver.onCancel {
      shared.progress.remove(ticket.caller)
      self.leave(ticket)
    }
    if isFirst { start(exchange.shared(as: shared), ticket, shared, next) }
    // The attempts of earlier exchanges of the call are not on the answer yet.
    return hasHistory ? exchange.counting(promise) : promise
  }

  private func start(
    _ exchange: Exchange, _ ticket: SharingMachine.Ticket, _ shared: SharedExchange, _ next: Next
  ) {
    let work = next(exchange)
    // All may have left while it was started.
    if !machine.withLock({ $0.began(ticket, work) }) { work.cancel() }
    work.always(on: .inline) { result in
      // One alone is not ended by the stage that began it, and here nobody else may do so.
      shared.trace.end(result)
      for caller in self.machine.withLock({ $0.ended(ticket) }) { caller.resolve(result) }
    }
  }

  private func leave(_ ticket: SharingMachine.Ticket) {
    if case .abandoned(let work, _) = machine.withLock({ $0.left(ticket) }) { work?.cancel() }
  }
}
