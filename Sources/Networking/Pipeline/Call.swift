import CatenaSystem
import Foundation
import Promises

/// A call of a client: the request, and the data that all its attempts and hops share.
///
/// A client makes one `Call` for each request and passes it on unchanged. Stages read it as
/// ``Exchange/call``.
final class Call: Sendable {
  /// The defaults that the endpoint's type declares for its requests.
  struct EndpointDefaults: Sendable {
    /// The type of the endpoint, for errors.
    var type: any RequestConvertible.Type = Request.self
    /// The header fields of the endpoint.
    var headers: HTTPHeaders = [:]
    /// The base URL of the endpoint, or of the client's endpoint type if the endpoint has none.
    ///
    /// A base URL that is set on the client overrides it. An error is thrown only if it is used.
    var baseURL: Result<URL?, any Error> = .success(nil)
    /// Whether the endpoint has the header fields and the query format of the client's endpoint type.
    var inherits = false
  }

  let id: NetworkEvent.CallID
  /// The caller's request, after the client's `beforeEach` hook.
  let request: Request
  let endpoint: EndpointDefaults
  /// The client's settings at the time of the request.
  private let snapshot: ClientSettings.Snapshot
  let transport: SelectedTransport
  /// The reception of the responses.
  let reception: Reception
  /// Provides the client's current credentials.
  ///
  /// `nil` keeps those of the snapshot.
  let credentialSource: (any CredentialSource)?
  /// The role of the offline store.
  ///
  /// `nil` means that the store is not involved.
  let offline: OfflineMode?
  /// The token refresh that made the request, if any.
  ///
  /// Read when the call is made, because the call may start on another thread.
  let refresh = RefreshRound.current
  /// The sessions in which the request was made.
  let sessions: CallSessions
  let state: CallState

  init(
    _ request: Request, endpoint: EndpointDefaults = EndpointDefaults(),
    settings: ClientSettings.Snapshot, over transport: SelectedTransport,
    receivedBy reception: Reception = Reception(),
    credentialSource: (any CredentialSource)? = nil,
    offline: OfflineMode? = nil, reportingTo events: CallEvents? = nil
  ) {
    id = events?.call ?? NetworkEvent.CallID()
    self.request = request
    self.endpoint = endpoint
    snapshot = settings
    self.transport = transport
    self.reception = reception
    self.credentialSource = credentialSource
    self.offline = offline
    sessions = reception.options.sessions ?? CallSessions(settings)
    state = CallState(reportingTo: events)
  }

  /// The client's settings at the time of the request.
  var settings: ClientSettings { snapshot.settings }

  var options: CallOptions { reception.options }

  /// The error of a call whose session has ended.
  var sessionEndedError: NetworkError { .sessionEnded(NetworkError.RequestSummary(request)) }

  /// The base URL of the stored request, or the one that is set on the client, or that of the endpoint
  /// if there is none.
  var baseURL: Result<URL?, any Error> {
    let url = if let entry = options.replayed { entry.value.baseURL } else { settings.baseURL }
    return url.map { .success($0) } ?? endpoint.baseURL
  }
}

/// A source of a client's current credentials; the client itself.
protocol CredentialSource: AnyObject, Sendable {
  /// The current credentials, bound to an origin if the client has a base URL.
  var currentCredentials: ClientCredentials { get }
}

/// The mutable state of a call: its attempts, its idempotency key, and the interceptor that holds
/// it.
///
/// A call that shares an exchange has a state of its own, which refers to the state of the exchange
/// and includes its attempts.
final class CallState: Sendable {
  private struct State: ~Copyable {
    var log = AttemptLog()
    var clock: (any Scheduler)?
    var idempotencyKey: String?
    var currentInterceptor: (any Interceptor)?
    var shared: CallState?
    var isRejectedLocally = false
    var middlewareTime = Duration.zero
  }

  /// The listeners of the client's events.
  ///
  /// `nil` when there are none.
  let events: CallEvents?
  /// The receiver of the progress for all calls that share the exchange.
  ///
  /// `nil` uses the receiver of the call itself.
  let sharedProgress: ProgressBroadcaster?
  /// The call that began the exchange that several calls share.
  ///
  /// `nil` for the state of a call.
  let sharer: NetworkEvent.CallID?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - sharer: The call that begins the exchange that several calls share. `nil` for the state of a call.
  ///   - events: The listeners of the client's events.
  init(sharedBy sharer: NetworkEvent.CallID? = nil, reportingTo events: CallEvents? = nil) {
    (self.events, self.sharer, sharedProgress) = (events, sharer, sharer.map { _ in .init() })
  }

  /// The time that the client's middleware took, which counts towards the limit of the call.
  var middlewareTime: Duration {
    get { state.withLock { $0.middlewareTime } }
    set { state.withLock { $0.middlewareTime = newValue } }
  }

  /// The custom interceptor that handles the exchange and has not called back.
  ///
  /// `nil` if there is none.
  var currentInterceptor: (any Interceptor)? {
    get {
      let (current, shared) = state.withLock { ($0.currentInterceptor, $0.shared) }
      return current ?? shared?.currentInterceptor
    }
    set { state.withLock { $0.currentInterceptor = newValue } }
  }

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - delay: The wait before the attempt.
  ///   - clock: The scheduler that measures the attempt.
  /// - Returns: The number of attempts so far, including this one.
  @discardableResult
  func begin(after delay: Duration = .zero, by clock: any Scheduler) -> Int {
    let now = clock.now
    let (count, shared) = state.withLock { state in
      state.clock = clock
      state.isRejectedLocally = false
      state.log.begin(after: delay, at: now)
      return (state.log.count, state.shared)
    }
    return count + (shared?.attemptCount ?? 0)
  }

  /// Ends the current attempt.
  ///
  /// A no-op when there is none.
  func end(_ result: Result<Response, any Error>) {
    let now = now
    state.withLock { $0.log.end(Attempt.Outcome(result), at: now) }
  }

  /// Marks the current attempt as rejected by the client because there is no network.
  ///
  /// A retry would be rejected too.
  ///
  /// - Parameter hasSent: Whether the attempt has sent anything. An attempt that sent nothing is
  ///   not counted.
  func markRejectedLocally(hasSent: Bool) {
    state.withLock { state in
      state.isRejectedLocally = true
      if !hasSent { state.log.discardCurrent() }
    }
  }

  /// Whether the client rejected the last attempt because there is no network.
  var isRejectedLocally: Bool { state.withLock { $0.isRejectedLocally } }

  /// The number of attempts so far, including the current one.
  var attemptCount: Int {
    let (count, shared) = state.withLock { ($0.log.count, $0.shared) }
    return count + (shared?.attemptCount ?? 0)
  }

  /// All attempts so far, including the current one.
  var attempts: [Attempt] {
    let now = now
    var (log, shared) = state.withLock { ($0.log, $0.shared) }
    log.append(shared?.attempts ?? [])
    return log.attempts(at: now)
  }

  /// Counts the attempts of a shared exchange as attempts of this call.
  ///
  /// - Parameter shared: The state of the exchange. It replaces that of an earlier shared exchange,
  ///   whose attempts are kept.
  /// - Returns: Whether the call has had attempts before.
  func follow(_ shared: CallState) -> Bool {
    let earlier = state.withLock { $0.shared }?.attempts ?? []
    return state.withLock { state in
      state.log.append(earlier)
      state.shared = shared
      return state.log.count > 0
    }
  }

  private var now: Duration { state.withLock { $0.clock }?.now ?? .zero }

  /// The number of the next retry, from 1.
  var nextRetryNumber: Int { state.withLock { $0.log.retries + 1 } }

  /// Counts a retry.
  func countRetry() { state.withLock { $0.log.retries += 1 } }

  /// Returns the idempotency key of the call, which is made on first use.
  func idempotencyKey(_ make: () -> String) -> String {
    if let key = state.withLock({ $0.idempotencyKey }) { return key }
    // Called without the lock, because it may be code of the user. If two threads call it, the
    // first key is kept.
    let newKey = make()
    return state.withLock { state in
      let key = state.idempotencyKey ?? newKey
      state.idempotencyKey = key
      return key
    }
  }
}

extension Attempt.Outcome {
  /// Creates the outcome of an attempt that has ended.
  package init(_ result: Result<Response, any Error>) {
    self =
      switch result {
      case .success(let response): .status(response.status)
      case .failure(let error): .failure(error)
      }
  }
}

/// A log of the attempts of a call.
struct AttemptLog {
  private var finished: [Attempt] = []
  private var current: (delay: Duration, start: Duration)?
  /// The number of retries made under the retry policy, which are subject to its limit.
  var retries = 0

  /// The number of attempts that have begun.
  var count: Int { finished.count + (current == nil ? 0 : 1) }

  /// Begins an attempt.
  ///
  /// A current attempt is recorded as unfinished.
  mutating func begin(after delay: Duration, at now: Duration) {
    end(.unfinished, at: now)
    current = (delay, now)
  }

  /// Removes the current attempt, which has sent nothing.
  mutating func discardCurrent() { current = nil }

  /// Ends the current attempt.
  ///
  /// A no-op when there is none.
  mutating func end(_ outcome: Attempt.Outcome, at now: Duration) {
    guard let (delay, start) = current.take() else { return }
    finished.append(
      Attempt(number: finished.count + 1, delay: delay, duration: now - start, outcome: outcome))
  }

  /// Appends the attempts of another log, and renumbers them.
  mutating func append(_ attempts: [Attempt]) {
    for attempt in attempts {
      finished.append(
        Attempt(
          number: finished.count + 1, delay: attempt.delay, duration: attempt.duration,
          outcome: attempt.outcome))
    }
  }

  /// All attempts that have begun, in order.
  func attempts(at now: Duration) -> [Attempt] {
    var log = self
    log.end(.unfinished, at: now)
    return log.finished
  }
}
