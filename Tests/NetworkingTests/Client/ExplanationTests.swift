import Foundation
import Mocking
import NetworkingInterceptors
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The ``Promise/explanation`` of requests names the call and the stage that it waits for.
@Suite(.gated)
struct ExplanationTests {
  /// A way to leave a request pending, with its explanation.
  ///
  /// The calls are numbered from 1, in the order of their creation.
  struct Hang: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (_ never: Promise<Void>) async -> NetworkPromise
    let lines: [String]

    init(
      _ name: String, _ make: @escaping @Sendable (_ never: Promise<Void>) async -> NetworkPromise,
      _ lines: String...
    ) {
      testDescription = name
      self.make = make
      self.lines = lines
    }
  }

  private static let firstByte = "waits for the first byte of the response"
  private static let never = "the resolver made at App/Never.swift:1 was never used"
  private static let url = URL.of("https://a.example")

  /// The clients, which a suspended request needs.
  private static let clients = Log<Networking<Request>>()

  /// Returns a client over a transport that responds with a number of events, by default none.
  private static func client(
    _ mode: RequestMode = .async, with change: (inout NetworkingConfiguration) -> Void = { _ in },
    respond: @escaping FakeTransport.Handler = { _ in [] }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    change(&configuration)
    let client = Networking<Request>(
      baseURL: url, mode: mode, transport: FakeTransport(respond), configuration: configuration)
    clients.append(client)
    return client
  }

  private struct Stuck: Interceptor {
    let name = "the gatekeeper"
    static let step = "waits for the step at NetworkingTests/ExplanationTests.swift:\(#line + 4)"
    let wait: @Sendable (Exchange) -> Promise<Void>

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      wait(exchange).then(on: .inline) { next(exchange) }
    }
  }

  private static let hangs: [Hang] = [
    Hang(
      "a server that does not respond", { _ in client().request(.get("boards/\(7)")) },
      "waits for call #1 GET boards/7, attempt 1", firstByte),
    Hang(
      "a body without an end",
      { _ in client(respond: { _ in [.head(HTTPResponseHead(status: 200))] }).request(.get("a")) },
      "waits for call #1 GET a, attempt 1", "waits for the end of the response"),
    Hang(
      "the queue of a client that sends one request at a time",
      { _ in
        let client = client(.sync)
        return ["a", "b", "c"].map { client.request(.get(RequestPath(raw: $0))) }[2]
      },
      "waits for call #3 GET c, at position 2 in the queue, behind call #2",
      "waits for call #1 GET a, attempt 1", firstByte),
    Hang(
      "the queue of a client that sends two requests at a time",
      { _ in
        let client = client(.limited(2))
        let requests = ["a", "b", "c", "d"].map { client.request(.get(RequestPath(raw: $0))) }
        requests[2].cancel()
        return requests[3]
      },
      "waits for call #3 GET d, at position 1 in the queue, behind call #2",
      "  waits for call #1 GET a, attempt 1", "  \(firstByte)",
      "  waits for call #2 GET b, attempt 1", "  \(firstByte)"),
    Hang(
      "a suspended client",
      { _ in
        let client = client(.limited(2))
        client.suspend()
        return client.request(.get("a"))
      }, "waits for call #1 GET a, at position 1 in the queue, which is suspended"),
    Hang(
      "a middleware",
      { never in
        let client = client()
        client.middleware = { _, _ in never }
        return client.request(.get("a"))
      }, "waits for call #1 GET a", Self.never),
    Hang(
      "an interceptor",
      { never in
        let client = client()
        client.interceptors = [Stuck { _ in never }]
        return client.request(.get("a"))
      }, "waits for call #1 GET a, in the interceptor the gatekeeper", Stuck.step, Self.never),
    Hang(
      "a refresh that another call began",
      { never in
        let client = client(respond: { _ in .response(401) })
        client.interceptors = [RefreshInterceptor { _ in never }]
        return ["a", "b"].map { client.request(.get(RequestPath(raw: $0))) }[1]
      }, "waits for call #2 GET b, attempt 1, in the interceptor RefreshInterceptor",
      "waits for the refresh that call #1 began", Self.never),
    Hang(
      "a refresh by which requests are held",
      { never in
        let client = client(respond: { _ in .response(401) })
        client.interceptors = [RefreshInterceptor(holdsRequests: true) { _ in never }]
        return ["a", "b"].map { client.request(.get(RequestPath(raw: $0))) }[1]
      }, "waits for call #2 GET b, in the interceptor RefreshInterceptor",
      "waits for the refresh that call #1 began", Self.never),
    Hang(
      "a request that waits in the queue behind the call that needs it",
      { never in
        let client = client(.sync)
        client.interceptors = [
          Stuck { [unowned client] exchange in
            exchange.request.url.path == "/a" ? client.request(.get("b")).asVoid() : never
          }
        ]
        return client.request(.get("a"))
      }, "waits for call #1 GET a, in the interceptor the gatekeeper", Stuck.step,
      "waits for call #2 GET b, at position 1 in the queue, behind call #1",
      "waits for call #1 GET a, in the interceptor the gatekeeper, as above"),
    Hang(
      "an exchange that another call began",
      { _ in
        let client = client(with: { $0.sharesRequests = true })
        return (0..<2).map { _ in client.request(.get("a")) }[1]
      }, "waits for call #2 GET a, attempt 1", "waits for the exchange that call #1 began",
      firstByte),
    Hang(
      "a network that is unreachable",
      { _ in
        let client = client(with: {
          $0.whenUnreachable = .wait(atMost: .seconds(60))
          $0.reachability = NetworkReachability(monitor: MockReachability(.unreachable))
        })
        return client.request(.get("a"))
      }, "waits for call #1 GET a, attempt 1, in the interceptor whenUnreachable",
      "waits for the network to become reachable",
      "virtual time stands at 0.0 seconds; the next timer is in 60.0 seconds"),
    Hang(
      "a delay before the next attempt",
      { _ in
        let client = client(
          with: { $0.retry = .exponential(initial: .seconds(30), jitter: .none, limit: 2) },
          respond: { _ in .response(503) })
        return client.request(.get("a"))
      }, "waits for call #1 GET a, attempt 1", "waits for the delay before a retry",
      "virtual time stands at 0.0 seconds; the next timer is in 30.0 seconds"),
    Hang(
      "a barrier",
      { never in
        let (client, barrier) = (client(), PipelineBarrier())
        client.interceptors = [barrier]
        barrier.hold(while: never)
        return client.request(.get("a"))
      }, "waits for call #1 GET a, in the interceptor PipelineBarrier",
      "waits for the work of a pipeline barrier"),
    Hang(
      "a URL with secrets",
      { _ in client().request(.get("https://a.example/x?token=secret&q=private")) },
      "waits for call #1 GET https://a.example/x, attempt 1", firstByte),
  ]

  /// Returns an explanation whose calls are numbered from 1.
  private static func numbered(_ text: String) -> String {
    let numbers = Set(text.matches(of: #/#(\d+)/#).compactMap { Int($0.1) }).sorted()
    return text.replacing(#/#(\d+)/#) { match in
      "#\((numbers.firstIndex(of: Int(match.1) ?? 0) ?? -1) + 1)"
    }
  }

  @Test(arguments: hangs)
  func aHangOfARequestIsExplained(_ hang: Hang) async {
    await withVirtualTime { _ in
      let (never, resolver) = Promise<Void>.pending(on: .inline, file: "App/Never.swift", line: 1)
      let call = await hang.make(never)
      let hasTime = hang.lines.last?.hasPrefix("virtual time") == true
      let time = hasTime ? [] : ["virtual time stands at 0.0 seconds; no timer waits"]
      let expected = ["Promise<Response> is pending"] + hang.lines + time
      #expect(Self.numbered(call.explanation) == expected.joined(separator: "\n"))
      #expect(call.explanation.split(separator: "\n").allSatisfy { $0.utf8.count < 200 })
      call.cancel()
      resolver.fulfill()
    }
  }

  // MARK: Calls

  @Test func aCallHasTheNumberOfItsEvents() async throws {
    let monitor = RecordingMonitor()
    let client = Self.client { $0.scheduler = TestScheduler() }
    client.addMonitor(monitor)
    let call = client.request(.get("a"))
    let number = try #require(await monitor.events(1).first).call
    #expect(
      call.explanation.contains("waits for call \(number) GET a, attempt 1, last event 0.0 s ago\n")
    )
    call.cancel()
  }

  @Test func theExplanationOfARecordedCallHasATime() async throws {
    try await withVirtualTime { time in
      try await time.run {
        let (client, trace) = (Self.client(), Trace("hang"))
        let call = trace.run { client.request(.get("a")) }
        try await time.sleep(for: .milliseconds(8_100))
        let lines = call.explanation.split(separator: "\n").dropFirst(1).prefix(2)
        #expect(lines.first?.hasSuffix(" GET a, attempt 1, last event 8.1 s ago") == true)
        #expect(lines.last ?? "" == Self.firstByte)
        call.cancel()
      }
    }
  }

  @Test func aStepOfARequestIsOneLineWithItsCall() {
    let client = Self.client()
    let text = client.request(.get("a")).validate().toString()
    let lines = text.explanation.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "Promise<String> is pending")
    #expect(lines[1].hasPrefix("waits for call #"))
    text.cancel()
  }

  @Test func aReplayNamesTheStoredRequestThatItSends() async throws {
    let (store, sent) = (TemporaryStore(), Log<Void>())
    let offline = OfflinePolicy.store(try store.open())
    let client = Self.client(
      with: { $0.offline = offline },
      respond: { _ in
        sent.append(())
        let isFirst = sent.entries.count == 1
        return isFirst ? [.failure(TransportFailure(code: .notConnectedToInternet))] : []
      })
    _ = await client.request(.post("notes"), .storedOffline).result
    let replay = client.replay()
    let line = #line - 1
    _ = await sent.entries(2)
    let lines = [
      "Promise<Report> is pending",
      "waits for the step at NetworkingTests/ExplanationTests.swift:\(line)",
      "waits for the replayed requests", "waits for call #1 POST notes, attempt 1", Self.firstByte,
    ]
    #expect(Self.numbered(replay.explanation) == lines.joined(separator: "\n"))
    replay.cancel()
  }

  @Test func aReleasedClientHasNoExplanations() {
    weak var queue: RequestQueue?
    do {
      let client = Networking<Request>(
        transport: FakeTransport { _ in .response(200) }, configuration: .plain)
      queue = client.queue
      #expect(queue != nil)
    }
    #expect(queue == nil)
  }

  // MARK: Threads

  /// An interceptor that reads the explanations of all calls.
  private struct Reader: Interceptor {
    let calls: Log<NetworkPromise>

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      for call in calls.entries.suffix(3) { _ = call.explanation }
      return next(exchange)
    }
  }

  @Test(arguments: [RequestMode.sync, .limited(3), .async])
  func explanationsMayBeReadWhileRequestsRun(_ mode: RequestMode) async throws {
    let client = Self.client(
      mode, with: { $0.sharesRequests = true }, respond: { _ in .response(200) })
    let calls = Log<NetworkPromise>()
    client.callbackContext = .inline
    client.interceptors = [Reader(calls: calls)]
    client.addMonitor { _ in for call in calls.entries.suffix(3) { _ = call.explanation } }
    await onThreads(4) { index in
      for _ in 0..<50 {
        let call = client.request(.get(RequestPath(raw: "\(index % 2)")))
        calls.append(call)
        call.done(on: .inline) { _ in _ = calls.entries.last?.explanation }
        #expect(call.explanation.hasPrefix("Promise<Response> is "))
      }
    }
    for call in calls.entries { #expect(try await call.value.status == 200) }
  }
}
