import Foundation
import Synchronization

/// Something that happens to a call: a request with all its attempts and hops, from the moment when it is
/// made to its one end.
///
/// ```swift
/// networking.addMonitor { event in
///   switch event.kind {
///   case .retrying(let pause, let failure, _): print(event.request, "again in \(pause), as \(failure)")
///   case .finished(let status, let metrics): print(event.request, status, metrics.total)
///   case .failed(let failure): print(event.request, failure)
///   default: break
///   }
/// }
///
/// for await event in networking.events { record(event) }
/// ```
///
/// **Order.** The events of one call come in this order, whatever performs it; of two calls nothing is
/// said. A line in brackets may be missing, one with a star comes any number of times.
///
/// ```text
/// queued                         the call is made, and waits for its turn
/// [started]                      its turn has come
///   [shared]                     an identical request is under way, whose answer is this one's too
///   sending *                    a hop begins: with these
///     [resolved]                   the host's name is looked up
///     [connected]                  a connection stands, new or kept; or else [answered]
///     [secured]                    the TLS handshake is done
///     [requestSent]                the request is out, its body with it
///     [head]                       status and header fields of the response
///     [body]                       the response is complete
///     [redirected]                 the response points elsewhere: the next hop, or a policy, follows
///   [retrying]                   the attempt is repeated: the next begins with sending
///   [credentialsRefreshed]       the same, after new credentials have been fetched
/// finished, failed or cancelled  the end
/// ```
///
/// `progress` comes between `sending` and `body`, while bytes go to and fro. From `resolved` to
/// `requestSent` comes once more where a kept connection turns out to have been closed by the server and is
/// replaced. `answered` in place of a connection means that nothing goes over the network: a mock or a
/// recording answers. When it comes with no `sending` before it an interceptor has answered by itself.
///
/// **The end.** Each call that was queued has exactly one, also when it is cancelled while it waits, refused
/// by the middleware, or broken off by a deadline, and nothing comes after it. A call whose endpoint throws
/// instead of giving a request never gets as far as the queue: it has `failed` alone. A stream has its end when
/// its body has: not with the head, when its promise is fulfilled. What becomes of a response later, in
/// `validate` and `decode`, is no matter of the call.
///
/// **Secrets.** URLs are without user name, password and fragment. The values of telling names, in queries and
/// header fields, are replaced by `***`, by the same rules as in a ``NetworkError``. Bodies are in none.
public struct NetworkEvent: Sendable, Hashable {
  /// Which call it belongs to.
  public let call: CallID
  /// The request's method and URL, without secrets; nil only when the endpoint gave none.
  ///
  /// Before the first ``Kind/sending(headers:bodySize:)`` it is a path, unless the request has an absolute
  /// URL itself: the base URL is asked for when the call's turn has come. Afterwards it is that of the hop under
  /// way, or of the last one.
  public let request: NetworkError.RequestSummary?
  /// The number of the attempt, from 1; 0 before the first.
  public let attempt: Int
  /// The number of the hop in its attempt, from 1; 0 before the first.
  ///
  /// It is above 1 after a redirect.
  public let hop: Int
  /// How long after the call was made it happened, by the client's scheduler.
  ///
  /// It never goes back from one event of a call to the next. Some events are told later than they happened,
  /// such as the parts of connecting, which come together when the connection stands; the time is that of
  /// the happening.
  public let elapsed: Duration
  /// What happened.
  public let kind: Kind
  /// When the call was made, by the clock on the wall.
  let callStart: Date

  /// Makes an event, for tests of monitors.
  ///
  /// - Parameters:
  ///   - kind: what happened.
  ///   - call: which call it belongs to.
  ///   - request: the method and the URL.
  ///   - attempt: the number of the attempt, from 1.
  ///   - hop: the number of the hop, from 1.
  ///   - elapsed: how long after the call was made it happened.
  ///   - callStart: when the call was made.
  public init(
    _ kind: Kind, call: CallID = CallID(), request: NetworkError.RequestSummary? = nil,
    attempt: Int = 0, hop: Int = 0, elapsed: Duration = .zero, callStart: Date = Date()
  ) {
    self.call = call
    self.request = request
    self.attempt = attempt
    self.hop = hop
    self.elapsed = elapsed
    self.kind = kind
    self.callStart = callStart
  }

  /// When it happened, by the clock on the wall: ``elapsed`` after the moment when the call was made.
  public var date: Date { callStart.addingTimeInterval(elapsed / .seconds(1)) }

  /// Whether it is the end of its call.
  public var isFinal: Bool {
    switch kind {
    case .finished, .failed, .cancelled: true
    default: false
    }
  }
}

extension NetworkEvent {
  /// Tells the calls of a process apart.
  public struct CallID: Sendable, Hashable, CustomStringConvertible {
    private static let last = Atomic<UInt64>(0)

    private let number: UInt64

    /// Makes one that no other call of the process has.
    public init() {
      number = Self.last.add(1, ordering: .relaxed).newValue
    }

    /// A number, of a later call a higher one: `#17`.
    public var description: String { "#\(number)" }
  }
}

extension NetworkEvent {
  /// The connection that a hop goes over.
  public struct Connection: Sendable, Hashable {
    /// The address of the other end, or of the proxy in between, such as `203.0.113.7`; the path of a Unix
    /// socket; nil where that is not known.
    public var address: String?
    /// The port there; nil where there is none, or it is not known.
    public var port: Int?
    /// Whether it has served an exchange before.
    public var isReused: Bool

    /// Makes an account of a connection.
    ///
    /// - Parameters:
    ///   - address: the address of the other end.
    ///   - port: the port there.
    ///   - isReused: whether it has served an exchange before.
    public init(address: String? = nil, port: Int? = nil, isReused: Bool = false) {
      self.address = address
      self.port = port
      self.isReused = isReused
    }
  }
}

extension NetworkEvent {
  /// What went wrong, without secrets.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was; nil for an error that is no ``NetworkError``, such as one of an
    /// interceptor's own.
    public let code: NetworkError.Code?
    /// What was wrong, as part of one line; without the request, and without a response's body.
    public let description: String

    /// Makes an account of a failure, for tests of monitors.
    ///
    /// - Parameters:
    ///   - code: what kind of failure it was.
    ///   - description: what was wrong, without secrets.
    public init(code: NetworkError.Code?, description: String) {
      self.code = code
      self.description = description
    }

    init(_ error: any Error) {
      guard var error = error as? NetworkError else {
        code = nil
        description = NetworkError.singleLine(NetworkError.text(of: error))
        return
      }
      code = error.code
      error.request = nil
      error.body = nil
      description = error.description
    }
  }
}

extension NetworkEvent {
  /// What happened.
  ///
  /// ``NetworkEvent`` says in what order they come. There may be further kinds in later versions: a `switch`
  /// over them should have a `default`.
  public enum Kind: Sendable, Hashable {
    // The call.
    /// The call was made, and waits for its turn in the client's queue.
    case queued
    /// Its turn has come.
    case started

    /// An identical request is under way, and its answer is waited for; that of this call, if somebody watches it.
    ///
    /// What happens on the way is told with that call, until it is over.
    case shared(with: CallID?)

    // A hop.
    /// A hop begins, with these header fields, and a body of so many bytes: 0 without one, nil when that is
    /// not known.
    ///
    /// The fields are those that the client sends, without what the transport adds to them.
    case sending(headers: HTTPHeaders, bodySize: Int64?)
    /// The host's name has been looked up.
    case resolved
    /// A connection stands.
    case connected(Connection)
    /// The TLS handshake is done.
    case secured
    /// Somebody answers in the network's stead: `mock`, `tape`, or the interceptor of this name.
    case servedLocally(by: String)
    /// The request is out, with so many bytes of its body.
    ///
    /// That is all of them, unless the answer comes before. Where a transport cannot tell, it comes right
    /// before the head.
    case requestSent(bytes: Int64)
    /// The status, the version and the header fields of the response.
    case head(HTTPResponseHead)
    /// Bytes of the bodies go to and fro.
    ///
    /// There is one for each hundredth of the body, and for each 64 KiB at the most; so small bodies have none.
    case progress(TransferProgress)
    /// The response is complete, with so many bytes of a body as received, before any decoding.
    case body(bytes: Int64)

    // What leads to another hop.
    /// The response points to this URL, and is followed there.
    case redirected(to: String)
    /// The request is sent again.
    ///
    /// - `after` is how long is waited before, `because` what was wrong with the last attempt, and `attempt` the
    ///   number of the next.
    case retrying(after: Duration, because: Failure, attempt: Int)
    /// The server refused the credentials, new ones have been fetched, and the request is sent again.
    case credentialsRefreshed

    // The end.
    /// There is a response, of whatever status; the metrics are those of the last hop.
    indirect case finished(status: Int, metrics: TransportMetrics)
    /// There is none.
    case failed(Failure)
    /// Somebody cancelled.
    case cancelled
  }
}
