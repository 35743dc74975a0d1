/// The request of a call in a trace, and its hops.
///
/// A hop is one exchange with a server: each attempt has one, and another one for each redirect and
/// each answered challenge.
public struct TraceCall: Sendable, Hashable {
  /// One exchange of a call, which is a `CLIENT` span in an export.
  ///
  /// Source: OpenTelemetry semantic conventions, "Semantic conventions for HTTP spans", section "HTTP client span".
  public struct Hop: Sendable, Hashable {
    /// The identifier that the hop has sent in its `traceparent`.
    ///
    /// `nil` if it has sent none; an export derives one.
    public var spanID: SpanID?
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The number of the hop in its attempt, from 1.
    public var number: Int
    /// The start of the hop.
    public var start: Duration
    /// The end of the hop, or `nil` while it is running.
    public var end: Duration?
    /// The method.
    public var method: String
    /// The URL without secrets.
    public var url: String
    /// The path with placeholders for its values, such as `/v1/boards/{}`: the attribute `url.template`.
    ///
    /// `nil` if it is unknown: after a redirect, and for a path from a string.
    public var template: String?
    /// The status of the response.
    public var status: Int?
    /// The code of the error, such as `timedOut.idle`, or `nil` without an error: the attribute `error.type`.
    public var errorType: String?
    /// The HTTP version: `1.1`, `2` or `3`.
    public var httpVersion: String?
    /// The IP address of the server or the proxy, or the path of a Unix socket.
    public var address: String?
    /// The port of the server or the proxy.
    public var port: Int?

    /// Creates a hop.
    ///
    /// - Parameters:
    ///   - spanID: The identifier that the hop has sent.
    ///   - attempt: The number of the attempt, from 1.
    ///   - number: The number of the hop in its attempt, from 1.
    ///   - start: The start.
    ///   - end: The end, or `nil` while the hop is running.
    ///   - method: The method.
    ///   - url: The URL without secrets.
    ///   - template: The path with placeholders for its values.
    ///   - status: The status of the response.
    ///   - errorType: The code of the error.
    ///   - httpVersion: The HTTP version.
    ///   - address: The address of the server or the proxy.
    ///   - port: The port of the server or the proxy.
    public init(
      spanID: SpanID? = nil, attempt: Int = 1, number: Int = 1, start: Duration, end: Duration?,
      method: String, url: String, template: String? = nil, status: Int? = nil,
      errorType: String? = nil, httpVersion: String? = nil, address: String? = nil,
      port: Int? = nil
    ) {
      self.spanID = spanID
      self.attempt = attempt
      self.number = number
      self.start = start
      self.end = end
      self.method = method
      self.url = url
      self.template = template
      self.status = status
      self.errorType = errorType
      self.httpVersion = httpVersion
      self.address = address
      self.port = port
    }
  }

  /// The number of the call in events and logs, such as `#17`, or `nil` if it is unknown.
  public var number: String?
  /// The hops in the order of their start.
  public var hops: [Hop]

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - number: The number of the call in events and logs.
  ///   - hops: The hops in the order of their start.
  public init(number: String? = nil, hops: [Hop] = []) {
    self.number = number
    self.hops = hops
  }

  /// The status of the last response.
  public var status: Int? { hops.last?.status }
}
