import Foundation
import LoadSupport
import Mocking
import NetworkingOAuth2
import NetworkingTracing

/// Mocked requests with validation and decoding, without a network.
///
/// The option `--stages` turns stages of the pipeline on or off.
struct MockedRequests {
  private let requests: Int
  private let atOnce: Int
  private let warmUp: Int
  private let client: Networking<BoardsAPI>
  /// The trace that records the requests.
  private let trace: Trace?

  init(_ arguments: Arguments) {
    requests = arguments.number("requests", or: 1)
    atOnce = arguments.number("at-once", or: 64)
    warmUp = arguments.number("warm-up", or: 0)
    let stages = Set((arguments["stages"] ?? "").split(separator: ",").map(String.init))
    trace = stages.contains("trace") ? Trace("requests", limit: .max) : nil
    var mock = Mock.data(Data(Board.json.utf8), contentType: "application/json")
    var configuration = NetworkingConfiguration()
    if !stages.contains("cookies") { configuration.cookies = .none }
    if stages.contains("call-deadline") { configuration.callTimeout = .seconds(60) }
    if stages.contains("attempt-deadline") { configuration.attemptTimeout = .seconds(60) }
    if stages.contains("cached") {
      mock.headers["Cache-Control"] = "max-age=100000"
      configuration.caching.storage = .cache(HTTPCache())
      configuration.caching.includesMocks = true
    }
    if stages.contains("log") {
      configuration.logging = LoggingConfiguration(.info, to: NoLogger())
    }
    if stages.contains("verbose") {
      configuration.logging = LoggingConfiguration(.verbose, to: NoLogger())
    }
    if stages.contains("sharing") { configuration.sharesRequests = true }
    if stages.contains("no-redirects") { configuration.redirects = .refuse }
    client = Networking<BoardsAPI>(
      mode: stages.contains("limited") ? .limited(64) : .async,
      mockProvider: MockProvider { [mock] _ in mock },
      sessionConfiguration: .ephemeral, configuration: configuration)
    client.callbackContext = .inline
    if stages.contains("credentials") { client.authenticate(bearerToken: "a-token-of-no-worth") }
    if stages.contains("session") { client.authorize(with: Self.session) }
    if stages.contains("monitor") { client.addMonitor { _ in } }
    if stages.contains("interceptor") { client.interceptors = [FieldInterceptor()] }
    if stages.contains("middleware") { client.middleware = { _, _ in .fulfilled(()) } }
  }

  /// A session with a valid token.
  private static var session: OAuth2Session {
    let client = OAuth2Client(id: "app")
    let token = OAuth2Token(accessToken: "a-token-of-no-worth", expires: Date() + 86_400)
    return OAuth2Session(client, store: MemoryTokenStore([TokenKey(for: client): token]))
  }

  func run() async {
    if warmUp > 0 { _ = await lanes(warmUp) }
    await Outcome.print(of: requests) {
      if let trace { await trace.run { await lanes(requests) } } else { await lanes(requests) }
    }
  }

  private func lanes(_ count: Int) async -> Int {
    let client = client
    return await Lanes(count, atOnce: atOnce).callingBack { number, done in
      client.request(.board(id: number)).validate().decode(Board.self)
        .done { _ in done(nil) }
        .fail(policy: .allErrors) { done($0) }
    }
  }
}

/// An interceptor that adds a header field to each request.
private struct FieldInterceptor: Interceptor {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    exchange.request.headers["X-Region"] = "north"
    return next(exchange)
  }
}

/// A logger that discards its entries, so that only their creation and delivery are measured.
private struct NoLogger: NetworkLogger {
  func log(_ entry: NetworkLogEntry) {}
}
