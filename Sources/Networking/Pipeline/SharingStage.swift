import CatenaSystem
import Promises

/// The stage that shares one exchange among identical concurrent requests, and cancels it when all
/// callers have left.
///
/// The stages outside it run for each caller: the deadline of the call and the interceptors. The
/// stages inside it run once for all callers: retries, redirects and hops.
final class SharingStage: BuiltInStage {
  typealias Machine = SharingMachine<SharingKey, Response, NetworkPromise, CallState>

  private let sharesAll: Bool
  private let cookies: CookieStage?
  private let machine = Mutex(Machine())

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - sharesAll: Whether requests are shared whose ``Request/isShared`` is `nil`.
  ///   - cookies: The client's cookies.
  init(sharesAll: Bool, cookies: CookieStage? = nil) {
    self.sharesAll = sharesAll
    self.cookies = cookies
  }

  /// The number of running exchanges that may be shared.
  var exchangeCount: Int { machine.withLock { $0.count } }

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.call.request.isShared ?? sharesAll,
      let key = SharingKey(exchange, cookies: cookies)
    else { return next(exchange) }
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    let events = exchange.events
    let (ticket, shared, isFirst) = machine.withLock {
      $0.enter(key, resolver, sharing: CallState(sharedBy: exchange.call.id, reportingTo: events))
    }
    if !isFirst { events?.share(with: shared.events?.call) }
    let hasEarlierAttempts = exchange.state.follow(shared)
    // Added before the promise is returned, so that the handlers of the promise run after the last
    // progress report.
    if let progress = exchange.call.reception.progress {
      shared.sharedProgress?.add(progress, for: ticket.caller)
    }
    resolver.onCancelOrExplain { isCancelled in
      guard isCancelled else {
        let name = isFirst ? nil : shared.sharer.map { "the exchange that call \($0) began" }
        return (name, self.machine.withLock { $0.work(of: ticket) }.map { [$0] } ?? [])
      }
      shared.sharedProgress?.remove(ticket.caller)
      self.machine.withLock { $0.left(ticket) }.work?.cancel()
      return (nil, [])
    }
    if isFirst {
      let work = next(copy(of: exchange) { $0.parts.value.state = shared })
      // All callers may have left while the exchange was started.
      if !machine.withLock({ $0.began(ticket, work) }) { work.cancel() }
      work.always(on: .inline) { result in
        // `RetryStage` does not end a single attempt, so it is ended here.
        shared.end(result)
        for caller in self.machine.withLock({ $0.ended(ticket) }) { caller.resolve(result) }
      }
    }
    // The response does not contain the attempts of the call's earlier exchanges yet.
    return hasEarlierAttempts ? exchange.recordingAttempt(promise) : promise
  }
}

/// The key of requests that may share an exchange.
///
/// It contains credentials, so its description has only the method and the redacted URL. It is a class,
/// because it is larger than an exchange, and is copied several times.
final class SharingKey: Hashable, Sendable {
  /// The exchange, without the fields that only trace it.
  fileprivate let exchange: Exchange
  /// The user of a session, which has the same credentials for all users.
  private let identity: String?
  /// The revision of the client's cookies.
  ///
  /// All cookies count, because a redirect may lead to any host.
  private let cookieRevision: UInt64?
  /// The hash of the parts that differ most often, computed once.
  ///
  /// The other parts are compared, but not hashed.
  private let hash: Int

  /// Makes the key of an exchange.
  ///
  /// Returns `nil` if the exchange is never shared.
  init?(_ exchange: Exchange, cookies: CookieStage? = nil) {
    guard [.get, .head].contains(exchange.request.method),
      exchange.call.reception.options.destination.isMemory,
      case .none = exchange.request.body,
      // Attributes cannot be compared, and interceptors may read them.
      exchange.interceptors.innerRevision == nil || !exchange.request.attributes.hasCallersKeys
    else { return nil }
    var (exchange, headers) = (exchange, exchange.request.headers)
    headers.removeTracingFields()
    // An exchange is copied if it changes.
    if headers.count < exchange.request.headers.count { exchange.request.headers = headers }
    identity = exchange.credentials?.scheme.provider?.identity
    cookieRevision = cookies?.revision
    var hasher = Hasher()
    hasher.combine(exchange.request.method)
    hasher.combine(exchange.request.url)
    hasher.combine(exchange.request.headers["Authorization"])
    hasher.combine(exchange.credentials?.scheme)
    hash = hasher.finalize()
    self.exchange = exchange
  }

  static func == (left: SharingKey, right: SharingKey) -> Bool {
    if left === right { return true }
    guard left.hash == right.hash, left.identity == right.identity,
      left.cookieRevision == right.cookieRevision,
      left.exchange.request == right.exchange.request,
      // Even if they are for another origin, because a redirect may lead to it.
      left.exchange.credentials == right.exchange.credentials,
      // An interceptor of hops may add credentials of its own.
      left.exchange.sendsCredentials == right.exchange.sendsCredentials,
      // A copy of the client may change them.
      left.exchange.interceptors.innerRevision == right.exchange.interceptors.innerRevision
    else { return false }
    let (left, right) = (left.exchange.call, right.exchange.call)
    // The end of the sessions of the callers also ends the exchange. A request of a token refresh must not
    // wait for an exchange that waits for the refresh. Retry policies cannot be compared.
    return left.sessions == right.sessions && left.transport.source == right.transport.source
      && left.request.isIntercepted == right.request.isIntercepted
      && (left.request.retry == nil) == (right.request.retry == nil)
      && left.request.cachePolicy == right.request.cachePolicy
      && left.request.cacheLifetime == right.request.cacheLifetime
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension SharingKey: BrieflyDescribed {
  package var description: String { exchange.request.description }
}

extension HTTPHeaders {
  /// Removes the fields that only trace a request, and do not affect the response.
  ///
  /// Source: W3C Trace Context; the `X-` fields are common practice.
  package mutating func removeTracingFields() {
    // Fast path: no name begins like one of these.
    guard fields.contains(where: { "tTxX".utf8.contains($0.name.utf8.first ?? 0) }) else { return }
    for name in ["traceparent", "tracestate", "X-Request-ID", "X-Correlation-ID"]
    where contains(name) { remove(name) }
  }
}

/// A broadcaster of the progress of one transfer to several reporters, including late ones.
package final class ProgressBroadcaster: ProgressReceiver {
  private struct State: ~Copyable {
    var progress = TransferProgress()
    var reporters: [Int: any ProgressReceiver] = [:]
  }

  private let state = Mutex(State())

  /// Makes a broadcaster to some reporters.
  package init(_ reporters: any ProgressReceiver...) {
    for (number, reporter) in reporters.enumerated() { add(reporter, for: number) }
  }

  /// Adds a reporter, and reports the current progress to it, if there is any.
  ///
  /// - Parameters:
  ///   - reporter: The reporter.
  ///   - number: The number by which ``remove(_:)`` identifies the reporter.
  package func add(_ reporter: any ProgressReceiver, for number: Int) {
    let hasBegun = state.withLock { state in
      state.reporters[number] = reporter
      return state.progress != TransferProgress()
    }
    if hasBegun { report(reporter) }
  }

  /// Removes a reporter.
  package func remove(_ number: Int) {
    let reporter = state.withLock { $0.reporters.removeValue(forKey: number) }
    withExtendedLifetime(reporter) {}
  }

  package func begin() {
    for reporter in update({ $0 = TransferProgress() }) { reporter.begin() }
  }

  package func change(_ change: (inout TransferProgress) -> Void) {
    for reporter in update(change) { report(reporter) }
  }

  private func update(_ change: (inout TransferProgress) -> Void) -> [any ProgressReceiver] {
    state.withLock { state in
      change(&state.progress)
      return state.reporters.isEmpty ? [] : Array(state.reporters.values)
    }
  }

  /// Reports the progress.
  ///
  /// The progress is read while the reporter is updated, so the later of two concurrent reports
  /// never contains an older progress.
  private func report(_ reporter: any ProgressReceiver) {
    reporter.change { $0 = state.withLock { $0.progress } }
  }
}
