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
  @Test func aHandlerMakesTheCallThatDependsOnTheOneBefore() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/100")).then { _ in client.request(.get("b/200")) }
          .then { _ in client.request(.get("c/50")) }
      }.value
    }
  }

  @Test func aWhenWaitsForItsSlowestMember() async {
    await TracedChain.expect("") { chain in
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
    await TracedChain.expect("") { chain in
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
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        when([client.request(.get("a/20")), client.request(.get("b/300"))])
          .then { _ in client.request(.get("never/1")) }
      }.value
    }
  }

  @Test func aRaceIsWonByTheFasterMember() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        race(client.request(.get("a/300")), client.request(.get("b/40")))
          .then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func anAnyWaitsForASuccess() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        any([
          client.request(.get("a/20")), client.request(.get("b/40")), client.request(.get("c/90")),
        ]).then { _ in client.request(.get("d/10")) }
      }.value
    }
  }

  @Test func aSettledJoinsFailures() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        settled([client.request(.get("a/20")), client.request(.get("b/40"))])
          .then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func aRecoveryFollowsTheFailure() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in path == "a/20" ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).recover { _ in client.request(.get("b/30")) }
      }.value
    }
  }

  @Test func attemptsOfARetryAreApartByTheirDelay() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { _, count in count < 3 ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        retry(.delayed(.milliseconds(50), limit: 3)) { _ in client.request(.get("a/20")) }
      }.value
    }
  }

  @Test func attemptsOfARetryOnAnActorAreApartToo() async {
    await TracedChain.expect("") { @MainActor chain in
      let client = chain.client { _, count in count < 3 ? Mock.failure(.connectionLost) : nil }
      _ = try await chain.trace.run {
        retry(.delayed(.milliseconds(50), limit: 3)) { _ in client.request(.get("a/20")) }
      }.value
    }
  }

  @Test func aTimeoutCancelsTheCall() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/500")).timeout(.milliseconds(80))
          .recover { _ in client.request(.get("b/20")) }
      }.value
    }
  }

  @Test func aDelayIsATimer() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/20")).delay(.milliseconds(30)).then { _ in
          client.request(.get("b/40"))
        }
      }.value
    }
  }

  @Test func inlineHandlersAddNoSpans() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        client.request(.get("a/20")).map { $0.status }.map(on: .inline) { $0 + 1 }
          .then(on: .inline) { _ in client.request(.get("b/40")) }
      }.value
    }
  }

  @Test func anObserverIsBesideThePath() async {
    await TracedChain.expect("") { chain in
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
    print("PLACES", places)
    #expect(places.prefix(2) == [.actor("parsing"), .mainThread])
  }

  @Test func aHopOverDispatchByHandIsUnknown() async {
    await TracedChain.expect("") { chain in
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
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run { () -> Promise<Response> in
        let (promise, resolver) = Promise<Int>.pending()
        client.request(.get("a/50")).done { resolver.fulfill($0.status) }
        return promise.then { _ in client.request(.get("b/60")) }
      }.value
    }
  }

  @Test func aCancelledChainEndsWithoutItsCall() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      let promise = chain.trace.run {
        client.request(.get("a/100")).then { _ in client.request(.get("b/100")) }
      }
      try await chain.time.sleep(for: .milliseconds(150))
      promise.cancel()
    }
  }

  @Test func decodingIsASpan() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { _, _ in .json([1, 2]) }
      _ = try await chain.trace.run {
        client.request(.get("a/20")).decode([Int].self).then { _ in client.request(.get("b/40")) }
          .toJson().then { _ in client.request(.get("c/10")) }
      }.value
    }
  }

  @Test func mapsOfACollectionRunOneAfterTheOther() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        reduce([10, 20, 30], 0) { sum, delay in
          client.request(.get("a/\(delay)")).map { sum + $0.status }
        }
      }.value
    }
  }

  @Test func aBoundedWhenStartsTheNextAfterOneEnds() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        when([10, 20, 30, 40], concurrency: 2) { client.request(.get("a/\($0)")) }
      }.value
    }
  }
}
