import CatenaSystem
public import Foundation

/// An event of a call, from its creation to its end.
///
/// A call is a request with all its attempts and hops.
///
/// ```swift
/// networking.addMonitor { event in
///   switch event.kind {
///   case .retrying(let delay, let failure, _): print("\(failure), retry in \(delay)")
///   case .finished(let status, let metrics): print(event.request, status, metrics.total)
///   case .failed(let failure): print(event.request, failure)
///   default: break
///   }
/// }
///
/// for await event in networking.events { record(event) }
/// ```
///
/// **Order.** The events of one call have the order below, with every transport. Events of
/// different calls have no defined order. A line in brackets is optional. A line with a star
/// repeats.
///
/// ```text
/// queued                         the call is created and enters the client's queue
/// [started]                      the call leaves the queue
///   [shared]                     the call joins an identical request in flight
///   [waiting]                    the call waits for a network or for refreshed credentials
///   sending *                    a hop begins and has these events:
///     [resolved]                   the host name is resolved
///     [connected]                  a new or reused connection is ready; or [servedLocally] instead
///     [secured]                    the TLS handshake is complete
///     [requestSent]                the request is sent, including its body
///     [head]                       the status and header fields of the response are received
///     [body]                       the response is complete
///     [servedFromCache]            the response is from the HTTP cache; possibly without `sending`
///     [redirected]                 the client follows a redirect; another hop begins
///     [challenged]                 the client answers a challenge; the hop begins again
///   [retrying]                   the client repeats the attempt; the next one begins with sending
///   [credentialsRefreshed]       the client repeats the attempt with refreshed credentials
/// finished, failed or cancelled  the call ends
/// ```
///
/// `progress` events occur between `sending` and `body`, during the transfer of the bodies. The
/// events from `resolved` to `requestSent` occur again when the server has closed a reused
/// connection and the transport replaces it. `servedLocally` means that nothing goes over the
/// network: a mock or a recording provides the response. Without a preceding `sending`, an
/// interceptor provides it.
///
/// **The final event.** Each queued call has exactly one final event, and no event follows it. This
/// includes calls that are cancelled in the queue, rejected by the middleware or ended by a
/// deadline. A call whose endpoint throws instead of returning a request never enters the queue:
/// `failed` is its only event. A streaming call ends with its body, not with its head, which
/// fulfills the promise. The later steps `validate` and `decode` are not part of the call.
///
/// **Secrets.** URLs contain no user name, password or fragment. `***` replaces the values of query
/// items and header fields with secret names, by the same rules as in a ``NetworkError``. Events
/// contain no bodies.
public struct NetworkEvent: Sendable, Hashable {
  package let context: Context
  /// The time from the creation of the call to the event, measured by the client's scheduler.
  ///
  /// It never decreases from one event of a call to the next. Some events are delivered later than
  /// they occurred: the phases of a connection, for example, are delivered together when the
  /// connection is ready. The value is the time of the occurrence.
  public let elapsed: Duration
  /// The kind of the event.
  public private(set) var kind: Kind
  /// Whether the header fields of ``kind`` are not redacted yet.
  ///
  /// The thread of a transport only stores events. Their receivers redact them.
  private var hasRawFields = false

  /// Creates an event, for tests of monitors.
  ///
  /// - Parameters:
  ///   - kind: The kind of the event.
  ///   - call: The identifier of the call.
  ///   - request: The method and the URL of the request.
  ///   - attempt: The number of the attempt, from 1.
  ///   - hop: The number of the hop, from 1.
  ///   - elapsed: The time from the creation of the call to the event.
  ///   - callStart: The wall clock time at which the call was created.
  public init(
    _ kind: Kind, call: CallID = CallID(), request: NetworkError.RequestSummary? = nil,
    attempt: Int = 0, hop: Int = 0, elapsed: Duration = .zero, callStart: Date = Date()
  ) {
    context = Context(
      call, .summary(request), attempt: attempt, hop: hop, callStart: callStart)
    self.elapsed = elapsed
    self.kind = kind
  }

  /// Creates an event of a call, whose header fields are not redacted yet.
  init(_ kind: Kind, _ context: Context, elapsed: Duration) {
    self.context = context
    self.elapsed = elapsed
    self.kind = kind
    switch kind {
    case .sending, .head: hasRawFields = true
    default: break
    }
  }

  /// The identifier of the call.
  public var call: CallID { context.call }

  /// The method and the URL of the request, without secrets.
  ///
  /// `nil` only if the endpoint returned no request.
  ///
  /// With ``Kind/queued`` and ``Kind/started``, and if the call ends before its request is built, the URL
  /// is a path unless the request itself has an absolute URL, because the client reads the base URL when
  /// the call leaves the queue. Afterwards it is the URL of the current or the last hop.
  public var request: NetworkError.RequestSummary? { context.summary }

  /// The number of the attempt, from 1; 0 before the first attempt.
  public var attempt: Int { context.attempt }

  /// The number of the hop within its attempt, from 1; 0 before the first hop.
  ///
  /// A value above 1 means that the client has followed a redirect.
  public var hop: Int { context.hop }

  /// The redactor of texts about the request.
  var redactor: Redactor { context.redactor }

  /// Redacts the header fields.
  ///
  /// Every event passes this method before it leaves the module.
  mutating func redact() {
    guard hasRawFields else { return }
    hasRawFields = false
    switch kind {
    case .sending(let headers, let bodySize):
      kind = .sending(headers: headers.redacted(by: redactor), bodySize: bodySize)
    case .head(var head):
      head.headers = head.headers.redacted(by: redactor)
      kind = .head(head)
    default: break
    }
  }

  /// The wall clock time of the event: the creation of the call plus ``elapsed``.
  public var date: Date { context.callStart.addingTimeInterval(elapsed / .seconds(1)) }

  /// Whether this is the final event of its call.
  public var isFinal: Bool {
    switch kind {
    case .finished, .failed, .cancelled: true
    default: false
    }
  }
}

extension NetworkEvent {
  /// The properties that consecutive events of a call share.
  package final class Context: Sendable, Hashable {
    /// The request of an event.
    enum RequestSource: Sendable {
      case summary(NetworkError.RequestSummary?)
      /// A URL or a path whose secrets are not masked yet.
      case unmasked(HTTPMethod, URL?, path: String, RequestAttributes)

      init(_ request: Request) {
        self = .unmasked(request.method, nil, path: request.path.text, request.attributes)
      }

      init(_ request: HTTPRequest) {
        self = .unmasked(request.method, request.url, path: "", request.attributes)
      }
    }

    let call: CallID
    package let attempt: Int
    package let hop: Int
    /// The wall clock time at which the call was created.
    let callStart: Date
    private let attributes: RequestAttributes
    /// The request, which the first reader masks, because this takes longer than all else.
    private let request: Mutex<RequestSource>

    init(
      _ call: CallID, _ request: RequestSource, attempt: Int, hop: Int, callStart: Date
    ) {
      self.call = call
      self.attempt = attempt
      self.hop = hop
      self.callStart = callStart
      switch request {
      case .summary(let summary): attributes = summary?.attributes ?? RequestAttributes()
      case .unmasked(_, _, _, let attributes): self.attributes = attributes
      }
      self.request = Mutex(request)
    }

    /// The redactor of texts about the request.
    var redactor: Redactor { attributes.redactor }

    /// The method and the URL of the request, without secrets.
    package var summary: NetworkError.RequestSummary? {
      request.withLock { request in
        switch request {
        case .summary(let summary): return summary
        case .unmasked(let method, let url, let path, let attributes):
          let summary = NetworkError.RequestSummary(
            method: method, url: url?.absoluteString ?? path, attributes: attributes)
          request = .summary(summary)
          return summary
        }
      }
    }

    package static func == (left: Context, right: Context) -> Bool {
      left === right
        || (left.call, left.attempt, left.hop) == (right.call, right.attempt, right.hop)
          && left.callStart == right.callStart && left.summary == right.summary
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(call) }
  }

  /// An identifier of a call, unique within the process.
  public struct CallID: Sendable, Hashable, CustomStringConvertible {
    private static let last = Atomic<UInt64>(0)

    private let number: UInt64

    /// Creates an identifier that no other call of the process has.
    public init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    /// A number, such as `#17`.
    ///
    /// Later calls have higher numbers.
    public var description: String { "#\(number)" }
  }

  /// The reason why a call waits before it sends.
  public enum Wait: String, Sendable, Hashable {
    /// There is no network, and ``NetworkingConfiguration/whenUnreachable`` is
    /// ``ReachabilityPolicy/wait(atMost:)``.
    case network
    /// Another call has begun to refresh the credentials.
    case refresh
  }

  /// The connection of a hop.
  public struct Connection: Sendable, Hashable {
    /// The address of the server or the proxy, such as `203.0.113.7`, or the path of a Unix socket.
    ///
    /// `nil` if it is unknown.
    public var address: String?
    /// The port of the server or the proxy; `nil` if there is none or it is unknown.
    public var port: Int?
    /// Whether the connection has carried an exchange before.
    public var isReused: Bool

    /// Creates a description of a connection.
    ///
    /// - Parameters:
    ///   - address: The address of the server or the proxy.
    ///   - port: The port of the server or the proxy.
    ///   - isReused: Whether the connection has carried an exchange before.
    public init(address: String? = nil, port: Int? = nil, isReused: Bool = false) {
      self.address = address
      self.port = port
      self.isReused = isReused
    }
  }

  /// A failure, without secrets.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    /// The error code.
    ///
    /// `nil` for an error other than ``NetworkError``, such as an error thrown by an interceptor.
    public let code: NetworkError.Code?
    /// The reason, as part of one line.
    ///
    /// It contains neither the request nor the response body.
    public let description: String

    /// Creates a failure, for tests of monitors.
    ///
    /// - Parameters:
    ///   - code: The error code.
    ///   - description: The reason, without secrets.
    public init(code: NetworkError.Code?, description: String) {
      self.code = code
      self.description = description
    }

    init(_ error: any Error, by redactor: Redactor = .standard) {
      guard var error = error as? NetworkError else {
        code = nil
        description = NetworkError.singleLine(NetworkError.text(of: error, by: redactor))
        return
      }
      code = error.code
      error.body = nil
      description = error.description(by: error.request?.attributes.redactor ?? redactor)
    }
  }
}

extension NetworkEvent {
  /// The kind of an event, with its details.
  ///
  /// ``NetworkEvent`` documents the order of the kinds. Later versions may add kinds, so a `switch`
  /// over them should have a `default`.
  public enum Kind: Sendable, Hashable {
    // MARK: Call
    /// The call is created and enters the client's queue.
    case queued
    /// The call leaves the queue.
    case started

    /// The call joins an identical request in flight and waits for its response.
    ///
    /// The associated value is the identifier of the call that sent the request. It is `nil` if
    /// that call reports no events. Until the shared request ends, its events are reported for that
    /// call.
    case shared(with: CallID?)
    /// The call waits, and has sent nothing since the event before.
    ///
    /// The wait ends with the next event.
    case waiting(for: Wait)

    // MARK: Hop
    /// A hop begins.
    ///
    /// - `headers` are the header fields that the client sends, without those that the transport
    ///   adds.
    /// - `bodySize` is the size of the body in bytes. It is 0 without a body and `nil` if it is
    ///   unknown.
    case sending(headers: HTTPHeaders, bodySize: Int64?)
    /// The host name is resolved.
    case resolved
    /// A connection is ready.
    case connected(Connection)
    /// The TLS handshake is complete.
    case secured
    /// The response comes from a local source: a mock (`mock`), a recording (`tape`), or the
    /// interceptor with this name.
    case servedLocally(by: String)
    /// The response comes from the client's HTTP cache.
    ///
    /// For a validated response, the events of the hop precede it, with the status 304.
    case servedFromCache(Response.Source)
    /// The request is sent, with this number of bytes of its body.
    ///
    /// That is the whole body unless the response arrives first. If the transport does not report
    /// the end of the request, this event occurs directly before the head.
    case requestSent(bytes: Int64)
    /// The status, the version and the header fields of the response are received.
    case head(HTTPResponseHead)
    /// The progress of the transfer of the request body or the response body.
    ///
    /// Reported once for each percent of the body, but at most once for each 64 KiB. So bodies
    /// smaller than 64 KiB cause no progress events.
    case progress(TransferProgress)
    /// The response is complete.
    ///
    /// `bytes` is the size of its body as received, before any decoding.
    case body(bytes: Int64)

    // MARK: Next hop
    /// The client follows a redirect to this URL.
    case redirected(to: String)
    /// The server requires a response to a challenge of Digest authentication.
    ///
    /// The client sends the same hop again, with the response.
    case challenged
    /// The client sends the request again.
    ///
    /// - `after` is the delay before the next attempt.
    /// - `because` is the failure of the last attempt.
    /// - `attempt` is the number of the next attempt.
    case retrying(after: Duration, because: Failure, attempt: Int)
    /// The server rejected the credentials.
    ///
    /// The client has refreshed them and sends the request again.
    case credentialsRefreshed

    // MARK: End
    /// The call has a response, with any status.
    ///
    /// The metrics are those of the last hop.
    indirect case finished(status: Int, metrics: TransportMetrics)
    /// The call failed.
    case failed(Failure)
    /// The call was cancelled.
    case cancelled
  }
}
