import CatenaSystem
import Dispatch
import Foundation
import Promises
import TestSupport

@testable import Networking

/// A pipeline to a server that accepts one token, with refreshes that a test settles.
final class RefreshFixture: CredentialSource {
  static let url = URL.of("https://a.example/x")

  private struct State {
    var token = "old"
    var refreshes: [Resolver<Void>] = []
  }

  private let state = Mutex(State())
  let started = Counter()
  let cancelled = Counter()
  let transport: FakeTransport
  let sent = Log<String>()
  private let pipeline = Mutex(Pipeline([]))

  init(
    holdsRequests: Bool = false, refresh: (@Sendable (Response) throws -> Promise<Void>)? = nil
  ) {
    transport = FakeTransport { [sent] request in
      let token = request.headers["Authorization"] ?? "none"
      sent.append(token)
      return token == "new" ? .response(200) : .response(401, [:], "no \(token)")
    }
    let stages: [any Interceptor] = [
      RefreshInterceptor(on: [401], holdsRequests: holdsRequests) { [unowned self] response in
        started.add()
        return try refresh?(response) ?? pending()
      },
      RetryStage(scheduler: TestScheduler()), AuthorizationStage(),
    ]
    pipeline.withLock { $0 = Pipeline(stages) }
  }

  var credentials: Credentials? {
    Origin(Self.url).map { .init(scheme: .fixed(state.withLock { $0.token }), origin: $0) }
  }

  var currentCredentials: ClientCredentials { credentials.map { .bound($0) } ?? .none }

  private func pending() -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(on: .inline)
    resolver.onCancel { self.cancelled.add() }
    state.withLock { $0.refreshes.append(resolver) }
    return promise
  }

  /// Settles the oldest running refresh with a token or an error.
  func end(_ result: Result<String, any Error>) {
    let resolver = state.withLock { state -> Resolver<Void>? in
      if case .success(let token) = result { state.token = token }
      return state.refreshes.isEmpty ? nil : state.refreshes.removeFirst()
    }
    resolver?.resolve(result.map { _ in })
  }

  /// Creates an exchange with the current credentials.
  func exchange(_ isIntercepted: Bool = true, over transport: (any Transport)? = nil) -> Exchange {
    Exchange(
      HTTPRequest(method: .post, url: Self.url), credentials: credentials, credentialSource: self,
      isIntercepted: isIntercepted, over: transport ?? self.transport)
  }

  func send(_ exchange: Exchange? = nil) -> NetworkPromise {
    pipeline.withLock { $0 }.send(exchange ?? self.exchange())
  }

  /// Sends `count` requests from several threads concurrently.
  func send(_ count: Int) -> [NetworkPromise] {
    let promises = Log<NetworkPromise>()
    DispatchQueue.concurrentPerform(iterations: count) { _ in promises.append(self.send()) }
    return promises.entries
  }
}

/// A transport whose requests a test completes, the oldest first.
final class GatedTransport: Transport {
  private struct State {
    var tokens: [String] = []
    var waiting: [@Sendable (TransportEvent) -> Void] = []
  }

  private let state = Mutex(State())
  let cancelled = Counter()

  /// The `Authorization` fields of the requests, in order.
  var tokens: [String] { state.withLock { $0.tokens } }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    state.withLock { state in
      state.tokens.append(request.headers["Authorization"] ?? "none")
      state.waiting.append(receive)
    }
    return Handle(cancelled: cancelled)
  }

  /// Completes the oldest open request with a status.
  func respond(_ status: Int) {
    let receive = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    for event in [TransportEvent].response(status) { receive?(event) }
  }

  private struct Handle: TransportHandle {
    let cancelled: Counter

    func cancel() { cancelled.add() }
    func suspend() {}
    func resume() {}
  }
}
