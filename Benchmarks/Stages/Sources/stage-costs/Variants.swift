import Foundation
import NetworkingInterceptors
import NetworkingOAuth2
import Promises

@testable import Networking
@testable import NetworkingOAuth2

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The measured pipelines: each stage alone, and the pipelines of a client.
struct Variants {
  static let empty = "no stage"
  /// The number of concurrent requests.
  static let batch = 64

  let transport: BatchTransport
  /// One request for each index of a batch, all with different URLs.
  private let requests: [HTTPRequest]
  private let origin: Origin

  init(_ transport: BatchTransport) {
    self.transport = transport
    let urls = (0..<Self.batch).compactMap {
      URL(string: "https://api.example.com/v1/boards/\($0)")
    }
    guard urls.count == Self.batch, let origin = Origin(urls[0]) else { preconditionFailure() }
    self.origin = origin
    requests = urls.map { HTTPRequest(url: $0, headers: .defaults) }
  }

  /// An interceptor that does nothing: the minimum of a user's interceptor.
  private struct PassThroughInterceptor: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise { next(exchange) }
  }

  /// Returns exchanges of a GET with the client's default fields.
  private func exchange(
    timeout: Duration? = nil, token: String? = nil, session: OAuth2Session? = nil,
    interceptors: [any Interceptor] = [], circuitBreaker: CircuitBreaker? = nil,
    isSame: Bool = false
  ) -> (Int) -> Exchange {
    let (transport, requests, origin) = (transport, requests, origin)
    var request = Request(.get, "")
    request.timeout = timeout
    var settings = ClientSettings()
    settings.interceptors[.call] = interceptors
    settings.interceptors[.hop] = interceptors
    if let circuitBreaker { settings.interceptors.append(circuitBreaker, at: .origin) }
    let (original, snapshot) = (request, ClientSettings.Snapshot(settings))
    let credentials =
      session.map { session in
        let provider = OAuth2Authorization(session, .user, .bearer, [401], [])
        return Credentials(scheme: .provided(provider), origin: origin)
      } ?? token.map { Credentials(scheme: .fixed($0), origin: origin) }
    return { place in
      Exchange(
        requests[isSame ? 0 : place],
        credentials: credentials,
        of: Call(original, settings: snapshot, over: SelectedTransport(transport: transport)))
    }
  }

  /// A session with a valid token in memory.
  private var session: OAuth2Session {
    let token = OAuth2Token(accessToken: "t", expires: Date() + 86_400)
    let client = OAuth2Client(id: "app")
    let store = MemoryTokenStore([TokenKey(for: client): token])
    let session = OAuth2Session(client, store: store)
    _ = try? session.token().wait()
    return session
  }

  private func cookies(_ names: [String]) -> CookieJar {
    let jar = CookieJar()
    for name in names { try? jar.set(Cookie(name, "1", domain: "api.example.com")) }
    return jar
  }

  private func cache(_ cache: HTTPCache) -> CacheStage {
    CacheStage(
      cache, CachingConfiguration(), sessionPolicy: .default, cookies: nil, scheduler: .live,
      wallClock: { Date() })
  }

  /// Returns a cache with a fresh response for each URL.
  private func filledCache() -> HTTPCache {
    let cache = HTTPCache()
    let head = HTTPResponseHead(
      status: 200,
      headers: ["Content-Type": "application/json", "Cache-Control": "max-age=100000"])
    for request in requests {
      guard let key = CacheKey(request.url) else { continue }
      CachedURL(cache: cache, key: key, scheduler: .live).store(
        StoredResponse(
          head, requestTime: Date(), responseTime: Date(), for: CacheSelector(),
          body: .data(Data(#"{"id":7}"#.utf8))),
        since: 0)
    }
    return cache
  }

  var all: [Variant] {
    let live = LiveScheduler.live
    let policy = RetryPolicy.exponential(initial: .seconds(1), limit: 3)
    let deadline = DeadlineStage(phase: .call, scheduler: live) { $0.timeout }
    let interceptors = InterceptorsStage(level: .call)
    let hops = InterceptorsStage(level: .hop)
    func retry(_ policy: RetryPolicy) -> RetryStage { RetryStage(policy: policy, scheduler: live) }
    var configuration = NetworkingConfiguration()
    configuration.cookies = .jar(cookies([]))
    func client() -> [any Interceptor] {
      CallRunner.stages(
        configuration, configuration.cookies.jar(orOfSession: nil).map { CookieStage(jar: $0) },
        nil, live)
    }
    let defaultStages = client()
    configuration.callTimeout = .seconds(60)
    configuration.attemptTimeout = .seconds(60)
    configuration.retry = policy
    configuration.sharesRequests = true
    configuration.cookies = .jar(cookies(["session"]))
    let allStages = client()
    return [
      Variant(Self.empty, budget: nil, [], exchange()),
      Variant("deadline, none set", [deadline], exchange()),
      Variant("deadline, 60 s", [deadline], exchange(timeout: .seconds(60))),
      Variant("interceptors, none", [interceptors], exchange()),
      Variant(
        "interceptors, one", [interceptors], exchange(interceptors: [PassThroughInterceptor()])),
      Variant("sharing, off", [SharingStage(sharesAll: false)], exchange()),
      Variant("sharing, one caller", [SharingStage(sharesAll: true)], exchange()),
      Variant("sharing, 64 callers", [SharingStage(sharesAll: true)], exchange(isSame: true)),
      Variant("retry, never", [retry(.never)], exchange()),
      Variant("retry, with a policy", [retry(policy)], exchange()),
      Variant("redirect", [RedirectStage(policy: .follow())], exchange()),
      Variant(
        "circuit", [InterceptorsStage(level: .origin)], exchange(circuitBreaker: CircuitBreaker())),
      Variant("authorization, none", [AuthorizationStage()], exchange()),
      Variant("authorization, with a token", [AuthorizationStage()], exchange(token: "Bearer t")),
      Variant("authorization, with a session", [AuthorizationStage()], exchange(session: session)),
      Variant("cookies, none stored", [CookieStage(jar: cookies([]))], exchange()),
      Variant("cookies, one sent", [CookieStage(jar: cookies(["a"]))], exchange()),
      Variant("cache, nothing stored", [cache(HTTPCache())], exchange()),
      Variant("cache, fresh in memory", budget: 12, [cache(filledCache())], exchange()),
      Variant("hop interceptors, none", [hops], exchange()),
      Variant("hop interceptors, one", [hops], exchange(interceptors: [PassThroughInterceptor()])),
      Variant("client pipeline, default settings", budget: nil, defaultStages, exchange()),
      Variant(
        "client pipeline, all stages in use", budget: nil, allStages,
        exchange(
          timeout: .seconds(60), token: "Bearer t", interceptors: [PassThroughInterceptor()],
          circuitBreaker: CircuitBreaker())),
    ]
  }
}
