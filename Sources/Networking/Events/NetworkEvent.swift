import Foundation

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
  let made: Date

  /// Makes an event, for tests of monitors.
  ///
  /// - Parameters:
  ///   - kind: what happened.
  ///   - call: which call it belongs to.
  ///   - request: the method and the URL.
  ///   - attempt: the number of the attempt, from 1.
  ///   - hop: the number of the hop, from 1.
  ///   - elapsed: how long after the call was made it happened.
  ///   - made: when the call was made.
  public init(
    _ kind: Kind, call: CallID = CallID(), request: NetworkError.RequestSummary? = nil,
    attempt: Int = 0, hop: Int = 0, elapsed: Duration = .zero, made: Date = Date()
  ) {
    self.call = call
    self.request = request
    self.attempt = attempt
    self.hop = hop
    self.elapsed = elapsed
    self.kind = kind
    self.made = made
  }

  /// When it happened, by the clock on the wall: ``elapsed`` after the moment when the call was made.
  public var date: Date { made.addingTimeInterval(elapsed / .seconds(1)) }

  /// Whether it is the end of its call.
  public var isEnd: Bool {
    switch kind {
    case .finished, .failed, .cancelled: true
    default: false
    }
  }
}
