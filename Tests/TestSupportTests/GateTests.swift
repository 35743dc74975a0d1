import TestSupport
import Testing

@testable import TestGate

/// Tests of the limit for the tests that run at the same time.
@Suite(.gated) struct GateTests {
  /// Enters a turnstile in a task of its own, and leaves it when the task is released.
  private func visit(
    _ turnstile: Turnstile, _ request: Gate.Request, _ name: String, _ log: Log<String>
  )
    -> (release: @Sendable () -> Void, end: Task<Void, Never>)
  {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let end = Task {
      let places = await turnstile.enter(request)
      log.append(name)
      for await _ in stream {}
      turnstile.leave(places)
    }
    return ({ continuation.finish() }, end)
  }

  /// Waits until a number of visits wait outside.
  private func waiting(_ count: Int, at turnstile: Turnstile) async {
    while turnstile.waitingCount < count {
      guard !Task.isCancelled else {
        Issue.record("\(turnstile.waitingCount) tests wait, not \(count)")
        return
      }
      await Task.yield()
    }
  }

  @Test func placesAndDescriptorsAreBothLimits() async {
    for (request, limit) in [((1, 1), 3), ((1, 40), 2), ((2, 1), 1)] {
      let turnstile = Turnstile(places: 3, descriptors: 100)
      let log = Log<String>()
      let request = Gate.Request(places: request.0, descriptors: request.1)
      let visits = (0..<5).map { visit(turnstile, request, "\($0)", log) }
      await waiting(5 - limit, at: turnstile)
      #expect(await log.entries(limit).count == limit)
      for visit in visits { visit.release() }
      for visit in visits { await visit.end.value }
      #expect(log.entries.count == 5)
    }
  }

  @Test func theWaitingEnterInTheirOrderAndAllPlacesAreHeldAlone() async {
    let turnstile = Turnstile(places: 2, descriptors: 100)
    let log = Log<String>()
    let small = Gate.Request(places: 1, descriptors: 1)
    let first = visit(turnstile, small, "first", log)
    _ = await log.entries(1)
    let alone = visit(turnstile, .all, "alone", log)
    await waiting(1, at: turnstile)
    // A place is free, but the test that runs alone is next.
    let last = visit(turnstile, small, "last", log)
    await waiting(2, at: turnstile)
    first.release()
    #expect(await log.entries(2) == ["first", "alone"])
    #expect(turnstile.waitingCount == 1)
    alone.release()
    #expect(await log.entries(3) == ["first", "alone", "last"])
    last.release()
    await last.end.value
  }

  @Test(.gated(descriptors: .max)) func aTestThatWantsMoreThanThereIsTakesAll() async {
    let turnstile = Turnstile(places: 1, descriptors: -5)
    let taken = await turnstile.enter(.all)
    #expect(taken.places == 1 && taken.descriptors == 1)
    turnstile.leave(taken)
  }

  @Test func aTurnstileStandsStillOnlyAfterAPeriodInWhichNoTestHasEnded() async throws {
    let turnstile = Turnstile(places: 2, descriptors: 100)
    let periods = Counter()
    try await turnstile.standsStill {
      let places = await turnstile.enter(Gate.Request(places: 1, descriptors: 1))
      if periods.add() < 3 { turnstile.leave(places) }
    }
    #expect(periods.value == 3)
  }

  /// A suite in a gated suite.
  ///
  /// If both traits took places, the tests would wait for each other.
  @Suite(.alone) struct InnerTests {
    @Test(arguments: 0..<20) func aTestOfAGatedSuiteInAGatedSuiteTakesItsPlacesOnce(_: Int) {
      #expect(Turnstile.shared.freePlaces == 0)
    }
  }
}
