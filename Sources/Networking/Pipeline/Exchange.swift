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
  let credentials: NetworkingSettings.Credentials?
  /// What becomes of the body of the response.
  let delivery: Delivery
  /// What performs the hops.
  let transport: any Transport

  init(
    _ request: HTTPRequest, timeout: Duration? = nil,
    credentials: NetworkingSettings.Credentials? = nil, delivery: Delivery = Delivery(),
    over transport: any Transport
  ) {
    self.request = request
    self.timeout = timeout
    self.credentials = credentials
    self.delivery = delivery
    self.transport = transport
  }
}
