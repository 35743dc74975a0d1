import Foundation
import Mocking
import Networking
import NetworkingInterceptors
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
    await TracedChain.expect(
      """
      1 GET a 200 <start 0-150: DNS 0-10, connect 10-30, TLS 30-60, server 60-100, receive 100-150
      150 <1 = 1 DNS 10, 1 connect 20, 1 TLS 30, 1 server 40, 1 receive 50
      """
    ) { chain in
      let client = chain.client(
        over: TimedTransport(time: chain.time) { _ in TimedTransport.connecting() })
      _ = try await chain.trace.run { client.request(.get("a")) }.value
    }
  }

  @Test func aConnectionThatFailsHasTheSegmentsSoFar() async {
    await TracedChain.expect(
      """
      1 GET a failed(no connection could be made) <start 0-25: DNS 0-10, connect 10-25
      25 failed(cannotConnect) <1 = 1 DNS 10, 1 connect 15
      """
    ) { chain in
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
      80: "DNS 0-10, connect 10-30, TLS 30-60, server 60-80",
      130: "DNS 0-10, connect 10-30, TLS 30-60, server 60-100, receive 100-130",
    ]
    #expect(
      record.text.lines[0] == "1 GET a cancelled <start 0-\(moment): \(expected[moment] ?? "")")
    #expect(record.isComplete)
  }

  @Test func aPlaceInTheQueueIsHeldByTheCallThatFreesIt() async {
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 GET a/250 200 <start 0-250: server 0-250
      3 GET a/300 200 <start 0-400: queue behind .limited(2) 0-100 by 1, server 100-400
      4 GET a/400 200 <start 0-650: queue behind .limited(2) 0-250 by 2, server 250-650
      5 GET a/500 200 <start 0-900: queue behind .limited(2) 0-400 by 3, server 400-900
      900 <5 = 5 queue behind .limited(2) 400, 5 server 500
      """
    ) { chain in
      let client = chain.client(.limited(2))
      client.callbackContext = .inline
      _ = try await chain.trace.run {
        when([100, 250, 300, 400, 500].map { client.request(.get("a/\($0)")) })
      }.value
    }
  }

  @Test func placesOfAClientOnTheMainQueueAreHeldToo() async {
    await TracedChain.expect(
      """
      1 GET a/30 200 <start 0-30: server 0-30
      2 GET a/20 200 <start 0-50: queue behind .limited(1) 0-30 by 1, server 30-50
      3 GET a/10 200 <start 0-60: queue behind .limited(1) 0-50 by 2, server 50-60
      4 then <3 +1,2 60-60
      5 GET b/5 200 <4 60-65: server 60-65
      65 <5 = 3 queue behind .limited(1) 50, 3 server 10, 5 server 5
      """
    ) { chain in
      let client = chain.client(.limited(1))
      client.callbackContext = .main
      _ = try await chain.trace.run {
        when([30, 20, 10].map { client.request(.get("a/\($0)")) })
          .then { _ in client.request(.get("b/5")) }
      }.value
    }
  }

  @Test func aSynchronousClientSendsOneAfterTheOther() async {
    await TracedChain.expect(
      """
      1 timer <start 0-10
      2 GET a/30 200 <start 0-30: server 0-30
      3 task <1 10-10
      4 GET b/40 200 <3 10-70: queue behind .sync 10-30 by 2, server 30-70
      5 task <4 70-70
      70 <5 = 1 timer 10, 4 queue behind .sync 20, 4 server 40
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/30 200 <start 0-70: queue behind .sync 0-40, server 40-70
      2 task <1 70-70
      70 <2 = 1 queue behind .sync 40, 1 server 30
      """
    ) { chain in
      let client = chain.client(.sync)
      let outside = client.request(.get("outside/60"))
      try await chain.time.sleep(for: .milliseconds(20))
      try await chain.trace.run { _ = try await client.request(.get("a/30")).value }
      _ = try await outside.value
    }
  }

  @Test func aCancelledCallFreesItsPlace() async {
    await TracedChain.expect(
      """
      1 GET a/300 cancelled <start 0-25: server 0-25
      2 timer <start 0-25
      3 GET b/40 200 <start 0-65: queue behind .sync 0-25 by 1, server 25-65
      4 task <2 25-25
      5 task <3 65-65
      65 <5 = 3 queue behind .sync 25, 3 server 40
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 timer <start 0-30
      2 GET a/70 200 <start 0-70: server 0-70
      3 task <1 30-30
      4 GET a/70 200 <3 30-70: server 30-70 by 2
      5 task <4 +2 70-70
      6 GET c/10 200 <5 70-80: server 70-80
      7 task <6 80-80
      80 <7 = 1 timer 30, 4 server 40, 6 server 10
      """
    ) { chain in
      let client = chain.client(.async, .with { $0.sharesRequests = true })
      try await chain.trace.run {
        let first = client.request(.get("a/70"))
        try await chain.time.sleep(for: .milliseconds(30))
        let second = client.request(.get("a/70"))
        _ = try await when(first, second).value
        _ = try await client.request(.get("c/10")).value
      }
    }
  }

  @Test func retriesHaveTheirDelaysAndAttempts() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-260: server 0-20, retry delay#2.1 20-120, server#2.1 120-140, retry delay#3.1 140-240, server#3.1 240-260
      2 then <1 260-260
      3 GET b/10 200 <2 260-270: server 260-270
      270 <3 = 1 server 20, 1 retry delay 100, 1 server 20, 1 retry delay 100, 1 server 20, 3 server 10
      """
    ) { chain in
      let client = chain.client(.async, .with { $0.retry = .delayed(.milliseconds(100), limit: 3) })
      {
        _, count in count < 3 ? Mock.status(503) : nil
      }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).then { _ in client.request(.get("b/10")) }
      }.value
    }
  }

  @Test func aRetryAfterAFailureKeepsItsSegments() async {
    await TracedChain.expect(
      """
      1 GET a 200 <start 0-225: connect 0-25, retry delay#2.1 25-75, DNS#2.1 75-85, connect#2.1 85-105, TLS#2.1 105-135, server#2.1 135-175, receive#2.1 175-225
      225 <1 = 1 connect 25, 1 retry delay 50, 1 DNS 10, 1 connect 20, 1 TLS 30, 1 server 40, 1 receive 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 timer <start 0-30
      2 GET a/20 200 <start 0-90: server 0-20, refresh 20-70 by 3, server#2.1 70-90
      3 GET token/50 200 <2 20-70: server 20-70
      4 task <1 30-30
      5 GET b/25 200 <4 30-95: refresh 30-70 by 3, server 70-95
      6 task <5 95-95
      95 <6 = 1 timer 30, 5 refresh 40, 5 server 25
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-90: server 0-20, refresh 20-70 by 3, server#2.1 70-90
      2 GET b/40 200 <start 0-110: server 0-40, refresh 40-70 by 3, server#2.1 70-110
      3 GET token/50 200 <1 20-70: server 20-70
      4 then <2 +1 110-110
      5 GET c/10 200 <4 110-120: server 110-120
      120 <5 = 2 server 40, 2 refresh 30, 2 server 40, 5 server 10
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET token/50 200 <start 0-50: server 0-50
      2 GET a/20 200 <start 0-70: code 0-50 by 1, server 50-70
      3 then <2 70-70
      4 GET token/50 200 <3 70-120: server 70-120
      5 GET b/10 200 <3 70-130: code 70-120 by 4, server 120-130
      130 <5 = 2 code 50, 2 server 20, 5 code 50, 5 server 10
      """
    ) { chain in
      let client = chain.client()
      client.middleware = { _, client in
        client.request(.get("token/50", .notIntercepted)).asVoid()
      }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).then { _ in client.request(.get("b/10")) }
      }.value
    }
  }

  @Test func responsesOfTheCacheAndOfAValidationAreNamed() async {
    await TracedChain.expect(
      """
      1 GET fresh/30 200 <start 0-30: server 0-30
      2 task <1 30-30
      3 GET validated/40 200 <2 30-70: server 30-70
      4 task <3 70-70
      5 GET fresh/30 200 <4 70-70
      6 GET validated/40 200 <5 70-110: server 70-110
      7 task <6 110-110
      110 <7 = 1 server 30, 3 server 40, 6 server 40
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/30 200 <start 0-90: server 0-30, server#1.2 30-70, server#1.3 70-90
      2 then <1 90-90
      3 GET d/10 200 <2 90-100: server 90-100
      100 <3 = 1 server 30, 1 server 40, 1 server 20, 3 server 10
      """
    ) { chain in
      let client = chain.client { path, _ in
        path == "a/30" ? Mock.redirect(to: "/b/40") : path == "b/40" ? .redirect(to: "/c/20") : nil
      }
      _ = try await chain.trace.run {
        client.request(.get("a/30")).then { _ in client.request(.get("d/10")) }
      }.value
    }
  }

  @Test func aCallWaitsForTheNetwork() async {
    await TracedChain.expect(
      """
      1 GET a 200 <start 0-550: offline 0-400, DNS 400-410, connect 410-430, TLS 430-460, server 460-500, receive 500-550
      2 then <1 550-550
      3 GET b 200 <2 550-700: DNS 550-560, connect 560-580, TLS 580-610, server 610-650, receive 650-700
      700 <3 = 1 offline 400, 1 DNS 10, 1 connect 20, 1 TLS 30, 1 server 40, 1 receive 50, 3 DNS 10, 3 connect 20, 3 TLS 30, 3 server 40, 3 receive 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a failed(there is no network: it did not become reachable within 0.25 seconds) <start 0-250: offline 0-250
      250 failed(notConnectedToInternet) <1 = 1 offline 250
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/500 failed(the call timed out) <start 0-60: server 0-60
      2 recover <1 60-60
      3 GET b/20 200 <2 60-80: server 60-80
      80 <3 = 1 server 60, 3 server 20
      """
    ) { chain in
      let client = chain.client(.async, .with { $0.callTimeout = .milliseconds(60) })
      _ = try await chain.trace.run {
        client.request(.get("a/500")).recover { _ in client.request(.get("b/20")) }
      }.value
    }
  }

  @Test func aStreamingBodyIsReceivedWhileTheChainGoesOn() async {
    await TracedChain.expect(
      """
      1 GET a 200 <start 0-120: send 0-20, receive 20-120
      2 task <1 20-20
      3 task <1 50-50
      4 task <1 90-90
      5 task <1 120-120
      6 GET b 200 <5 120-270: DNS 120-130, connect 130-150, TLS 150-180, server 180-220, receive 220-270
      7 task <6 270-270
      270 <7 = 1 send 20, 1 receive 100, 6 DNS 10, 6 connect 20, 6 TLS 30, 6 server 40, 6 receive 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 then <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 then <3 50-50
      5 GET c/40 200 <4 50-90: server 50-90
      90 <5 = 1 server 20, 3 server 30, 5 server 40
      """
    ) { chain in
      let (first, second) = (chain.client(.sync), chain.client(.sync))
      _ = try await chain.trace.run {
        first.request(.get("a/20")).then { _ in second.request(.get("b/30")) }
          .then { _ in first.request(.get("c/40")) }
      }.value
    }
  }

  @Test func callsOfAnInterceptorBelongToTheTrace() async {
    await TracedChain.expect(
      """
      1 GET key/15 200 <start 0-15: server 0-15
      2 GET a/20 200 <start 0-35: code 0-15 by 1, server 15-35
      3 then <2 35-35
      4 GET key/15 200 <3 35-50: server 35-50
      5 GET b/10 200 <3 35-60: code 35-50 by 4, server 50-60
      60 <5 = 2 code 15, 2 server 20, 5 code 15, 5 server 10
      """
    ) { chain in
      let (client, other) = (chain.client(), chain.client())
      client.interceptors.append(
        RequestAdapter { request in
          other.request(.get("key/15")).map { _ in request }
        })
      _ = try await chain.trace.run {
        client.request(.get("a/20")).then { _ in client.request(.get("b/10")) }
      }.value
    }
  }
}

extension String {
  var lines: [String] { split(separator: "\n").map(String.init) }
}
