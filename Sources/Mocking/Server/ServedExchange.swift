public import Foundation
public import Networking

/// A request that a ``MockServer`` received, and the result of the exchange.
///
/// The `onExchange` handler of the server receives one for each request. The server does not store
/// them.
public struct ServedExchange: Sendable, Hashable {
  /// The end of an exchange.
  public enum Ending: String, Sendable, Hashable {
    /// The response was sent completely.
    case complete
    /// The server closed the connection before the end of the response, because of a fault or
    /// because the server was stopped.
    case closed
    /// The server reset the connection because of a fault, or because the client did not read the
    /// response for ``MockServerLimits/sendTime``.
    case reset
    /// The rest of the response is not sent because of a fault.
    case stalled
    /// The client closed the connection before it received the complete response.
    case aborted
  }

  /// The route that responded to a request.
  public struct MatchedRoute: Sendable, Hashable {
    /// The method, or `nil` for a route that matches all methods.
    public let method: HTTPMethod?
    /// The path template, such as `/boards/{id}`.
    public let path: String
    /// The server that the route forwards requests to, or `nil` for a mocked response.
    public let origin: URL?
  }

  /// The request, or `nil` if it was rejected as malformed or too large.
  public let request: ReceivedRequest?
  /// The route that responded, or `nil` if no route did.
  public let route: MatchedRoute?
  /// The status of the response, or `nil` if no byte of it was sent.
  public let status: Int?
  /// The number of bytes sent after the head, which are those of the body with its framing.
  public let bodyByteCount: Int
  /// The header fields of the mock, without the fields that the server adds.
  public let responseHeaders: HTTPHeaders
  /// The beginning of the body of the mock, at most 64 KiB, without framing.
  ///
  /// Empty if the body is generated or read from a file while it is sent. For a forwarded response, the bytes that have
  /// been received from the origin. If the exchange was interrupted, not all of
  /// these bytes have been sent.
  public let responseBody: Data
  /// The time from the end of the request to the end of the exchange, on the server's
  /// ``Scheduler``.
  public let duration: Duration
  /// The end of the exchange.
  public let ending: Ending
}

extension ServedExchange {
  /// The maximum size of ``responseBody``.
  static let keptBytes = 64 * 1024

  /// An exchange in progress, used on the thread of the event loop.
  final class Draft {
    let request: ReceivedRequest?
    let start: Duration
    var status = 0
    var headByteCount = 0
    var interimByteCount = 0
    var route: MatchedRoute?
    private(set) var headers: HTTPHeaders = [:]
    private var storedBody = Data()
    private var relay: BodyPipe?

    /// The beginning of the body, as far as it is known.
    var body: Data { relay?.beginning ?? storedBody }

    /// Sets the response.
    func setResponse(_ mock: Mock) {
      headers = mock.headers
      storedBody = mock.body.beginning(upTo: ServedExchange.keptBytes)
      relay = mock.relay?.pipe
    }

    init(request: ReceivedRequest?, start: Duration) {
      self.request = request
      self.start = start
    }
  }

  init(_ draft: Draft, _ ending: Ending, sentByteCount: Int, now: Duration) {
    request = draft.request
    route = draft.route
    responseHeaders = draft.headers
    responseBody = draft.body
    status = sentByteCount > draft.interimByteCount ? draft.status : nil
    bodyByteCount = max(sentByteCount - draft.headByteCount, 0)
    duration = now - draft.start
    self.ending = ending
  }
}

extension ServedExchange.MatchedRoute {
  init(_ route: Route) {
    self.init(method: route.method, path: route.template, origin: route.responder.server)
  }
}

extension Mock.Body {
  /// Returns the first bytes of a body that is in memory.
  fileprivate func beginning(upTo limit: Int) -> Data {
    switch self {
    case .data(let data): return data.prefix(limit)
    case .chunks(let chunks):
      var beginning = Data()
      for chunk in chunks where beginning.count < limit {
        beginning += chunk.prefix(limit - beginning.count)
      }
      return beginning
    case .none, .file, .generated, .stream: return Data()
    }
  }
}
