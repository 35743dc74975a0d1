import Promises
import TestSupport
import Testing

@testable import Networking

@Suite(.timeLimit(.minutes(10)))
struct RetryBudgetTests {
  /// How many tokens can be taken until there is none, a thousand at the most.
  private func drained(_ tokens: inout RetryTokens) -> Int {
    var count = 0
    while count < 1_000, tokens.withdraw() { count += 1 }
    return count
  }

  @Test func tenTokensAndATenthForEachAnswer() {
    var tokens = RetryTokens(RetryBudget())
    var counts = [drained(&tokens)]
    for _ in 0..<9 { tokens.deposit() }
    counts.append(drained(&tokens))
    tokens.deposit()
    counts.append(drained(&tokens))
    #expect(counts == [10, 0, 1])
  }

  @Test func aFullBucketTakesNoMore() {
    var tokens = RetryTokens(RetryBudget(capacity: 2, refund: 5))
    tokens.deposit()
    let count = drained(&tokens)
    #expect(count == 2)
  }

  @Test(arguments: [
    RetryBudget(capacity: -1), RetryBudget(capacity: 0),
    RetryBudget(capacity: 0, refund: .infinity),
    RetryBudget(capacity: 0, refund: .nan), RetryBudget(capacity: .min, refund: -1),
  ])
  func nonsenseIsNothing(_ budget: RetryBudget) {
    var tokens = RetryTokens(budget)
    tokens.deposit()
    let count = drained(&tokens)
    #expect(count == 0)
  }

  @Test func withoutABudgetThereIsAlwaysAToken() {
    var tokens = RetryTokens(nil)
    let count = drained(&tokens)
    #expect(count == 1_000)
  }

  /// A server that fails for a minute, and a thousand callers that each try six times more, every ten
  /// seconds.
  private func storm(_ budget: RetryBudget?) async -> RetryStand {
    let time = Log<TestScheduler>()
    let stand = RetryStand(.delayed(.seconds(10), limit: 6), budget: budget) { _, _ in
      (time.entries.first?.now ?? .zero) < .seconds(60) ? .response(503) : .response(200)
    }
    time.append(stand.time)
    let calls = (0..<1_000).map { _ in stand.send() }
    await stand.time.run()
    for call in calls { #expect(!call.isPending) }
    return stand
  }

  @Test func aStormStaysWithinTheBudget() async {
    #expect(await storm(RetryBudget()).seconds.count == 1_010)
    #expect(await storm(RetryBudget(capacity: 50)).seconds.count == 1_050)
  }

  @Test func withoutABudgetItIsMultiplied() async {
    let stand = await storm(nil)
    #expect(stand.seconds.count == 7_000)
    #expect(stand.seconds.last == 60)
  }

  @Test func answersGiveRepetitionsBack() async {
    let stand = RetryStand(.immediate(limit: 9), budget: RetryBudget(capacity: 1, refund: 0.5)) {
      _, request in request.headers.contains("X-Good") ? .response(404) : .response(503)
    }
    _ = await stand.outcome()
    #expect(stand.seconds.count == 2)
    _ = await stand.outcome()
    #expect(stand.seconds.count == 3)
    for _ in 0..<2 { _ = await stand.outcome(.get, ["X-Good": "1"]) }
    _ = await stand.outcome()
    #expect(stand.seconds.count == 7)
  }
}
