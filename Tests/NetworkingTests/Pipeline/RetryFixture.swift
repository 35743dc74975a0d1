import Foundation
import Promises
import TestSupport

@testable import Networking

/// A pipeline over a fake server in virtual time that records the time of each request.
struct RetryFixture: Sendable {
  static let url = URL.of("https://a.example/x")

  let time = TestScheduler()
  let sent = Log<Duration>()
  let transport: FakeTransport
  let pipeline: Pipeline

  /// - Parameters:
  ///   - policy: The retry policy of the client.
  ///   - budget: The retry budget of the client. `nil` disables it.
  ///   - wallClock: The wall-clock time at virtual time zero.
  ///   - around: A closure that creates stages outside of the retry stage.
  ///   - answer: A closure that receives the number of the request, from 1, and the request.
  init(
    _ policy: RetryPolicy = .never, budget: RetryBudget? = nil,
    wallClock: Date = Date(timeIntervalSince1970: 784_111_777),
    around: (any Scheduler) -> [any Interceptor] = { _ in [] },
    _ answer: @escaping @Sendable (Int, HTTPRequest) -> [TransportEvent]
  ) {
    let count = Counter()
    transport = FakeTransport { [sent, time] request in
      sent.append(time.now)
      return answer(count.add(), request)
    }
    let stage = RetryStage(policy: policy, budget: budget, scheduler: time) { [time] in
      wallClock.addingTimeInterval(time.now / .seconds(1))
    }
    pipeline = Pipeline(around(time) + [stage])
  }

  func send(
    _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:], retry: RetryPolicy? = nil
  ) -> NetworkPromise {
    let request = HTTPRequest(method: method, url: Self.url, headers: headers)
    return pipeline.send(Exchange(request, retry: retry, over: transport))
  }

  /// Sends a request, runs virtual time to the end, and returns the result.
  func outcome(
    _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:], retry: RetryPolicy? = nil
  ) async -> Result<Response, any Error> {
    let promise = send(method, headers, retry: retry)
    await time.run()
    return await promise.result
  }

  /// The times of the requests in seconds.
  var seconds: [Double] { sent.entries.map { $0 / .seconds(1) } }
}

extension Exchange {
  /// Creates an exchange with a new call context.
  init(
    _ request: HTTPRequest, timeout: Duration? = nil,
    credentials: NetworkingSettings.Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    isShared: Bool? = nil, retry: RetryPolicy? = nil, interceptors: [any Interceptor] = [],
    hopInterceptors: [any Interceptor] = [], delivery: BodyDestination = BodyDestination(),
    supplier: TransportSupplier = .client, over transport: any Transport
  ) {
    self.init(
      request, credentials: credentials,
      of: CallContext(
        timeout: timeout, credentialSource: credentialSource, isIntercepted: isIntercepted,
        isShared: isShared, retry: retry, interceptors: interceptors,
        hopInterceptors: hopInterceptors, delivery: delivery, supplier: supplier, over: transport))
  }
}
