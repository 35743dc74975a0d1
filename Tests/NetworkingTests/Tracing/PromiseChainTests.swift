import Dispatch
import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises
import TestGate
import Testing

/// Golden waterfalls of chains of promises, in virtual time.
@Suite(.gated)
struct PromiseChainTests {
  @Test func aCallInFlightAtTheEndChangesTheRecordNoMore() async {
    _ = await TracedChain.record { chain in
      let client = chain.client()
      let call = await chain.trace.run { () async in client.request(.get("a/100")) }
      let record = chain.trace.record
      #expect(record.spans.map(\.outcome) == [.running] && record.ending == .finished)
      _ = try await call.value
      #expect(chain.trace.record == record)
    }
  }

  @Test func aHandlerMakesTheCallThatDependsOnTheOneBefore() async {
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 then <1 100-100
      3 GET b/200 200 <2 100-300: server 100-300
      4 then <3 300-300
      5 GET c/50 200 <4 300-350: server 300-350
      350 <5 = 1 server 100, 3 server 200, 5 server 50
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/100")).then { _ in client.request(.get("b/200")) }
          .then { _ in client.request(.get("c/50")) }
      }.value
    }
  }

  @Test func aWhenWaitsForItsSlowestMember() async {
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 GET c/200 200 <start 0-200: server 0-200
      3 GET b/300 200 <start 0-300: server 0-300
      4 then <3 +1,2 300-300
      5 GET d/10 200 <4 300-310: server 300-310
      310 <5 = 3 server 300, 5 server 10
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        when([
          client.request(.get("a/100")), client.request(.get("b/300")),
          client.request(.get("c/200")),
        ]).then { _ in client.request(.get("d/10")) }
      }.value
    }
  }

  @Test func aNestedWhenJoinsAllMembers() async {
    await TracedChain.expect(
      """
      1 GET c/10 200 <start 0-10: server 0-10
      2 GET b/20 200 <start 0-20: server 0-20
      3 GET a/30 200 <start 0-30: server 0-30
      4 then <3 +1,2 30-30
      5 GET d/5 200 <4 30-35: server 30-35
      35 <5 = 3 server 30, 5 server 5
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        when(
          when(client.request(.get("a/30")), client.request(.get("b/20"))),
          client.request(.get("c/10"))
        ).then { _ in client.request(.get("d/5")) }
      }.value
    }
  }

  @Test func aWhenFailsWithItsFirstFailure() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 GET b/300 cancelled <start 0-20: server 0-20
      20 failed(connectionLost) <1 = 1 server 20
      """
    ) { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        when([client.request(.get("a/20")), client.request(.get("b/300"))])
          .then { _ in client.request(.get("never/1")) }
      }.value
    }
  }

  @Test func aRaceIsWonByTheFasterMember() async {
    await TracedChain.expect(
      """
      1 GET a/300 cancelled <start 0-40: server 0-40
      2 GET b/40 200 <start 0-40: server 0-40
      3 then <2 40-40
      4 GET c/10 200 <3 40-50: server 40-50
      50 <4 = 2 server 40, 4 server 10
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        race(client.request(.get("a/300")), client.request(.get("b/40")))
          .then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func anAnyWaitsForASuccess() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 GET b/40 200 <start 0-40: server 0-40
      3 GET c/90 cancelled <start 0-40: server 0-40
      4 then <2 40-40
      5 GET d/10 200 <4 40-50: server 40-50
      50 <5 = 2 server 40, 5 server 10
      """
    ) { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        any([
          client.request(.get("a/20")), client.request(.get("b/40")), client.request(.get("c/90")),
        ]).then { _ in client.request(.get("d/10")) }
      }.value
    }
  }

  @Test func aSettledJoinsFailures() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 GET b/40 200 <start 0-40: server 0-40
      3 then <2 +1 40-40
      4 GET c/10 200 <3 40-50: server 40-50
      50 <4 = 2 server 40, 4 server 10
      """
    ) { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        settled([client.request(.get("a/20")), client.request(.get("b/40"))])
          .then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func aRecoveryFollowsTheFailure() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 recover <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      50 <3 = 1 server 20, 3 server 30
      """
    ) { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).recover { _ in client.request(.get("b/30")) }
      }.value
    }
  }

  @Test func attemptsOfARetryAreApartByTheirDelay() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 timer <1 20-70
      3 GET a/20 failed(the connection was lost: mocked) <2 70-90: server 70-90
      4 timer <3 90-140
      5 GET a/20 200 <4 140-160: server 140-160
      160 <5 = 1 server 20, 2 timer 50, 3 server 20, 4 timer 50, 5 server 20
      """
    ) { chain in
      let client = chain.client { _, count in count < 3 ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        retry(.delayed(.milliseconds(50), limit: 3)) { _ in client.request(.get("a/20")) }
      }.value
    }
  }

  @Test func attemptsOfARetryOnAnActorAreApartToo() async {
    await TracedChain.expect(
      """
      1 GET a/20 failed(the connection was lost: mocked) <start 0-20: server 0-20
      2 timer <1 20-70
      3 GET a/20 failed(the connection was lost: mocked) <2 70-90: server 70-90
      4 timer <3 90-140
      5 GET a/20 200 <4 140-160: server 140-160
      160 <5 = 1 server 20, 2 timer 50, 3 server 20, 4 timer 50, 5 server 20
      """
    ) { @MainActor chain in
      let client = chain.client { _, count in count < 3 ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        retry(.delayed(.milliseconds(50), limit: 3)) { _ in client.request(.get("a/20")) }
      }.value
    }
  }

  @Test func aTimeoutCancelsTheCall() async {
    await TracedChain.expect(
      """
      1 GET a/500 cancelled <start 0-80: server 0-80
      2 timer <start 0-80
      3 recover <2 80-80
      4 GET b/20 200 <3 80-100: server 80-100
      100 <4 = 2 timer 80, 4 server 20
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/500")).timeout(.milliseconds(80))
          .recover { _ in client.request(.get("b/20")) }
      }.value
    }
  }

  @Test func aDelayIsATimer() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 timer <1 20-50
      3 then <2 50-50
      4 GET b/40 200 <3 50-90: server 50-90
      90 <4 = 1 server 20, 2 timer 30, 4 server 40
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/20")).delay(.milliseconds(30)).then { _ in
          client.request(.get("b/40"))
        }
      }.value
    }
  }

  @Test func inlineHandlersAddNoSpans() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 GET b/40 200 <1 20-60: server 20-60
      60 <2 = 1 server 20, 2 server 40
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/20")).map { $0.status }.map(on: .inline) { $0 + 1 }
          .then(on: .inline) { _ in client.request(.get("b/40")) }
      }.value
    }
  }

  @Test func anObserverIsBesideThePath() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 handler <1 20-20
      3 then <1 20-20
      4 GET beside/10 200 <2 20-30: server 20-30
      5 GET b/30 200 <3 20-50: server 20-50
      6 ensure <5 50-50
      7 GET c/40 200 <6 50-90: server 50-90
      90 <7 = 1 server 20, 5 server 30, 7 server 40
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/20")).done { _ in _ = client.request(.get("beside/10")) }
          .tap { _ in client.request(.get("b/30")) }.ensure { client.request(.get("c/40")) }
      }.value
    }
  }

  @Test func handlersOnAQueueAndOnTheMainActorHaveTheirPlace() async {
    let record = await TracedChain.record { chain in
      let client = chain.client()
      let queue = DispatchQueue(label: "parsing")
      _ = try await chain.trace.run {
        client.request(.get("a/20")).then(on: .queue(queue)) { _ in client.request(.get("b/40")) }
          .then(on: .main) { _ in client.request(.get("c/10")) }
          .then(on: .background) { _ in client.request(.get("d/10")) }
      }.value
    }
    let places = record.spans.compactMap { span -> TraceSpan.HandlerContext? in
      if case .handler(let place, _) = span.kind { place } else { nil }
    }
    #expect(places == [.actor("parsing"), .mainThread, .background])
  }

  @Test func aHopOverDispatchByHandIsUnknown() async {
    await TracedChain.expect(
      """
      1 GET a/50 200 <start 0-50: server 0-50
      2 handler <1 50-50
      3 then <? 50-50
      4 GET b/60 200 <3 50-110: server 50-110
      110 <4 = - unknown 50, 4 server 60
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run { () -> Promise<Response> in
        let (promise, resolver) = Promise<Int>.pending()
        client.request(.get("a/50")).done { _ in
          DispatchQueue.global().async { resolver.fulfill(1) }
        }
        return promise.then { _ in client.request(.get("b/60")) }
      }.value
    }
  }

  @Test func aResolverOfAHandlerIsDueToTheHandler() async {
    await TracedChain.expect(
      """
      1 GET a/50 200 <start 0-50: server 0-50
      2 handler <1 50-50
      3 then <2 50-50
      4 GET b/60 200 <3 50-110: server 50-110
      110 <4 = 1 server 50, 4 server 60
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run { () -> Promise<Response> in
        let (promise, resolver) = Promise<Int>.pending()
        client.request(.get("a/50")).done { resolver.fulfill($0.status) }
        return promise.then { _ in client.request(.get("b/60")) }
      }.value
    }
  }

  @Test func aCancelledChainEndsWithoutItsCall() async {
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 then <1 100-100
      3 GET b/100 cancelled <2 100-150: server 100-150
      150 cancelled <- = 1 server 100, 3 server 50
      """
    ) { chain in
      let client = chain.client()
      let promise = chain.trace.run {
        client.request(.get("a/100")).then { _ in client.request(.get("b/100")) }
      }
      try await chain.time.sleep(for: .milliseconds(150))
      promise.cancel()
    }
  }

  @Test func decodingIsASpan() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 decode <1 20-20: background thread 20-20
      3 then <2 20-20
      4 GET b/40 200 <3 20-60: server 20-60
      5 decode <4 60-60: background thread 60-60
      6 then <5 60-60
      7 GET c/10 200 <6 60-70: server 60-70
      70 <7 = 1 server 20, 4 server 40, 7 server 10
      """
    ) { chain in
      let client = chain.client { _, _ in .json([1, 2]) }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).decode([Int].self).then { _ in client.request(.get("b/40")) }
          .toJson().then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func mapsOfACollectionRunOneAfterTheOther() async {
    await TracedChain.expect(
      """
      1 then <start 0-0
      2 GET a/10 200 <1 0-10: server 0-10
      3 then <2 10-10
      4 GET a/20 200 <3 10-30: server 10-30
      5 then <4 30-30
      6 GET a/30 200 <5 30-60: server 30-60
      60 <6 = 2 server 10, 4 server 20, 6 server 30
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        reduce([10, 20, 30], 0) { sum, delay in
          client.request(.get("a/\(delay)")).map { sum + $0.status }
        }
      }.value
    }
  }

  @Test func aBoundedWhenStartsTheNextAfterOneEnds() async {
    await TracedChain.expect(
      """
      1 GET a/10 200 <start 0-10: server 0-10
      2 GET a/20 200 <start 0-20: server 0-20
      3 GET a/30 200 <1 10-40: server 10-40
      4 GET a/40 200 <2 20-60: server 20-60
      60 <4 = 2 server 20, 4 server 40
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        when([10, 20, 30, 40], concurrency: 2) { client.request(.get("a/\($0)")) }
      }.value
    }
  }

  @Test func anErrorOfTheClosureEndsTheTrace() {
    struct NoBoard: Error {}
    let trace = Trace("open board")
    #expect(throws: NoBoard.self) {
      _ = try trace.run { () throws -> Promise<Int> in throw NoBoard() }
    }
    #expect(trace.record.ending == .failed("NoBoard"))
  }
}
