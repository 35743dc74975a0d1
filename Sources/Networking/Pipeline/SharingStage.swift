import CatenaSystem
import Foundation
import Promises

/// The stage that shares one exchange among identical concurrent requests, and cancels it when all
/// callers have left.
///
/// The stages outside it run for each caller: the deadline of the call and the interceptors. The
/// stages inside it run once for all callers: retries, redirects and hops.
final class SharingStage: BuiltInStage {
  typealias Machine = SharingMachine<SharingKey, Response, NetworkPromise, SharedExchange>

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
      $0.enter(key, resolver, sharing: SharedExchange(of: exchange.call.id, reportingTo: events))
    }
    if !isFirst { events?.share(with: shared.state.events?.call) }
    let hasEarlierAttempts = exchange.state.follow(shared.state)
    // Added before the promise is returned, so that the handlers of the promise run after the last
    // progress report.
    if let progress = exchange.call.options.progress {
      shared.progress.add(progress, for: ticket.caller)
    }
    resolver.onCancelOrExplain { isCancelled in
      guard isCancelled else {
        let name = isFirst ? nil : "the exchange that call \(shared.call) began"
        return (name, self.machine.withLock { $0.work(of: ticket) }.map { [$0] } ?? [])
      }
      shared.progress.remove(ticket.caller)
      self.machine.withLock { $0.left(ticket) }.work?.cancel()
      return (nil, [])
    }
    if isFirst {
      let work = next(copy(of: exchange) { $0.state = shared.state })
      // All callers may have left while the exchange was started.
      if !machine.withLock({ $0.began(ticket, work) }) { work.cancel() }
      work.always(on: .inline) { result in
        // `RetryStage` does not end a single attempt, so it is ended here.
        shared.state.end(result)
        for caller in self.machine.withLock({ $0.ended(ticket) }) { caller.resolve(result) }
      }
    }
    // The response does not contain the attempts of the call's earlier exchanges yet.
    return hasEarlierAttempts ? exchange.recordingAttempt(promise) : promise
  }
}

/// The state and the progress that the callers of one exchange share.
struct SharedExchange: Sendable {
  /// The state of the exchange.
  ///
  /// Attempts belong to the exchange, not to a caller.
  let state: CallState
  let progress = ProgressBroadcaster()
  /// The call that starts the exchange.
  let call: NetworkEvent.CallID

  /// - Parameters:
  ///   - call: The call that starts the exchange.
  ///   - events: The events of the call.
  init(of call: NetworkEvent.CallID = .init(), reportingTo events: CallEvents? = nil) {
    self.call = call
    state = CallState(reportingTo: events, sharedProgress: progress)
  }
}

/// The key of requests that may share an exchange.
///
/// It contains credentials, so its description has only the method and the redacted URL.
struct SharingKey: Hashable, Sendable {
  /// The request, without the fields that only trace it.
  private let request: HTTPRequest
  /// The client's credentials.
  ///
  /// They are compared even if they are for another origin, because a redirect may lead to it.
  private let credentials: Credentials?
  /// The user of a session, which has the same credentials for all users.
  private let identity: String?
  /// The sessions of the callers, whose end also ends the exchange.
  private let sessions: CallSessions
  /// Whether the client may add credentials.
  ///
  /// An interceptor of hops may add credentials of its own to such requests.
  private let sendsCredentials: Bool
  /// The revision of the client's cookies.
  ///
  /// All cookies count, because a redirect may lead to any host.
  private let cookieRevision: UInt64?
  private let source: SelectedTransport.Source
  /// Whether the request is intercepted.
  ///
  /// A request of a token refresh must not wait for an exchange that waits for the refresh.
  private let isIntercepted: Bool
  /// The identity of the interceptors of attempts and hops, which a copy of the client may change.
  private let interceptors: UUID?
  /// Whether the request has its own retry policy.
  ///
  /// Policies cannot be compared.
  private let hasRetryPolicy: Bool
  /// The use of stored responses, which decides about the request that is sent and the response.
  private let cachePolicy: Request.CachePolicy
  private let cacheLifetime: Duration?
  /// The hash of the parts that differ most often, computed once.
  ///
  /// The other parts are compared, but not hashed.
  private let hash: Int

  /// Makes the key of an exchange.
  ///
  /// Returns `nil` if the exchange is never shared.
  init?(_ exchange: Exchange, cookies: CookieStage? = nil) {
    guard [.get, .head].contains(exchange.request.method),
      exchange.call.options.destination.isMemory,
      case .none = exchange.request.body,
      // Attributes cannot be compared, and interceptors may read them.
      exchange.interceptors.innerRevision == nil || !exchange.request.attributes.hasCallersKeys
    else { return nil }
    var request = exchange.request
    request.headers.removeTracingFields()
    self.request = request
    credentials = exchange.credentials
    identity = exchange.credentials?.scheme.provider?.identity
    sessions = exchange.call.sessions
    sendsCredentials = exchange.sendsCredentials
    cookieRevision = cookies?.revision
    source = exchange.call.transport.source
    isIntercepted = exchange.isIntercepted
    interceptors = exchange.interceptors.innerRevision
    hasRetryPolicy = exchange.call.request.retry != nil
    cachePolicy = exchange.call.request.cachePolicy
    cacheLifetime = exchange.call.request.cacheLifetime
    var hasher = Hasher()
    hasher.combine(request.method)
    hasher.combine(request.url)
    hasher.combine(request.headers["Authorization"])
    hasher.combine(credentials?.scheme)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension SharingKey: BrieflyDescribed {
  package var description: String { request.description }
}

extension HTTPHeaders {
  /// Removes the fields that only trace a request, and do not affect the response.
  ///
  /// Source: W3C Trace Context; the `X-` fields are common practice.
  package mutating func removeTracingFields() {
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
