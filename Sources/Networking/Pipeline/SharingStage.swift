import Foundation
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
    guard exchange.call.request.isShared ?? sharesAll, let key = SharingKey(exchange) else {
      return next(exchange)
    }
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    let events = exchange.events
    let (ticket, shared, isFirst) = machine.withLock {
      $0.enter(key, resolver, reportingTo: events)
    }
    if !isFirst { events?.share(with: shared.state.events?.call) }
    // All of it before the promise is handed out: its handlers come after the last progress.
    let hasHistory = exchange.state.follow(shared.state)
    if let progress = exchange.call.destination.progress {
      shared.progress.add(progress, for: ticket.caller)
    }
    resolver.onCancel {
      shared.progress.remove(ticket.caller)
      self.leave(ticket)
    }
    if isFirst { start(exchange.shared(as: shared), ticket, shared, next) }
    // The attempts of earlier exchanges of the call are not on the answer yet.
    return hasHistory ? exchange.recordingAttempt(promise) : promise
  }

  private func start(
    _ exchange: Exchange, _ ticket: SharingMachine.Ticket, _ shared: SharedExchange, _ next: Next
  ) {
    let work = next(exchange)
    // All may have left while it was started.
    if !machine.withLock({ $0.began(ticket, work) }) { work.cancel() }
    work.always(on: .inline) { result in
      // One alone is not ended by the stage that began it, and here nobody else may do so.
      shared.state.end(result)
      for caller in self.machine.withLock({ $0.ended(ticket) }) { caller.resolve(result) }
    }
  }

  private func leave(_ ticket: SharingMachine.Ticket) {
    if case .abandoned(let work, _) = machine.withLock({ $0.left(ticket) }) { work?.cancel() }
  }
}

/// What the callers of one exchange have in common: its account, and its progress.
struct SharedExchange: Sendable {
  /// Its own, as attempts and whoever has it in his hands are matters of the exchange, not of a caller.
  let state: CallState
  let progress = ProgressBroadcaster()

  /// - Parameter events: tells those who watch what happens to it: those of the call that begins it.
  init(reportingTo events: CallEvents? = nil) {
    state = CallState(reportingTo: events, sharedProgress: progress)
  }
}

extension Exchange {
  /// The same on behalf of several callers.
  func shared(as shared: SharedExchange) -> Exchange {
    var exchange = self
    exchange.state = shared.state
    return exchange
  }
}

/// What two requests have to have in common to be one exchange.
///
/// It holds credentials, so nothing of it but the method and the redacted URL is ever shown.
struct SharingKey: Hashable, Sendable {
  /// Fields that number or trace a request and change nothing about its answer.
  ///
  /// Source: W3C Trace Context; the others are custom of long standing.
  private static let tracing = ["traceparent", "tracestate", "X-Request-ID", "X-Correlation-ID"]

  /// Without the fields that only trace it.
  private let request: HTTPRequest
  /// Where they go on a redirect is the same too, so they count whatever the origin of the request.
  private let credentials: Credentials?
  private let source: SelectedTransport.Source
  /// What a token's refresh asks for must not wait for an exchange that waits for the refresh.
  private let isIntercepted: Bool
  /// Policies cannot be compared.
  private let hasRetryPolicy: Bool
  /// Of what differs most, taken once: fields are compared, but seldom tell two requests apart.
  private let hash: Int

  /// The key of an exchange; nil when it is one that is never shared.
  init?(_ exchange: Exchange) {
    guard [.get, .head].contains(exchange.request.method), exchange.call.destination.isToMemory,
      case .none = exchange.request.body
    else { return nil }
    var request = exchange.request
    for name in Self.tracing where request.headers.contains(name) { request.headers.remove(name) }
    self.request = request
    credentials = exchange.credentials
    source = exchange.call.transport.source
    isIntercepted = exchange.isIntercepted
    hasRetryPolicy = exchange.call.endpoint.retry != nil
    var hasher = Hasher()
    hasher.combine(request.method)
    hasher.combine(request.url)
    hasher.combine(request.headers["Authorization"])
    hasher.combine(credentials?.value)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

extension SharingKey: CustomStringConvertible, CustomReflectable {
  var description: String {
    "\(request.method) \(Redactor.standard.maskedURL(request.url.absoluteString))"
  }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Tells several how one transfer gets on, those too who come in the middle of it.
final class ProgressBroadcaster: ProgressReporting {
  private struct State {
    var progress = TransferProgress()
    var reporters: [Int: any ProgressReporting] = [:]
  }

  private let state = Mutex(State())

  /// Tells another one, at once when there is something to tell.
  ///
  /// - Parameters:
  ///   - reporter: who is told.
  ///   - number: by what name it is removed.
  func add(_ reporter: any ProgressReporting, for number: Int) {
    let hasBegun = state.withLock { state in
      state.reporters[number] = reporter
      return state.progress != TransferProgress()
    }
    if hasBegun { report(reporter) }
  }

  /// Tells one no more.
  func remove(_ number: Int) {
    let reporter = state.withLock { $0.reporters.removeValue(forKey: number) }
    withExtendedLifetime(reporter) {}
  }

  func begin() {
    for reporter in update({ $0 = TransferProgress() }) { reporter.begin() }
  }

  func change(_ change: (inout TransferProgress) -> Void) {
    for reporter in update(change) { report(reporter) }
  }

  private func update(_ change: (inout TransferProgress) -> Void) -> [any ProgressReporting] {
    state.withLock { state in
      change(&state.progress)
      return state.reporters.isEmpty ? [] : Array(state.reporters.values)
    }
  }

  /// What is newest is read when the reporter takes it in, so that of two who tell it the later one never
  /// takes it back.
  private func report(_ reporter: any ProgressReporting) {
    reporter.change { $0 = state.withLock { $0.progress } }
  }
}
