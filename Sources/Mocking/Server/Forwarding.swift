import Foundation
import Networking
import Promises
import Synchronization

extension Route {
  /// Returns a route that forwards requests to another server.
  ///
  /// Use it for endpoints that are not mocked yet, or to record exchanges.
  ///
  /// ```swift
  /// let tape = try Tape(file, mode: .all)
  /// let server = try MockServer {
  ///   Route(.get, "/boards") { _ in .json([]) }
  ///   Route.forwarding(to: staging, over: tape)      // everything else
  /// }
  /// ```
  ///
  /// The request is forwarded unchanged, except for `Host`, `Accept-Encoding`, `Expect` and the
  /// hop-by-hop fields. The response is sent without its content coding, after it has been received
  /// completely. Redirects are not followed; a `Location` within the origin is made relative, so
  /// that the client sends its next request to this server. If the exchange fails, or receives no
  /// data for 60 seconds, the response is a 502 with the reason. If the body is interrupted, the
  /// response is interrupted after the same number of bytes.
  ///
  /// - Parameters:
  ///   - origin: The other server, such as `https://api.example.com`. Its path and query are
  ///     ignored; those of the request are used.
  ///   - transport: The transport for the exchanges.
  ///   - template: The path template of the requests. The default matches all.
  /// - Returns: The route, for all methods.
  public static func forwarding(
    to origin: URL, over transport: some Transport, _ template: String = "/{path*}"
  ) -> Route {
    Route(nil, template) { request -> Promise<Mock> in
      guard let url = Self.url(request, at: origin) else {
        return .fulfilled(.text("the target is not a URL\n", status: 400))
      }
      var headers = request.headers.endToEnd
      // The transport sets the host that it connects to and the codings that it can decode.
      for name in ["Host", "Accept-Encoding", "Expect"] { headers.remove(name) }
      let forwarded = HTTPRequest(
        method: request.method, url: url, headers: headers,
        body: request.body.isEmpty ? .none : .data(request.body), connectTimeout: .seconds(30),
        idleTimeout: .seconds(60))
      return exchange(forwarded, over: transport).map(on: .inline) { events in
        var mock = Mock(to: forwarded.method, events) { failure in
          .text(
            "no response from \(origin): \(NetworkError(failure.code)): \(failure.detail)\n",
            status: 502)
        }
        mock.headers.makeLocationRelative(to: url)
        return mock
      }
    }
  }

  /// Returns the URL of a request at an origin.
  ///
  /// Concatenates the origin and the target, because resolving a target that begins with two
  /// slashes would give another origin.
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

  /// Performs an exchange and returns a promise of all its events.
  ///
  /// Cancelling the promise cancels the exchange.
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

/// A collector of the events of an exchange.
private final class TransportEventCollector: Sendable {
  private let events = Mutex<[TransportEvent]>([])

  /// Adds an event, and returns all events if it is the last one.
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
  /// Makes a `Location` within the origin relative, so that it refers to the forwarding server.
  fileprivate mutating func makeLocationRelative(to url: URL) {
    guard let location = self["Location"], let target = URL(string: location),
      let origin = Origin(target), origin == Origin(url),
      var components = URLComponents(url: target, resolvingAgainstBaseURL: false)
    else { return }
    (components.scheme, components.host, components.port) = (nil, nil, nil)
    (components.user, components.password) = (nil, nil)
    let path = components.string ?? ""
    self["Location"] = path.isEmpty ? "/" : path
  }
}

extension Mock {
  /// Creates a mock of the response that a transport has received.
  ///
  /// - Parameters:
  ///   - method: The method of the request. A response to `HEAD` keeps its `Content-Length`.
  ///   - events: All events of the exchange. If they end with a failure after the head, the mock
  ///     resets the connection after the same number of body bytes.
  ///   - failed: Returns the mock for a failure before the head.
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
      self = failure.map(failed) ?? .unavailable("there was no response")
      return
    }
    self.init(
      status: head.status, headers: head.headers.endToEnd, body: body.isEmpty ? .none : .data(body))
    if method == .head { copyFraming(of: head.headers) }
    if failure != nil {
      // Declares one byte more than is sent, so that the client detects the interruption.
      self.body = .data(body + [0])
      interruption = Interruption(fault: .reset, stage: .body(afterBytes: body.count))
    }
  }

  /// Copies the framing that the origin declared in the response to a `HEAD` request.
  ///
  /// A response with a content coding is declared as chunked, because the length of its decoded
  /// body is unknown.
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
  /// The fields without the hop-by-hop fields and without those that describe the length and the
  /// content coding of the body, which has been decoded.
  ///
  /// Source: RFC 9110 sections 7.6.1 and 8.4.
  var endToEnd: HTTPHeaders {
    let connectionOptions = values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var headers = self
    for name in Self.hopByHop + connectionOptions { headers.remove(name) }
    return headers
  }

  private static let hopByHop = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
    "TE",
    "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding",
  ]
}
