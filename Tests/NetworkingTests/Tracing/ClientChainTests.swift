import Foundation
import Mocking
import Networking
import NetworkingStreams
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

/// Golden waterfalls of the stages of a client, in virtual time.
@Suite(.gated)
struct ClientChainTests {
  @Test func aConnectionHasAllItsSegments() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in TimedTransport.connecting() })
      _ = try await chain.trace.run { client.request(.get("a")) }.value
    }
  }

  @Test func aConnectionThatFailsHasTheSegmentsSoFar() async {
    await TracedChain.expect("") { chain in
      var metrics = TransportMetrics()
      metrics.nameResolved = .milliseconds(10)
      let failure = TransportFailure(code: .cannotConnect, metrics: metrics)
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in [(25, .failure(failure))] })
      _ = try await chain.trace.run { client.request(.get("a")) }.value
    }
  }

  @Test(arguments: [5, 20, 45, 80, 130])
  func aCallCanBeCancelledInEachSegment(_ moment: Int) async {
    let record = await TracedChain.record { chain in
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in TimedTransport.connecting() })
      let promise = chain.trace.run { client.request(.get("a")) }
      try await chain.time.sleep(for: .milliseconds(moment))
      promise.cancel()
    }
    let expected = [
      5: "connect 0-5", 20: "connect 0-20", 45: "connect 0-45",
      80: "dns 0-10, connect 10-30, tls 30-60, server 60-80",
      130: "dns 0-10, connect 10-30, tls 30-60, server 60-100, receive 100-130",
    ]
    #expect(record.text.lines[0] == "1 GET a cancelled <start 0-\(moment): \(expected[moment] ?? "")")
    #expect(record.isComplete)
  }

  @Test func aPlaceInTheQueueIsHeldByTheCallThatFreesIt() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.limited(2))
      client.callbackContext = .inline
      _ = try await chain.trace.run {
        when([100, 250, 300, 400, 500].map { client.request(.get("a/\($0)")) })
      }.value
    }
  }

  @Test func placesOfAClientOnTheMainQueueAreHeldToo() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.limited(1))
      client.callbackContext = .main
      _ = try await chain.trace.run {
        when([30, 20, 10].map { client.request(.get("a/\($0)")) })
          .then { _ in client.request(.get("b/5")) }
      }.value
    }
  }

  @Test func aSynchronousClientSendsOneAfterTheOther() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.sync)
      try await chain.trace.run {
        async let a = client.request(.get("a/30")).value
        try await chain.time.sleep(for: .milliseconds(10))
        async let b = client.request(.get("b/40")).value
        _ = try await (a, b)
      }
    }
  }

  @Test func aPlaceCanBeHeldByACallOutsideOfTheTrace() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.sync)
      let outside = client.request(.get("outside/60"))
      try await chain.time.sleep(for: .milliseconds(20))
      try await chain.trace.run { _ = try await client.request(.get("a/30")).value }
      _ = try await outside.value
    }
  }

  @Test func aCancelledCallFreesItsPlace() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.sync)
      try await chain.trace.run {
        let first = client.request(.get("a/300"))
        let second = client.request(.get("b/40"))
        try await chain.time.sleep(for: .milliseconds(25))
        first.cancel()
        _ = try await second.value
      }
    }
  }

  @Test func aSharedCallIsHeldByTheOneThatSends() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.async, .with { $0.sharesRequests = true })
      try await chain.trace.run {
        async let a = client.request(.get("a/70")).value
        try await chain.time.sleep(for: .milliseconds(30))
        async let b = client.request(.get("a/70")).value
        _ = try await (a, b)
        _ = try await client.request(.get("c/10")).value
      }
    }
  }

  @Test func retriesHaveTheirDelaysAndAttempts() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.async, .with { $0.retry = .delayed(.milliseconds(100), limit: 3) }) {
        _, count in count < 3 ? Mock.status(503) : nil
      }
      _ = try await chain.trace.run { client.request(.get("a/20")) }
        .then { _ in client.request(.get("b/10")) }.value
    }
  }

  @Test func aRetryAfterAFailureKeepsItsSegments() async {
    await TracedChain.expect("") { chain in
      let count = Counter()
      let transport = TimedTransport(time: chain.time) { _ in
        guard count.add() == 1 else { return TimedTransport.connecting() }
        return [(25, .failure(TransportFailure(code: .cannotConnect)))]
      }
      let client = chain.client(
        over: transport, .with { $0.retry = .delayed(.milliseconds(50), limit: 1) })
      _ = try await chain.trace.run { client.request(.get("a")) }.value
    }
  }

  @Test func callsWaitForTheRefreshOfAnother() async {
    await TracedChain.expect("") { chain in
      let refreshes = Counter()
      let client = chain.client { path, _ in
        if path == "token/50" {
          refreshes.add()
          return nil
        }
        return refreshes.value == 0 ? Mock.status(401) : nil
      }
      client.interceptors.append(
        RefreshInterceptor(holdsRequests: true) { [weak client] _ in
          guard let client else { return }
          _ = try await client.request(.get("token/50", .notIntercepted)).value
        })
      try await chain.trace.run {
        async let a = client.request(.get("a/20")).value
        try await chain.time.sleep(for: .milliseconds(30))
        async let b = client.request(.get("b/25")).value
        _ = try await (a, b)
      }
    }
  }

  @Test func aRefreshByPromisesIsFollowed() async {
    await TracedChain.expect("") { chain in
      let refreshes = Counter()
      let client = chain.client { path, _ in
        if path == "token/50" {
          refreshes.add()
          return nil
        }
        return refreshes.value == 0 ? Mock.status(401) : nil
      }
      client.interceptors.append(
        RefreshInterceptor { [weak client] _ in
          client?.request(.get("token/50", .notIntercepted)) ?? .rejected(CancellationError())
        })
      _ = try await chain.trace.run {
        when(client.request(.get("a/20")), client.request(.get("b/40")))
          .then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func middlewareIsBeforeTheRequest() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      client.middleware = { _, client in
        client.request(.get("token/50", .notIntercepted)).asVoid()
      }
      _ = try await chain.trace.run { client.request(.get("a/20")) }
        .then { _ in client.request(.get("b/10")) }.value
    }
  }

  @Test func responsesOfTheCacheAndOfAValidationAreNamed() async {
    await TracedChain.expect("") { chain in
      let configuration = NetworkingConfiguration.with {
        $0.caching.storage = .cache(HTTPCache())
        $0.caching.includesMocks = true
        $0.wallClock = { Date(timeIntervalSince1970: 1_700_000_000) + chain.time.now / .seconds(1) }
      }
      let client = chain.client(.async, configuration) { path, count in
        if path == "fresh/30" { return Mock.text("ok").header("Cache-Control", "max-age=60") }
        return (count == 2 ? Mock.text("ok") : Mock.status(304)).header("ETag", "\"1\"")
          .header("Cache-Control", "no-cache")
      }
      try await chain.trace.run {
        _ = try await client.request(.get("fresh/30")).value
        _ = try await client.request(.get("validated/40")).value
        _ = try await client.request(.get("fresh/30")).value
        _ = try await client.request(.get("validated/40")).value
      }
    }
  }

  @Test func aRedirectIsAnotherHop() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in
        path == "a/30" ? Mock.redirect(to: "/b/40") : path == "b/40" ? .redirect(to: "/c/20") : nil
      }
      _ = try await chain.trace.run { client.request(.get("a/30")) }
        .then { _ in client.request(.get("d/10")) }.value
    }
  }

  @Test func aCallWaitsForTheNetwork() async {
    await TracedChain.expect("") { chain in
      let network = MockReachability(.unreachable)
      let reachability = NetworkReachability(monitor: network)
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in TimedTransport.connecting() },
        .with {
          $0.whenUnreachable = .wait(atMost: .seconds(10))
          $0.reachability = reachability
        })
      let promise = chain.trace.run {
        client.request(.get("a")).then { _ in client.request(.get("b")) }
      }
      try await chain.time.sleep(for: .milliseconds(400))
      network.status = .reachable()
      _ = try await promise.value
    }
  }

  @Test func aCallThatWaitsTooLongForTheNetworkFails() async {
    await TracedChain.expect("") { chain in
      let reachability = NetworkReachability(monitor: MockReachability(.unreachable))
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in TimedTransport.connecting() },
        .with {
          $0.whenUnreachable = .wait(atMost: .milliseconds(250))
          $0.reachability = reachability
        })
      _ = try await chain.trace.run { client.request(.get("a")) }.value
    }
  }

  @Test func aCallThatTimesOutHasItsSegments() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(.async, .with { $0.callTimeout = .milliseconds(60) })
      _ = try await chain.trace.run {
        client.request(.get("a/500")).recover { _ in client.request(.get("b/20")) }
      }.value
    }
  }

  @Test func aStreamingBodyIsReceivedWhileTheChainGoesOn() async {
    await TracedChain.expect("") { chain in
      let client = chain.client(
        over: TimedTransport(time: chain.time) { request in
          request.url.path == "/b"
            ? TimedTransport.connecting()
            : [
              (20, .head(HTTPResponseHead(status: 200))), (50, .body(Data("one\n".utf8))),
              (90, .body(Data("two\n".utf8))), (120, .end(TransportMetrics())),
            ]
        })
      try await chain.trace.run {
        for try await _ in client.lines(of: .get("a")) {}
        _ = try await client.request(.get("b")).value
      }
    }
  }

  @Test func aClientOfAnotherSessionBelongsToTheTrace() async {
    await TracedChain.expect("") { chain in
      let (first, second) = (chain.client(.sync), chain.client(.sync))
      _ = try await chain.trace.run {
        first.request(.get("a/20")).then { _ in second.request(.get("b/30")) }
          .then { _ in first.request(.get("c/40")) }
      }.value
    }
  }

  @Test func callsOfAnInterceptorBelongToTheTrace() async {
    await TracedChain.expect("") { chain in
      let (client, other) = (chain.client(), chain.client())
      client.interceptors.append(
        RequestAdapter { request in
          other.request(.get("key/15")).map { _ in request }
        })
      _ = try await chain.trace.run { client.request(.get("a/20")) }
        .then { _ in client.request(.get("b/10")) }.value
    }
  }
}

extension String {
  var lines: [String] { split(separator: "\n").map(String.init) }
}
