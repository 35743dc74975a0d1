import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct RetryBudgetTests {
  /// Returns the number of available tokens, at most 1,000.
  private func tokenCount(_ tokens: inout RetryTokenBucket) -> Int {
    var count = 0
    while count < 1_000, tokens.withdraw() { count += 1 }
    return count
  }

  @Test func aBudgetHasTenTokensAndGainsATenthForEachResponse() {
    var tokens = RetryTokenBucket(RetryBudget())
    var counts = [tokenCount(&tokens)]
    for _ in 0..<9 { tokens.deposit() }
    counts.append(tokenCount(&tokens))
    tokens.deposit()
    counts.append(tokenCount(&tokens))
    #expect(counts == [10, 0, 1])
  }

  @Test func aFullBudgetGainsNoTokens() {
    var tokens = RetryTokenBucket(RetryBudget(capacity: 2, refund: 5))
    tokens.deposit()
    let count = tokenCount(&tokens)
    #expect(count == 2)
  }

  @Test(arguments: [
    RetryBudget(capacity: -1), RetryBudget(capacity: 0),
    RetryBudget(capacity: 0, refund: .infinity),
    RetryBudget(capacity: 0, refund: .nan), RetryBudget(capacity: .min, refund: -1),
  ])
  func invalidLimitsCountAsZero(_ budget: RetryBudget) {
    var tokens = RetryTokenBucket(budget)
    tokens.deposit()
    let count = tokenCount(&tokens)
    #expect(count == 0)
  }

  @Test func withoutABudgetThereIsAlwaysAToken() async {
    let fixture = RetryFixture(.immediate(limit: 1_000), budget: nil) { _, _ in .response(503) }
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 1_001)
  }

  /// Runs 1,000 callers with six retries every ten seconds against a server that fails for a
  /// minute.
  private func runOutage(_ budget: RetryBudget?) async -> RetryFixture {
    let time = Log<TestScheduler>()
    let fixture = RetryFixture(.delayed(.seconds(10), limit: 6), budget: budget) { _, _ in
      (time.entries.first?.now ?? .zero) < .seconds(60) ? .response(503) : .response(200)
    }
    time.append(fixture.time)
    let calls = (0..<1_000).map { _ in fixture.send() }
    await fixture.time.run()
    for call in calls { #expect(!call.isPending) }
    return fixture
  }

  @Test func manyCallersStayWithinTheBudget() async {
    #expect(await runOutage(RetryBudget()).seconds.count == 1_010)
    #expect(await runOutage(RetryBudget(capacity: 50)).seconds.count == 1_050)
  }

  @Test func withoutABudgetRequestsAreMultiplied() async {
    let fixture = await runOutage(nil)
    #expect(fixture.seconds.count == 7_000)
    #expect(fixture.seconds.last == 60)
  }

  @Test func responsesRestoreRetryTokens() async {
    let fixture = RetryFixture(.immediate(limit: 9), budget: RetryBudget(capacity: 1, refund: 0.5))
    {
      _, request in request.headers.contains("X-Good") ? .response(404) : .response(503)
    }
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 2)
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 3)
    for _ in 0..<2 { _ = await fixture.outcome(.get, ["X-Good": "1"]) }
    _ = await fixture.outcome()
    #expect(fixture.seconds.count == 7)
  }
}
