import Dispatch
import Foundation
import Promises
import Synchronization
import TestSupport

@testable import Networking

/// A client's pipeline before a server that takes one token only, and a refresh that a test settles.
final class RefreshStand: CredentialSource {
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

  init(refresh: (@Sendable (Response) throws -> Promise<Void>)? = nil) {
    transport = FakeTransport { [sent] request in
      let token = request.headers["Authorization"] ?? "none"
      sent.append(token)
      return token == "new" ? .response(200) : .response(401, [:], "no \(token)")
    }
    let stages: [any Interceptor] = [
      RefreshInterceptor(on: [401]) { [unowned self] response in
        started.add()
        return try refresh?(response) ?? pending()
      },
      RetryStage(scheduler: TestScheduler()), AuthorizationStage(),
    ]
    pipeline.withLock { $0 = Pipeline(stages) }
  }

  var credentials: Credentials? {
    Origin(Self.url).map { .init(value: state.withLock { $0.token }, origin: $0) }
  }

  private func pending() -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(on: .inline)
    resolver.onCancel { self.cancelled.add() }
    state.withLock { $0.refreshes.append(resolver) }
    return promise
  }

  /// Ends the oldest refresh under way, well with a token or badly with an error.
  func end(_ result: Result<String, any Error>) {
    let resolver = state.withLock { state -> Resolver<Void>? in
      if case .success(let token) = result { state.token = token }
      return state.refreshes.isEmpty ? nil : state.refreshes.removeFirst()
    }
    resolver?.resolve(result.map { _ in })
  }

  /// A request that was made with the credentials in force now.
  func exchange(_ isIntercepted: Bool = true, over transport: (any Transport)? = nil) -> Exchange {
    Exchange(
      HTTPRequest(method: .post, url: Self.url), credentials: credentials, credentialSource: self,
      isIntercepted: isIntercepted, over: transport ?? self.transport)
  }

  func send(_ exchange: Exchange? = nil) -> NetworkPromise {
    pipeline.withLock { $0 }.send(exchange ?? self.exchange())
  }

  /// That many, from several threads at once.
  func send(_ count: Int) -> [NetworkPromise] {
    let promises = Log<NetworkPromise>()
    DispatchQueue.concurrentPerform(iterations: count) { _ in promises.append(self.send()) }
    return promises.entries
  }
}
