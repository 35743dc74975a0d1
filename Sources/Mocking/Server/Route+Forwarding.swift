import Foundation
import Networking
import Promises
import Synchronization

extension Route {
  /// Has another server answer: what is not mocked yet, or what is to be recorded.
  ///
  /// ```swift
  /// let tape = try Tape(file, mode: .all)
  /// let server = try MockServer {
  ///   Route(.get, "/boards") { _ in .json([]) }
  ///   Route.forwarding(to: staging, over: tape)      // everything else
  /// }
  /// ```
  ///
  /// The request goes on as it came, but for its `Host` and what is about one connection; so does the
  /// response, decoded, in one piece once all of it is there. Redirects are not followed: those to
  /// the same origin get a relative `Location`, so that the client asks this server again. A failure is
  /// answered by 502 with its reason, and so is a silence of 60 seconds; a response that broke off does so again.
  ///
  /// - Parameters:
  ///   - origin: the other server, `https://api.example.com`; the path and the query are the request's.
  ///   - transport: what performs the exchanges.
  ///   - template: the path of the requests; all unless said otherwise.
  /// - Returns: the route, for every method.
  public static func forwarding(
    to origin: URL, over transport: some Transport, _ template: String = "/{path*}"
  ) -> Route {
    Route(nil, template) { request -> Promise<Mock> in
      guard let url = Self.url(request, at: origin) else {
        return .fulfilled(.text("the target is no URL\n", status: 400))
      }
      var headers = request.headers.endToEnd
      // The transport names the host it connects to, and the codings that it can take off.
      for name in ["Host", "Accept-Encoding", "Expect"] { headers.remove(name) }
      let forwarded = HTTPRequest(
        method: request.method, url: url, headers: headers,
        body: request.body.isEmpty ? .none : .data(request.body), connectTimeout: .seconds(30),
        idleTimeout: .seconds(60))
      return exchange(forwarded, over: transport).map(on: .inline) { events in
        var mock = Mock(to: forwarded.method, events) { failure in
          .text(
            "\(origin) does not answer: \(NetworkError(failure.code)): \(failure.detail)\n",
            status: 502)
        }
        mock.headers.makeLocationRelative(to: url)
        return mock
      }
    }
  }

  /// Never of another origin, whatever the target: one may begin with two slashes.
  private static func url(_ request: ReceivedRequest, at origin: URL) -> URL? {
    guard var components = URLComponents(url: origin, resolvingAgainstBaseURL: true) else {
      return nil
    }
    (components.path, components.query, components.fragment) = ("", nil, nil)
    guard let target = RequestTarget(request.target), let root = components.string else {
      return nil
    }
    return URL(string: root + target.path + (target.query.map { "?\($0)" } ?? ""))
  }

  /// All events of an exchange, once it is over; cancelling the promise cancels it.
  private static func exchange(
    _ request: HTTPRequest, over transport: some Transport
  ) -> Promise<[TransportEvent]> {
    let (promise, resolver) = Promise<[TransportEvent]>.pending()
    let log = ForwardedEvents()
    let handle = transport.start(request) { event in
      if let events = log.append(event) { resolver.fulfill(events) }
    }
    resolver.onCancel { handle.cancel() }
    return promise
  }
}

/// What has come of an exchange so far.
private final class ForwardedEvents: Sendable {
  private let events = Mutex<[TransportEvent]>([])

  /// Returns all, once the last has come.
  func append(_ event: TransportEvent) -> [TransportEvent]? {
    events.withLock { events in
      events.append(event)
      switch event {
      case .end, .failure: return events
      case .connected, .answered, .sent, .head, .body: return nil
      }
    }
  }
}

extension HTTPHeaders {
  /// Has a redirect within an origin lead back to who forwards for it.
  fileprivate mutating func makeLocationRelative(to url: URL) {
    guard let location = self["Location"], let target = URL(string: location),
      target.scheme == url.scheme, target.host == url.host, target.port == url.port,
      var components = URLComponents(url: target, resolvingAgainstBaseURL: false)
    else { return }
    (components.scheme, components.host, components.port) = (nil, nil, nil)
    (components.user, components.password) = (nil, nil)
    let path = components.string ?? ""
    self["Location"] = path.isEmpty ? "/" : path
  }
}
