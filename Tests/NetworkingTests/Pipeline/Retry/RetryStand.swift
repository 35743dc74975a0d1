import Foundation
import Promises
import TestSupport

@testable import Networking

/// A pipeline over a fake server in virtual time that notes when each request was sent.
struct RetryStand: Sendable {
  static let url = URL.of("https://a.example/x")

  let time = TestScheduler()
  let sent = Log<Duration>()
  let transport: FakeTransport
  let pipeline: Pipeline

  /// - Parameters:
  ///   - policy: the client's.
  ///   - budget: the client's; none unless a test is about it.
  ///   - wallClock: the time of day at the time zero.
  ///   - around: makes further stages outside of the retries.
  ///   - answer: gets the number of the request, from 1, and the request.
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

  /// Sends one request and lets all the time pass that it takes.
  func outcome(
    _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:], retry: RetryPolicy? = nil
  ) async -> Result<Response, any Error> {
    let promise = send(method, headers, retry: retry)
    await time.run()
    return await promise.result
  }

  /// When each request was sent, in seconds.
  var seconds: [Double] { sent.entries.map { $0 / .seconds(1) } }
}
