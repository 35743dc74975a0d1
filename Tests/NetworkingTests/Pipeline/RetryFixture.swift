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
  ///   - respond: A closure that receives the number of the request, from 1, and the request.
  init(
    _ policy: RetryPolicy = .never, budget: RetryBudget? = nil,
    wallClock: Date = Date(timeIntervalSince1970: 784_111_777),
    around: (any Scheduler) -> [any Interceptor] = { _ in [] },
    _ respond: @escaping @Sendable (Int, HTTPRequest) -> [TransportEvent]
  ) {
    let count = Counter()
    transport = FakeTransport { [sent, time] request in
      sent.append(time.now)
      return respond(count.add(), request)
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
  /// Makes an exchange of a new call.
  init(
    _ request: HTTPRequest, timeout: Duration? = nil, credentials: Credentials? = nil,
    credentialSource: (any CredentialSource)? = nil, isIntercepted: Bool = true,
    isShared: Bool? = nil, retry: RetryPolicy? = nil, interceptors: InterceptorList = [],
    destination: BodyDestination = .memory, scheduler: any Scheduler = .live,
    source: SelectedTransport.Source = .client, over transport: any Transport
  ) {
    var original = Request(.get, "")
    original.timeout = timeout
    original.isIntercepted = isIntercepted
    original.isShared = isShared
    original.retry = retry
    var settings = ClientSettings()
    settings.interceptors = interceptors
    settings.scheduler = scheduler
    self.init(
      request, credentials: credentials,
      of: Call(
        original, settings: ClientSettings.Snapshot(settings),
        over: SelectedTransport(transport: transport, source: source),
        receivedBy: Reception(options: CallOptions(to: destination)),
        credentialSource: credentialSource))
  }
}
