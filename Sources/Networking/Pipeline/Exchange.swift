/// One request on its way through the pipeline, and what the stages need to know besides.
///
/// It is a value: a stage that wants something changed hands a changed copy on.
public struct Exchange: Sendable {
  /// What is to be sent.
  public var request: HTTPRequest
  /// How long the call may take, with all its hops; nil is without limit.
  public let timeout: Duration?
  /// How many hops of redirection lie before this one.
  public internal(set) var redirects = 0
  /// The credentials in force when the request was made, for their origin alone.
  private(set) var credentials: NetworkingSettings.Credentials?
  /// Who knows what credentials are in force now; nil when they do not change.
  let credentialSource: (any CredentialSource)?
  /// What becomes of the body of the response.
  let delivery: Delivery
  /// Whether the interceptors that answer for others, such as a token's refresh, are for this request.
  ///
  /// An interceptor that makes requests of its own passes those by that say no, as they may be its own.
  public let isIntercepted: Bool
  /// How it is tried again; nil is as the client has it.
  let retry: RetryPolicy?
  /// The client's own interceptors, outermost first.
  let interceptors: [any Interceptor]
  /// What the stages of the call have done so far.
  let trace: CallTrace
  /// What performs the hops.
  let transport: any Transport

  init(
    _ request: HTTPRequest, timeout: Duration? = nil,
    credentials: NetworkingSettings.Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    delivery: Delivery = Delivery(), telling events: CallEvents? = nil,
    over transport: any Transport
  ) {
    self.request = request
    self.timeout = timeout
    self.credentials = credentials
    self.delivery = delivery
    self.credentialSource = credentialSource
    self.isIntercepted = isIntercepted
    self.retry = retry
    self.interceptors = interceptors
    self.transport = transport
    trace = CallTrace(telling: events)
  }

  /// The same with the credentials that are in force now.
  func withCurrentCredentials() -> Exchange {
    guard let credentialSource else { return self }
    var exchange = self
    exchange.credentials = credentialSource.credentials
    return exchange
  }
}
