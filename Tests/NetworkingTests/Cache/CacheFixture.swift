import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises
import TestSupport
import Testing

/// A client with a cache, and a server that responds from a script.
final class CacheFixture: Sendable {
  /// The transport of the client.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    /// The default transport of the platform, over a loopback socket.
    case platform
    #if os(Linux)
      /// `URLSessionTransport`, over a loopback socket. It is the default on Apple platforms.
      case urlSession
    #endif
    /// `MockTransport`.
    case memory

    var testDescription: String { rawValue }
  }

  /// The start of the virtual time, from which the dates of the responses count.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// A response of the server.
  struct Reply: Sendable {
    var status = 200
    var headers: HTTPHeaders = [:]
    var body = "one"
    var fault: MockFault?
    /// Whether the response has the date of the virtual time.
    var isDated = true

    func mock(at now: Date) -> Mock {
      // After the head, because a transport repeats a request whose kept connection is lost before.
      var mock =
        status == 304
        ? Mock.status(304)
        : .data(Data(body.utf8), contentType: "text/plain", status: status)
      if let fault { mock = .fault(fault, at: .body(afterBytes: 2)) }
      for field in headers { mock.headers.add(field.value, for: field.name) }
      if isDated, !mock.headers.contains("Date") {
        mock.headers["Date"] = HTTPDateText.text(now)
      }
      return mock
    }
  }

  /// The state of the server, and the virtual time.
  private struct State {
    var now = CacheFixture.start
    var replies: [Reply] = []
    var received: [ReceivedRequest] = []
  }

  private final class Script: Sendable {
    let state = Mutex(State())
  }

  private let script = Script()
  private let server: MockServer?
  private let transport: any Transport
  let url: URL

  /// - Parameters:
  ///   - kind: The transport.
  ///   - handler: A closure that returns the response to a request. `nil` responds from the script.
  /// - Throws: The error of a server that cannot listen.
  init(
    _ kind: Kind = .memory, _ handler: (@Sendable (_ request: ReceivedRequest) -> Reply)? = nil
  ) throws {
    let script = script
    let respond: @Sendable (ReceivedRequest) throws -> Mock = { request in
      let (scripted, now) = script.state.withLock { state in
        state.received.append(request)
        return (state.replies.isEmpty ? nil : state.replies.removeFirst(), state.now)
      }
      let reply = handler?(request) ?? scripted ?? Reply(status: 599, body: "unexpected")
      return reply.mock(at: now)
    }
    let routes = [Route(nil, "/{rest*}", respond)]
    switch kind {
    case .memory:
      server = nil
      url = URL.of("http://cache.test:8080")
      transport = MockTransport(routes: routes)
    default:
      let server = try MockServer(routes: routes)
      self.server = server
      url = server.url
      transport = kind == .platform ? PlatformTransport.make() : URLSessionTransport()
    }
  }

  /// The virtual time.
  var now: Date { script.state.withLock { $0.now } }

  func advance(by seconds: Double) {
    script.state.withLock { $0.now += seconds }
  }

  func reply(_ reply: Reply) {
    script.state.withLock { $0.replies.append(reply) }
  }

  /// Adds a response with a body.
  func reply(_ body: String, _ headers: HTTPHeaders = [:], status: Int = 200) {
    reply(Reply(status: status, headers: headers, body: body))
  }

  /// The received requests.
  var received: [ReceivedRequest] { script.state.withLock { $0.received } }

  func client(
    _ cache: HTTPCache = HTTPCache(),
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    .caching(in: cache, over: transport, baseURL: url) { configuration in
      configuration.wallClock = { [script] in script.state.withLock { $0.now } }
      configure(&configuration)
    }
  }
}

extension Networking<Request> {
  /// Makes a client with a cache, also for mocked responses, whose handlers run inline.
  static func caching(
    in cache: HTTPCache = HTTPCache(), over transport: any Transport,
    baseURL: URL = .of("http://cache.test"),
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configuration.caching.storage = .cache(cache)
    configuration.caching.includesMocks = true
    configure(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = baseURL
    client.callbackContext = .inline
    return client
  }
}

/// Dates in the preferred form of HTTP.
enum HTTPDateText {
  static func text(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }
}

/// A story about one cache: requests at certain times, the responses of the server, and the outcomes.
struct CacheStory: Sendable, CustomTestStringConvertible {
  struct Step: Sendable {
    var after = 0.0
    var request = Request.get("/a")
    /// The response of the server, or `nil` if no request may reach it.
    var reply: CacheFixture.Reply?
    var source = Response.Source.network
    var status = 200
    var body: String? = "one"
    /// Fields of the request that the server receives; `nil` if there must be none.
    var sent: [String: String?] = [:]
    /// Fields of the response; `nil` if there must be none.
    var headers: [String: String?] = [:]
    var age: Int?
    var error: NetworkError.Code?
  }

  let name: String
  var configure: @Sendable (inout NetworkingConfiguration) -> Void = { _ in }
  let steps: [Step]

  init(
    _ name: String, _ steps: [Step],
    configure: @escaping @Sendable (inout NetworkingConfiguration) -> Void = { _ in }
  ) {
    self.name = name
    self.steps = steps
    self.configure = configure
  }

  var testDescription: String { name }

  func run(_ fixture: CacheFixture, _ cache: HTTPCache = HTTPCache()) async throws {
    let client = fixture.client(cache, configure)
    for (number, step) in steps.enumerated() {
      let place = Comment(rawValue: "\(name), step \(number + 1)")
      fixture.advance(by: step.after)
      if let reply = step.reply { fixture.reply(reply) }
      let count = fixture.received.count
      let result = await client.request(step.request).result
      #expect(fixture.received.count - count == (step.reply == nil ? 0 : 1), place)
      if let error = step.error {
        #expect(result.failure(as: NetworkError.self)?.code == error, place)
        continue
      }
      let response = try result.get()
      #expect(response.source == step.source, place)
      #expect(response.status == step.status, place)
      if let body = step.body {
        #expect(String(decoding: response.data, as: UTF8.self) == body, place)
      }
      if let age = step.age { #expect(response.age == .seconds(age), place) }
      for (name, value) in step.headers {
        #expect(response.headers[name] == value, "\(place): \(name)")
      }
      if step.reply != nil {
        for (name, value) in step.sent {
          #expect(fixture.received.last?.headers[name] == value, "\(place): \(name)")
        }
      }
    }
  }
}

extension CacheStory.Step {
  typealias Step = CacheStory.Step

  /// A request that reaches the server.
  static func sends(
    after: Double = 0, _ request: Request = .get("/a"), reply headers: HTTPHeaders,
    status: Int = 200, body: String = "one", sent: [String: String?] = [:],
    headers seen: [String: String?] = [:]
  ) -> Step {
    Step(
      after: after, request: request,
      reply: .init(status: status, headers: headers, body: body), status: status, body: body,
      sent: sent, headers: seen)
  }

  /// A request that the server answers with 304, and the caller receives as a stored 200.
  static func revalidates(
    after: Double = 0, _ request: Request = .get("/a"), reply headers: HTTPHeaders = [:],
    body: String = "one", sent: [String: String?] = [:], headers seen: [String: String?] = [:]
  ) -> Step {
    Step(
      after: after, request: request, reply: .init(status: 304, headers: headers),
      source: .revalidated, body: body, sent: sent, headers: seen)
  }

  /// A request that the cache answers.
  static func hits(
    after: Double = 0, _ request: Request = .get("/a"), source: Response.Source = .cache,
    status: Int = 200, body: String? = "one", age: Int? = nil, headers: [String: String?] = [:]
  ) -> Step {
    Step(
      after: after, request: request, source: source, status: status, body: body,
      headers: headers, age: age)
  }
}

extension Request {
  /// Returns a GET request with a `Cache-Control` field.
  static func get(control: String, _ headers: HTTPHeaders = [:]) -> Request {
    Request.get("/a", headers: headers.merging(["Cache-Control": control]))
  }
}
