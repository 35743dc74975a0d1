/// One request on its way through the pipeline, and what the stages need to know besides.
///
/// It is a value: a stage that wants something changed hands a changed copy on.
public struct Exchange: Sendable {
  /// What is to be sent.
  public var request: HTTPRequest
  /// How many hops of redirection lie before this one.
  public internal(set) var redirects = 0
  /// The credentials in force when the request was made, for their origin alone.
  private(set) var credentials: NetworkingSettings.Credentials?
  /// What holds for the whole call.
  var call: CallContext

  init(
    _ request: HTTPRequest, credentials: NetworkingSettings.Credentials? = nil, of call: CallContext
  ) {
    self.request = request
    self.credentials = credentials
    self.call = call
  }

  /// How long the call may take, with all its hops; nil is without limit.
  public var timeout: Duration? { call.timeout }

  /// Whether the interceptors that answer for others, such as a token's refresh, are for this request.
  ///
  /// An interceptor that makes requests of its own passes those by that say no, as they may be its own.
  public var isIntercepted: Bool { call.isIntercepted }

  /// What it has to do with an offline store; nil is nothing.
  var offline: OfflineRole? { call.offline }

  /// The same with the credentials that are in force now.
  func withCurrentCredentials() -> Exchange {
    guard let source = call.credentialSource else { return self }
    var exchange = self
    exchange.credentials = source.credentials
    return exchange
  }
}
