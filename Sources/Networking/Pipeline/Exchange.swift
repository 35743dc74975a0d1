import Promises

/// One hop of a call: the request, and the context that the stages need.
///
/// An exchange is a value. A stage that changes something passes on a changed copy.
public struct Exchange: Sendable {
  /// The properties, in an object, because stages pass an exchange on more often than they change it.
  struct Parts {
    var request: HTTPRequest
    var redirects = 0
    var credentials: Credentials?
    /// The `Authorization` field that the client has added to the request.
    ///
    /// `nil` if it has added none.
    var addedAuthorization: String?
    let call: Call
    var state: CallState
    /// The reception of the response, if a stage has changed it.
    var reception: Reception?
    var discards: Discard?
  }

  /// The properties, which stages change here.
  var parts: CopyOnWrite<Parts>

  init(_ request: HTTPRequest, credentials: Credentials? = nil, of call: Call) {
    parts = CopyOnWrite(
      Parts(
        request: request, credentials: credentials, call: call, state: call.state,
        discards: call.reception.options.discards))
  }

  /// The request to send.
  public var request: HTTPRequest {
    _read { yield parts.value.request }
    _modify { yield &parts.value.request }
  }

  /// The number of redirects that were followed before this hop.
  public var redirects: Int { parts.value.redirects }

  /// The client's credentials when the request was made, for their origin only.
  var credentials: Credentials? { parts.value.credentials }

  /// The call that the hop belongs to.
  var call: Call { parts.value.call }

  /// The state that the stages report to: that of the call, or of the exchange that several calls
  /// share.
  var state: CallState { parts.value.state }

  /// The decision of the caller and the stages that send another request after a response.
  ///
  /// `nil` if there is none.
  var discards: Discard? { parts.value.discards }

  /// The reception of the response.
  var reception: Reception { parts.value.reception ?? call.reception }

  /// The limit for the whole call, with all its attempts and redirects.
  ///
  /// `nil` uses the client's limit.
  public var timeout: Duration? { call.request.timeout }

  /// Whether interceptors that act on behalf of other requests, such as a token refresh, apply to
  /// this request.
  ///
  /// An interceptor that makes requests itself passes on those for which this is `false`, because
  /// they may be its own.
  public var isIntercepted: Bool { call.request.isIntercepted }

  /// The scheduler of the client.
  package var scheduler: any Scheduler { call.settings.scheduler }

  /// Whether the client adds its credentials to the request.
  ///
  /// An interceptor that adds credentials of its own should pass on an exchange for which this is
  /// `false` unchanged.
  public var sendsCredentials: Bool {
    call.request.sendsCredentials != false && request.sendsCredentials
  }

  /// Returns the exchange with the client's current credentials.
  ///
  /// They replace an `Authorization` field that the client has added, but not one of the request.
  ///
  /// - Throws: The error of ``with(_:)``, and ``NetworkError`` with the code `sessionEnded`.
  package func withCurrentCredentials() throws -> Exchange {
    let current = sendsCredentials ? call.credentialSource?.currentCredentials : nil
    // After the credentials have been read, because they may be those of another user.
    try checkSessions()
    guard let current else { return self }
    return try with(current)
  }

  /// Throws if the session in which the request was made has ended.
  ///
  /// - Throws: ``NetworkError`` with the code `sessionEnded`.
  func checkSessions() throws(NetworkError) { if let sessionError { throw sessionError } }

  private var sessionError: NetworkError? {
    call.sessions.hasEnded ? .sessionEnded(.init(request)) : nil
  }

  /// Returns the exchange with credentials of the client.
  ///
  /// - Parameter clientCredentials: The credentials.
  /// - Returns: The changed exchange, or this one if it is sent without credentials.
  /// - Throws: ``NetworkError`` with the code `credentialsWithoutBaseURL` if the credentials have no
  ///   origin yet, unless the request has an `Authorization` field of its own.
  func with(_ clientCredentials: ClientCredentials) throws -> Exchange {
    guard sendsCredentials else { return self }
    let addedAuthorization = parts.value.addedAuthorization
    if case .none = clientCredentials, credentials == nil, addedAuthorization == nil { return self }
    var exchange = self
    // Inside the stage that has added the field.
    let isAuthorized =
      addedAuthorization != nil && request.headers["Authorization"] == addedAuthorization
    if isAuthorized { exchange = exchange.authorized(by: nil) }
    if case .unbound = clientCredentials, !exchange.request.headers.contains("Authorization") {
      throw NetworkError(
        .credentialsWithoutBaseURL,
        "declare a static baseURL, set that of the client, or make the request .withoutCredentials",
        request: .init(request))
    }
    exchange.parts.value.credentials =
      if case .bound(let credentials) = clientCredentials { credentials } else { nil }
    guard isAuthorized else { return exchange }
    let isSame = exchange.credentials == credentials
    // A second field would use up another number of the challenge.
    if isSame, case .digest? = credentials?.scheme { return self }
    // A provider that replaces its value has none now.
    return exchange.authorized(
      by: exchange.credentials?.field(for: exchange.request) ?? (isSame ? addedAuthorization : nil))
  }

  /// Returns the exchange with an `Authorization` field of the client, or without one for `nil`.
  func authorized(by value: String?) -> Exchange {
    var exchange = self
    exchange.request.headers["Authorization"] = value
    exchange.parts.value.addedAuthorization = value
    return exchange
  }
}

extension Exchange {
  /// Records the result of the last attempt, and adds the attempts of the call to the result if
  /// there were several.
  ///
  /// - Parameter responsePromise: The promise of the last attempt.
  /// - Returns: A promise of the same result, with the attempts.
  func recordingAttempt(_ responsePromise: NetworkPromise) -> NetworkPromise {
    responsePromise
      .map { response in recordAttempt(response) }
      .recover(on: .inline, policy: .allErrors) { error -> Response in throw recordAttempt(error) }
  }

  /// Ends the current attempt with a response, and returns it with all attempts if there were
  /// several.
  func recordAttempt(_ response: Response) -> Response {
    state.end(.success(response))
    return state.attemptCount > 1 ? response.after(state.attempts) : response
  }

  /// Ends the current attempt with an error, and returns it with all attempts if there were
  /// several.
  func recordAttempt(_ error: any Error) -> any Error {
    state.end(.failure(error))
    return (error as? NetworkError)?.after(state.attempts) ?? error
  }
}

extension Exchange: BrieflyDescribed {
  /// The method and the URL of the request, without secrets.
  public var description: String { request.description }

  /// The members without secrets.
  ///
  /// The credentials are left out.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["request": request, "redirects": redirects, "timeout": timeout as Any])
  }
}

extension Exchange {
  /// The events of the call.
  ///
  /// `nil` if the client has no monitors.
  var events: CallEvents? { state.events }

  /// The step of the call in a trace.
  ///
  /// `nil` if no trace records the call.
  package var traceStep: TraceStep? { events?.trace?.step }

  /// The origin of the base URL.
  package var baseOrigin: Origin? { (try? call.baseURL.get()).flatMap { Origin($0) } }

  /// Whether a redirect has led to another origin.
  package var hasLeftOrigin: Bool { request.options.withholdsClientCertificate }

  /// The caller's request, after the client's `beforeEach` hook.
  package var original: Request { call.request }

  /// The interceptors of the client.
  package var interceptors: InterceptorList { call.settings.interceptors }

  /// Begins to report the only hop of a performer of calls.
  ///
  /// - Returns: The receiver of its events. `nil` if the client has no monitors.
  package func beginHop() -> HopEvents? {
    events?.begin(request, attempt: max(state.attemptCount, 1), hop: 1)
  }

  /// The options of the call.
  package var options: CallOptions { call.options }

  /// The receiver of the progress: that of the call, or of all calls that share the exchange.
  package var progress: (any ProgressReceiver)? {
    state.sharedProgress ?? reception.progress
  }

  /// Adds the decision of a stage that sends another request after some responses, and does not need
  /// their bodies.
  mutating func discard(if discards: @escaping Discard) {
    parts.value.discards = { [earlier = self.discards] in
      earlier?($0, $1) == true || discards($0, $1)
    }
  }

  /// Performs the hop over the transport of the call.
  ///
  /// A stored request is not sent without the fields that were removed when it was stored. No request is
  /// sent after the end of its session.
  func perform() -> NetworkPromise {
    // Here the request has all credentials and cookies. None of another user is sent.
    if let error = sessionError ?? credentialsError { return .rejected(error) }
    return call.transport.transport.perform(
      request, reception, progress: progress, discarding: discards,
      reportingTo: events?.begin(request, attempt: state.attemptCount, hop: redirects + 1))
  }

  /// Returns the error of a stored request that lacks a field with credentials.
  ///
  /// An `Authorization` field may be missing if the client authenticates the request, because a
  /// request with Digest authentication is sent without the field first.
  private var credentialsError: NetworkError? {
    guard redirects == 0, case .replaying(_, let removedHeaders) = call.offline else { return nil }
    let missing = removedHeaders.filter { name in
      !request.headers.contains(name)
        && !(HTTPHeaders.areNamesEqual(name, "Authorization")
          && credentials?.apply(to: request) == true)
    }
    guard !missing.isEmpty else { return nil }
    return NetworkError(
      .offlineCredentialsMissing, "missing: \(missing.joined(separator: ", "))",
      request: .init(request))
  }

  /// Ends the current attempt with a result after which an interceptor sends the request again.
  ///
  /// - Returns: The exchange with the client's current credentials.
  /// - Throws: The error of ``withCurrentCredentials()``.
  package func forResend(after result: Result<Response, any Error>) throws -> Exchange {
    state.end(result)
    reportResend(after: result)
    return try withCurrentCredentials()
  }

  /// Reports that the request is sent again after a delay.
  func reportResend(after result: Result<Response, any Error>, delay: Duration = .zero) {
    guard let events else { return }
    let number = state.attemptCount
    let failed = FailedAttempt(number: number, request: request, result: result)
    let failure = NetworkEvent.Failure(failed.error, by: request.attributes.redactor)
    events.add(.retrying(after: delay, because: failure, attempt: number + 1))
  }
}

extension Transport {
  /// Performs an exchange, and makes a response from its events.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - reception: The options and settings for the response.
  ///   - progress: The receiver of the progress. `nil` reports none.
  ///   - discards: The decision of the stages about the rest of a response.
  ///   - events: The events of the hop. `nil` if the client has no monitors.
  /// - Returns: A promise on the inline context. It settles on the thread of the transport or of
  ///   the file writer, when the response is complete. For a stream it settles when the head has
  ///   arrived. The exchange is cancelled when the promise is cancelled or loses its last consumer.
  func perform(
    _ request: HTTPRequest, _ reception: Reception = Reception(),
    progress: (any ProgressReceiver)? = nil,
    discarding discards: Discard? = nil,
    reportingTo events: HopEvents? = nil
  ) -> NetworkPromise {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    @Sendable func begin() {
      progress?.begin()
      let receiver = ResponseReceiver(
        request, reception, progress, resolver, isInRealTime: needsNetwork, discarding: discards,
        reportingTo: events)
      let receive: @Sendable (TransportEvent) -> Void = { receiver.receive($0) }
      let handle =
        events == nil
        ? start(request, receive)
        : start(copy(of: request) { $0.options.reportsConnection = true }, receive)
      receiver.attach(handle)
      resolver.onCancelOrExplain { isCancelled in
        guard isCancelled else { return (receiver.awaitedPart, []) }
        handle.cancel()
        receiver.abandon()
        return (nil, [])
      }
    }
    if case .file(let target) = reception.options.destination {
      target.check { error in
        guard let error else { return begin() }
        var failure = NetworkError(.fileNotWritten, error)
        failure.request = .init(request)
        resolver.reject(failure)
      }
    } else {
      begin()
    }
    return promise
  }
}
