import Promises
import TestGate
import TestSupport
import Testing
import ThreadSanitizerSupport

/// Random graphs of promises against a plain model of the contract.
///
/// A failure prints the seed, and the shortest story that fails.
@Suite(.gated)
struct RandomGraphTests {
  private static let scale = thread_sanitizer_is_on() ? 1 : TestSize.of(2, full: 5)

  @Test func aGraphOnOneThreadDoesExactlyTheStepsOfTheModel() async {
    for seed in 0..<UInt64(400 * Self.scale) {
      let story = GraphStory(seed: seed, count: 60)
      guard await difference(story) != nil else { continue }
      let shortest = await story.shortened { await difference($0) != nil }
      let reason = await difference(shortest) ?? ""
      Issue.record("seed \(seed): \(reason)\n\(shortest)")
      return
    }
  }

  @Test func aGraphOnEightThreadsKeepsTheContract() async {
    for seed in 0..<UInt64(60 * Self.scale) {
      let story = GraphStory(seed: seed, count: 120)
      let violations = await violationsOnThreads(story, threads: 8)
      guard !violations.isEmpty else { continue }
      Issue.record("seed \(seed): \(violations.joined(separator: "\n"))\n\(story)")
      return
    }
  }

  /// The model finds the difference if a step of the real graph is left out.
  @Test func theModelNoticesAMissingStep() async {
    let story = GraphStory(seed: 1, count: 60)
    var noticed = 0
    for index in story.steps.indices.dropFirst(3)
    where await difference(story, leavingOut: index) != nil {
      noticed += 1
    }
    #expect(noticed > 20)
  }

  /// Returns the first difference between the promises and the model, or `nil`.
  private func difference(_ story: GraphStory, leavingOut omitted: Int? = nil) async -> String? {
    guard case .source? = story.steps.first else { return nil }
    let (model, runner) = (GraphModel(), GraphRunner())
    var reason: String?
    for (number, step) in story.steps.enumerated() {
      model.perform(step, number: number)
      if number != omitted {
        if case .advance(let seconds) = step {
          await runner.time.advance(by: .seconds(seconds))
        } else {
          runner.perform(step, number: number)
        }
      }
      let (expected, actual) = (model.outcomes, runner.outcomes)
      if expected != actual {
        reason = "after step \(number), \(actual) is not \(expected)"
      } else if model.events != runner.events {
        reason = "after step \(number), \(runner.events) is not \(model.events)"
      }
      if reason != nil { break }
    }
    await runner.finish()
    if reason == nil {
      let checks = GraphChecks(runner)
      reason = checks.violations.first
    }
    return reason
  }

  /// Performs the first third of a story on one thread and the rest on several at once.
  private func violationsOnThreads(_ story: GraphStory, threads: Int) async -> [String] {
    let runner = GraphRunner()
    let steps = Array(story.steps.enumerated())
    let start = steps.count / 3
    for (number, step) in steps.prefix(start) { runner.perform(step, number: number) }
    async let passing: Void = {
      for _ in 0..<4 { await runner.time.advance(by: .seconds(1)) }
    }()
    await onThreads(threads) { thread in
      for (number, step) in steps.dropFirst(start) where number % threads == thread {
        runner.perform(step, number: number)
      }
    }
    await passing
    let forgotten = GraphChecks(runner).forgotten
    await runner.finish()
    return forgotten + GraphChecks(runner).violations
  }
}
