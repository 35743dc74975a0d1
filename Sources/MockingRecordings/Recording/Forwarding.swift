import CatenaSystem
public import Foundation
public import Mocking
public import Networking
import Promises

extension Route {
  /// Returns a route that forwards requests to another server.
  ///
  /// Use it for endpoints that are not mocked yet, or to record exchanges. Put it after the other
  /// routes, so that they take precedence.
  ///
  /// ```swift
  /// let tape = try Tape(file, mode: .all)
  /// let server = try MockServer {
  ///   Route(.get, "/boards") { _ in .json([]) }
  ///   Route.forwarding(to: staging, over: tape)      // everything else
  /// }
  /// ```
  ///
  /// - **Requests** are forwarded unchanged, except for `Host`, `Expect` and the hop-by-hop fields.
  ///   A `MockServer` sends a body of more than 64 KiB on while it receives it, unless a route for
  ///   the same path has conditions. The journal then contains the request without its body.
  /// - **Responses** of a server are sent on while they are received, without hop-by-hop fields. The
  ///   origin has to wait while the client reads slowly. Trailers are dropped. Other backends receive
  ///   the whole response first.
  /// - **Content codings.** A `CurlTransport` passes compressed bodies on as they are. A `Tape`
  ///   must read them to mask secrets; its responses are sent without their coding, and so are those
  ///   of other transports.
  /// - **Redirects** are not followed. A `Location` within the origin is made relative, so that the
  ///   client sends its next request to this server.
  /// - **Cookies** lose the attribute `Domain`, so that the client stores them for this server.
  /// - **Failures.** If the origin cannot be reached or its certificate is not trusted, the response is
  ///   a 502, and after 60 seconds without data a 504. The body is a problem document
  ///   (`application/problem+json`) with the reason. If the body is interrupted, the connection is
  ///   closed after the same number of bytes.
  ///
  /// Source: RFC 9110 section 7.6, RFC 9457.
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
    let forwarder = Forwarder(origin: origin, transport: transport, changes: nil)
    return Route(forwardingTo: origin, nil, template) { request in forwarder.respond(to: request) }
  }

  /// Returns a route that forwards requests to another server over a new transport of the platform.
  ///
  /// It is a `CurlTransport` on Linux, and a `URLSessionTransport` on Apple platforms. See
  /// ``forwarding(to:over:_:)``.
  ///
  /// - Parameters:
  ///   - origin: The other server, such as `https://api.example.com`.
  ///   - template: The path template of the requests. The default matches all.
  /// - Returns: The route, for all methods.
  public static func forwarding(to origin: URL, _ template: String = "/{path*}") -> Route {
    forwarding(to: origin, over: PlatformTransport.make(), template)
  }
}

/// The gateway of a route that forwards requests.
struct Forwarder: Sendable {
  /// The number of bytes of a body that the journal of the backend contains.
  private static let keptBytes = 64 * 1024
  /// The limit for a response that is received completely before it is sent.
  private static let wholeResponseLimit = 8 << 20

  let origin: URL
  let transport: any Transport
  /// The changes of requests and responses.
  ///
  /// `nil` forwards them unchanged, with credentials.
  let changes: ForwardingChanges?

  /// The name of the other server in the field `Via`.
  private var pseudonym: String { "mock-server-\(Checksum(origin.absoluteString.utf8).text)" }

  /// Returns a promise of the response, which is fulfilled with its head.
  func respond(to request: ReceivedRequest) -> Promise<Mock> {
    guard let changes else { return forward(request) }
    guard !request.headers.values(for: "Via").contains(where: { $0.contains(pseudonym) }) else {
      let server = Redactor.standard.maskedURL(origin.absoluteString)
      return .fulfilled(
        .problem(508, "the request has already been forwarded to \(server), which leads here"))
    }
    if let fault = changes.requestFault, changes.values.double(in: 0...1) < fault.chance {
      var mock = Mock()
      mock.interruption = Mock.Interruption(fault: fault.fault, stage: fault.stage)
      return .fulfilled(mock)
    }
    guard changes.requestDelay > .zero || changes.changeRequest != nil else {
      return forward(request)
    }
    return Promise.fulfilled(request).delay(changes.requestDelay)
      .then(on: .background) { forward($0) }
  }

  private func forward(_ request: ReceivedRequest) -> Promise<Mock> {
    guard let url = url(of: request) else {
      return .fulfilled(.text("the target is not a URL\n", status: 400))
    }
    var headers = request.headers.endToEnd
    if let changes { headers = changes.allowed(headers) }
    for name in ["Host", "Expect", "Content-Length"] { headers.remove(name) }
    var forwarded = HTTPRequest(
      method: request.method, url: url, headers: headers, body: request.forwardedBody,
      connectTimeout: .seconds(30), idleTimeout: .seconds(60))
    if let changes {
      changes.apply(to: &forwarded, from: request)
      forwarded.headers.add("1.1 \(pseudonym)", for: "Via")
    }
    let isWhole = changes.map { $0.needsWholeResponse || $0.changeResponse != nil } ?? false
    if !isWhole, transport.traits?.preservesContentCoding == true {
      forwarded.options.preservesContentCoding = true
      // Without the field, the transport would offer codings that the client may not know.
      if !headers.contains("Accept-Encoding") { forwarded.headers["Accept-Encoding"] = "identity" }
    } else {
      forwarded.headers.remove("Accept-Encoding")
    }
    return isWhole ? wholeExchange(forwarded) : exchange(forwarded)
  }

  /// Returns a promise of the response, which is fulfilled when its body is complete.
  private func wholeExchange(_ request: HTTPRequest) -> Promise<Mock> {
    let (promise, resolver) = Promise<WholeResponse.Result>.pending()
    let received = WholeResponse(limit: Self.wholeResponseLimit)
    let handle = transport.start(request) { event in
      if let result = received.add(event) { resolver.fulfill(result) }
    }
    resolver.onCancel { handle.cancel() }
    // A response that is too large is not received further.
    return promise.always(on: .inline) { _ in handle.cancel() }.map(on: .background) { result in
      guard case .complete(let events) = result else {
        return .problem(502, "the response has more than 8 MiB, and cannot be changed as a whole")
      }
      var mock = Mock(to: request.method, events) { .badGateway(origin, $0) }
      guard events.contains(where: { if case .head = $0 { true } else { false } }) else {
        return mock
      }
      mock.headers.makeLocationRelative(to: request.url)
      mock.headers.removeCookieDomains()
      return changes?.applied(to: mock) ?? mock
    }
  }

  private func exchange(_ request: HTTPRequest) -> Promise<Mock> {
    let (promise, resolver) = Promise<Mock>.pending()
    let pipe = BodyPipe(beginningLimit: Self.keptBytes)
    let response = ForwardedResponse(resolver)
    let handle = transport.start(request) { [origin, changes] event in
      switch event {
      case .connected, .servedLocally, .sent, .trailers: break
      case .head(let head):
        if let count = head.bodyByteCount(to: request.method) { pipe.expect(count) }
        let mock = Mock(head, of: request, body: RelayedBody(pipe))
        response.fulfill(changes?.applied(to: mock) ?? mock)
      case .body(let data): pipe.append(data)
      case .end: pipe.finish(isComplete: true)
      case .failure(let failure):
        pipe.finish(isComplete: false)
        response.fulfill(.badGateway(origin, failure))
      }
    }
    pipe.attach(handle)
    resolver.onCancel { handle.cancel() }
    return promise
  }

  /// Returns the URL of a request at the origin.
  ///
  /// Concatenates the origin and the target, because resolving a target that begins with two
  /// slashes would give another origin.
  private func url(of request: ReceivedRequest) -> URL? {
    guard var components = URLComponents(url: origin, resolvingAgainstBaseURL: true) else {
      return nil
    }
    (components.path, components.query, components.fragment) = ("", nil, nil)
    guard let target = RequestTarget(request.target), let root = components.string else {
      return nil
    }
    guard let changes else {
      return URL(reference: root + target.path + (target.query.map { "?\($0)" } ?? ""))
    }
    var path = target.path
    let prefix = changes.removedPrefix
    if path == prefix || path.hasPrefix(prefix + "/") { path = path.dropFirst(prefix.count) }
    let query = target.query.map(changes.allowed) ?? ""
    return URL(
      reference: root + (path.hasPrefix("/") ? path : "/\(path)")
        + (query.isEmpty ? "" : "?\(query)"))
  }
}

extension HTTPResponseHead {
  /// Returns the number of bytes of the body, or `nil` if it is not known.
  ///
  /// Source: RFC 9112 section 6.3.
  fileprivate func bodyByteCount(to method: HTTPMethod) -> Int? {
    if method == .head || status == 204 || status == 304 { return 0 }
    // A transport may decode the body.
    guard !headers.contains("Content-Encoding") else { return nil }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}

/// The resolver of a forwarded response, which is released by its first use.
///
/// A transport retains its handler until the end of the exchange. If the handler retained the
/// promise, and with it the body, a body that nobody reads would not be released.
private final class ForwardedResponse: Sendable {
  private let resolver: Mutex<Resolver<Mock>?>

  init(_ resolver: Resolver<Mock>) {
    self.resolver = Mutex(resolver)
  }

  /// Fulfills the promise.
  ///
  /// A no-op after the first call.
  func fulfill(_ mock: Mock) {
    resolver.withLock { $0.take() }?.fulfill(mock)
  }
}

extension ReceivedRequest {
  /// The body of the forwarded request.
  ///
  /// An empty body is sent if the request declares it. A request with the method HEAD has no body.
  fileprivate var forwardedBody: HTTPBody {
    if method == .head { return .none }
    if let stream { return .stream(stream) }
    return body.isEmpty && !headers.contains("Content-Length") ? .none : .data(body)
  }
}

extension Mock {
  /// Creates the response of an origin.
  ///
  /// Keeps `Content-Length` if the body is not decoded, and in the response to a `HEAD` request.
  ///
  /// Source: RFC 9110 sections 8.4 and 8.6.
  fileprivate init(_ head: HTTPResponseHead, of request: HTTPRequest, body: RelayedBody) {
    var headers = head.headers.endToEnd
    let hasCoding = headers.contains("Content-Encoding")
    // The transport has decoded the body, unless it has been told not to.
    let isDecoded = hasCoding && !request.options.preservesContentCoding
    if isDecoded { headers.remove("Content-Encoding") }
    if isDecoded || head.status == 204 || head.headers.contains("Transfer-Encoding") {
      headers.remove("Content-Length")
    }
    headers.makeLocationRelative(to: request.url)
    headers.removeCookieDomains()
    self.init(status: head.status, headers: headers)
    relay = body
  }

  /// Returns the response for a failure of an exchange with an origin.
  ///
  /// Source: RFC 9110 sections 15.6.3 and 15.6.5, RFC 9457.
  fileprivate static func badGateway(_ origin: URL, _ failure: TransportFailure) -> Mock {
    let status = failure.code.isTimeout ? 504 : 502
    let server = Redactor.standard.maskedURL(origin.absoluteString)
    var mock = Mock.json(
      [
        "title": .string(ReasonPhrase.of(status)), "status": .int(status),
        "detail": .string("no response from \(server): \(NetworkError(failure.code))"),
        "reason": .string(failure.detail),
      ], status: status)
    mock.headers["Content-Type"] = "application/problem+json"
    return mock
  }
}

extension Mock {
  /// Creates a mock of the response that a transport has delivered completely, without its coding.
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
      case .connected, .servedLocally, .sent, .trailers, .end: break
      case .head(let received): head = received
      case .body(let bytes): body += bytes
      case .failure(let reason): failure = reason
      }
    }
    guard let head else {
      self = failure.map(failed) ?? .text("there was no response\n", status: 500)
      return
    }
    var headers = head.headers.endToEnd
    for name in ["Content-Length", "Content-Encoding"] { headers.remove(name) }
    self.init(status: head.status, headers: headers, body: body.isEmpty ? .none : .data(body))
    if method == .head { copyFraming(of: head.headers) }
    if failure != nil {
      // Declares one byte more than is sent, so that the client detects the interruption.
      self.body = .data(body + [0])
      self = interrupted(by: .reset, at: .body(afterBytes: body.count))
    }
  }

  /// Creates a mock of a recorded response, whose redirects and cookies lead to the mocked backend.
  ///
  /// - Parameters:
  ///   - events: All events of the exchange.
  ///   - method: The method of the request.
  ///   - url: The URL of the recorded request.
  init(replaying events: [TransportEvent], to method: HTTPMethod, recordedAt url: URL?) {
    self.init(to: method, events) { failure in .failure(failure.code) }
    if let url { headers.makeLocationRelative(to: url) }
    headers.removeCookieDomains()
    isRecorded = true
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
