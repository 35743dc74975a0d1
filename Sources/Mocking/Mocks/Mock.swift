public import Foundation
public import Networking

/// A mocked response, or a mocked failure.
///
/// ```swift
/// .json(["token": "t-1"])
/// .status(404)
/// .failure(.connectionLost).delayed(by: .seconds(2))
/// .text("...").dribbled(pieces: 10, over: .seconds(5))
/// .data(image).interrupted(by: .reset, at: .body(afterBytes: 512))
/// .sequence(.status(503), .status(503), .json([]))
/// ```
///
/// A mock describes the response, its delays, its speed and its faults. A ``MockServer`` serves it
/// on a socket; a ``MockTransport`` or a ``MockProvider`` serves it in memory. Both give a client
/// the same response and the same failures. A mock is a value. Its uses are counted by the server,
/// transport or provider that serves it.
public struct Mock: Sendable {
  /// The status code, three digits.
  public var status: Int
  /// The header fields.
  ///
  /// If they contain neither `Content-Length` nor `Transfer-Encoding`, one of these fields is
  /// added. Fields set here are sent unchanged, even if they contradict the body. A name that is
  /// not a token, or a value with CR, LF or NUL, is never sent; the response is then a 500 with an
  /// error message.
  public var headers: HTTPHeaders
  /// The body.
  ///
  /// It is not sent in response to HEAD, nor with a status of 1xx, 204 or 304.
  public var body: Body
  /// A failure in place of a response.
  ///
  /// `nil` sends a response.
  ///
  /// In memory the request fails with it. A ``MockServer`` causes the nearest failure on the socket:
  ///
  /// | failure | on a socket |
  /// |---|---|
  /// | `connectionLost`, `cannotConnect`, `notConnectedToInternet`, `dnsFailed`, failures of TLS | a reset of the connection after the status line: `connectionLost` |
  /// | `timedOut` | no response, until the client reaches its timeout |
  /// | `malformedResponse` | garbage in place of a status line |
  /// | another code, an error of another type | a 500 with the code or the type of the error |
  public var failure: Failure?
  /// The delay before the first byte.
  ///
  /// `nil` uses the default of the server, transport or provider.
  public var delay: MockDelay?
  /// The delay between the head and the body.
  ///
  /// `nil` means no delay.
  public var bodyDelay: MockDelay?
  /// The pacing of the body.
  ///
  /// `nil` sends it as fast as the client reads it.
  var pace: Pace?
  package var interruption: Interruption?
  var source = Source.fields
  /// The requests that the backend sends after the response.
  var webhooks: [WebhookSource] = []
  /// The interim responses (1xx) before the response.
  var interimResponses: [InterimResponse] = []
  /// The header fields after the body.
  var trailers: HTTPHeaders = [:]
  /// The body of a forwarded response, in place of ``body``.
  package var relay: RelayedBody?
  /// Whether a ``Body/generated(byteCount:_:)`` body is read from a file.
  ///
  /// A server reads it on another thread than that of the connections.
  var readsFile = false
  /// Whether the response was recorded, so that its CORS fields refer to pages of another server.
  package var isRecorded = false

  /// The isolated client of the request.
  var client: Client?

  /// An isolated client, whose sequences and counters are its own.
  struct Client: Sendable, Hashable {
    /// `nil` for a request without a client.
    let id: String?
    /// The value of `Set-Cookie` that the response adds.
    let newCookie: String?
    let limit: Int
  }

  /// The source of the response.
  enum Source: Sendable {
    /// The other properties of the mock.
    case fields
    case sequence(ResponseSequence)
    case weighted(WeightedChoice)
    case template(
      @Sendable (_ request: ReceivedRequest, _ values: TemplateValues) throws -> Mock)
    /// The mock cannot be served, for this reason.
    case invalid(String)
  }

  package struct Interruption: Hashable {
    package let fault: MockFault
    package let stage: MockFault.Stage
    /// The probability of the fault, from 0 to 1.
    package internal(set) var chance = 1.0

    /// Creates an interruption.
    package init(fault: MockFault, stage: MockFault.Stage, chance: Double = 1) {
      self.fault = fault
      self.stage = stage
      self.chance = chance
    }
  }

  /// Creates a mock.
  ///
  /// - Parameters:
  ///   - status: The status code, 100 to 999.
  ///   - headers: The header fields.
  ///   - body: The body.
  ///   - failure: A failure in place of a response. All other parameters except `delay` are then
  ///     ignored.
  ///   - delay: The delay before the first byte. `nil` uses the default of the server, transport or
  ///     provider.
  public init(
    status: Int = 200, headers: HTTPHeaders = [:], body: Body = .none,
    failure: Failure? = nil, delay: MockDelay? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.failure = failure
    self.delay = delay
  }

  /// Returns a copy with a header field set.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - value: The value. It replaces all existing values.
  /// - Returns: The mock.
  public func header(_ name: String, _ value: String) -> Mock {
    copy(of: self) { $0.headers[name] = value }
  }

  /// Returns a copy that inherits from the sequence or template that produced this mock.
  ///
  /// Delays, pacing, faults and header fields that this mock does not set are copied from `outer`,
  /// and so are the webhooks.
  package func inheriting(_ outer: Mock) -> Mock {
    var mock = self
    mock.delay = delay ?? outer.delay
    mock.bodyDelay = bodyDelay ?? outer.bodyDelay
    mock.pace = pace ?? outer.pace
    mock.client = client ?? outer.client
    mock.interruption = interruption ?? outer.interruption
    if !outer.webhooks.isEmpty { mock.webhooks = outer.webhooks + webhooks }
    if !outer.headers.isEmpty { mock.headers = outer.headers.merging(headers) }
    if interimResponses.isEmpty { mock.interimResponses = outer.interimResponses }
    if !outer.trailers.isEmpty { mock.trailers = outer.trailers.merging(trailers) }
    return mock
  }
}

extension Mock {
  /// The body of a mock.
  public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes, sent with a `Content-Length`.
    case data(Data)
    /// Pieces, each sent as one chunk in the chunked coding.
    ///
    /// Empty pieces are skipped.
    case chunks([Data])
    /// Bytes that are generated while they are sent, with a `Content-Length`.
    ///
    /// They use no memory.
    ///
    /// The closure returns the bytes of a range. On a socket it runs on the thread that serves all
    /// connections. Excess bytes are dropped. If the closure returns fewer bytes, it is called
    /// again for the rest. If it returns no bytes, the connection is closed.
    case generated(byteCount: Int, @Sendable (_ range: Range<Int>) -> Data)
    /// The contents of a file, read while they are sent.
    case file(MockFile)
    /// Items that are sent one after another, each as one chunk, with delays between them.
    case stream(MockStream)
  }

  /// A failure in place of a response.
  public enum Failure: Sendable {
    /// A failure of the transport. The request fails with a `NetworkError` that has the code.
    case code(NetworkError.Code)
    /// An error of any type. The request fails with the error itself.
    case error(any Error)

    /// The code, or `nil` for an error that is no `NetworkError`.
    var code: NetworkError.Code? {
      switch self {
      case .code(let code): code
      case .error(let error): (error as? NetworkError)?.code
      }
    }

    /// The code or, for an error that has none, the name of its type.
    var name: String {
      switch self {
      case .code(let code): "\(code)"
      case .error(let error):
        (error as? NetworkError).map { "\($0.code)" } ?? "\(type(of: error))"
      }
    }
  }

  /// Returns the response for an error that a handler or a template threw, or with which its
  /// promise was rejected.
  static func handlerFailed(_ error: any Error) -> Mock {
    .text("the handler failed: \(error)\n", status: 500)
  }

  /// Returns the response of a server for a mock that cannot be served.
  static func unavailable(_ reason: String) -> Mock {
    .text("\(reason)\n", status: 500)
  }
}

extension TransportFailure {
  /// Creates the failure of a request that a mock fails.
  init(_ failure: Mock.Failure) {
    switch failure {
    case .code(let code): self.init(code: code, detail: "mocked")
    // The description of the error may contain secrets.
    case .error(let error): self.init(rejectingWith: error, detail: "mocked \(type(of: error))")
    }
  }
}

extension Mock: BrieflyDescribed {
  /// The status, the failure, or the kind of a mock that is chosen or made for each request: `Mock(404)`,
  /// `Mock(connectionLost)`, `Mock(sequence)`, `Mock(weighted)`, `Mock(template)`, `Mock(invalid)`.
  public var description: String {
    let content =
      switch source {
      case .fields: failure?.name ?? "\(status)"
      case .sequence: "sequence"
      case .weighted: "weighted"
      case .template: "template"
      case .invalid: "invalid"
      }
    return "Mock(\(content))"
  }
}
