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
    let log = TransportEventCollector()
    let handle = transport.start(request) { event in
      if let events = log.append(event) { resolver.fulfill(events) }
    }
    resolver.onCancel { handle.cancel() }
    return promise
  }
}

/// What has come of an exchange so far.
private final class TransportEventCollector: Sendable {
  private let events = Mutex<[TransportEvent]>([])

  /// Returns all, once the last has come.
  func append(_ event: TransportEvent) -> [TransportEvent]? {
    events.withLock { events in
      events.append(event)
      switch event {
      case .end, .failure: return events
      case .connected, .servedLocally, .sent, .head, .body: return nil
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

extension Mock {
  /// What a transport has told of an exchange, to be answered in its own right.
  ///
  /// - Parameters:
  ///   - method: the request's; an answer to `HEAD` keeps the length that it names.
  ///   - events: all of them. A body that broke off does so again.
  ///   - failed: what is answered where there was no head.
  init(
    to method: HTTPMethod, _ events: [TransportEvent], failed: (TransportFailure) -> Mock
  ) {
    var head: HTTPResponseHead?
    var body = Data()
    var failure: TransportFailure?
    for event in events {
      switch event {
      case .connected, .servedLocally, .sent, .end: break
      case .head(let received): head = received
      case .body(let bytes): body += bytes
      case .failure(let reason): failure = reason
      }
    }
    guard let head else {
      self = failure.map(failed) ?? .unavailable("there was no answer")
      return
    }
    self.init(
      status: head.status, headers: head.headers.endToEnd, body: body.isEmpty ? .none : .data(body))
    if method == .head { copyFraming(of: head.headers) }
    if failure != nil {
      // With a byte more, so that the head says that there is more to come.
      self.body = .data(body + [0])
      interruption = Interruption(fault: .reset, stage: .body(afterBytes: body.count))
    }
  }

  /// Says of a body that does not come what the origin said of it.
  ///
  /// The length of a coded body is not that of the decoded one, which is not known; like one in chunks
  /// it gets none.
  ///
  /// Source: RFC 9110 section 8.6.
  private mutating func copyFraming(of headers: HTTPHeaders) {
    if let length = headers["Content-Length"], !headers.contains("Content-Encoding") {
      self.headers["Content-Length"] = length
    } else {
      body = .chunks([])
    }
  }
}

extension HTTPHeaders {
  /// The fields that are not about one connection, nor about how a body was coded that has been decoded.
  ///
  /// Source: RFC 9110 sections 7.6.1 and 8.4.
  var endToEnd: HTTPHeaders {
    let named = values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var headers = self
    for name in Self.hopByHop + named { headers.remove(name) }
    return headers
  }

  private static let hopByHop = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
    "TE",
    "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding",
  ]
}
