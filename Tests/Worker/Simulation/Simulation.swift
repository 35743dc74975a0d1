import Foundation
import TestSupport

// Runs random stories of a client in virtual time, over the real pipeline with a mock transport, and checks
// them against plain rules.
//
//     simulation COUNT [FIRST]
//     simulation altered COUNT
//     simulation whole SEED
//
// The seeds are FIRST, by default 0, and those after it. The program prints the first seed that fails and
// the shortest form of its story, and exits with 1. Otherwise it prints "ok: COUNT stories".
//
// With `altered` it changes the log of each story so that it breaks the contract, and prints for each kind
// of change the number of logs and how many of them the rules rejected. It exits with 1 if these differ.
//
// With `whole` it prints one story that is not shortened, its log, and its violations.
enum Simulation {
  static func run(_ arguments: [String]) async throws {
    if arguments.dropFirst().first == "altered" {
      let count = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 100
      exit(await allAlterationsAreRejected(count) ? 0 : 1)
    }

    if arguments.dropFirst().first == "whole",
      let seed = arguments.dropFirst(2).first.flatMap({ UInt64($0) })
    {
      await printRun(Story(seed: seed))
      exit(0)
    }

    let numbers = arguments.dropFirst().compactMap { UInt64($0) }
    guard let count = numbers.first else {
      print("usage: simulation COUNT [FIRST]\n       simulation altered COUNT")
      exit(64)
    }
    let first = numbers.dropFirst().first ?? 0
    let lanes = UInt64(max(1, min(8, ProcessInfo.processInfo.activeProcessorCount)))

    let failure = await withTaskGroup(of: Failure?.self) { group in
      for lane in 0..<lanes {
        group.addTask { await firstFailure(first + lane..<first + count, stride: lanes) }
      }
      var failures: [Failure] = []
      for await found in group {
        if let found { failures.append(found) }
      }
      return failures.min { $0.seed < $1.seed }
    }

    guard let failure else {
      print("ok: \(count) stories")
      exit(0)
    }
    print("seed \(failure.seed) fails:")
    for violation in failure.violations { print("violation: \(violation)") }
    let story = Story(seed: failure.seed)
    let parts = await shortened(story.parts) { await !violations(Story(parts: $0)).isEmpty }
    let shortest = Story(parts: parts)
    print("its shortest form:")
    await printRun(shortest)
    exit(1)
  }

  /// Performs a story and returns the violations of the rules.
  private static func violations(_ story: Story) async -> [String] {
    let run = StoryRun(story)
    let scheduled = await run.perform()
    var found = StoryRules(story, run.log.entries).violations
    if scheduled > 0 { found.append("\(scheduled) actions are still scheduled") }
    return found
  }

  /// A story that fails.
  private struct Failure: Sendable {
    let seed: UInt64
    let violations: [String]
  }

  /// Returns the first failure of a range of seeds.
  private static func firstFailure(_ seeds: Range<UInt64>, stride: UInt64) async -> Failure? {
    for seed in Swift.stride(from: seeds.lowerBound, to: seeds.upperBound, by: Int(stride)) {
      let found = await violations(Story(seed: seed))
      guard found.isEmpty else { return Failure(seed: seed, violations: found) }
    }
    return nil
  }

  /// Prints how many altered logs the rules reject, and returns whether they reject all.
  private static func allAlterationsAreRejected(_ count: UInt64) async -> Bool {
    var isEachRejected = true
    for alteration in Alteration.allCases {
      var (logs, rejected) = (0, 0)
      for seed in 0..<count {
        let story = Story(seed: seed)
        let run = StoryRun(story)
        _ = await run.perform()
        guard let altered = alteration.applied(to: run.log.entries) else { continue }
        logs += 1
        rejected += StoryRules(story, altered).violations.isEmpty ? 0 : 1
      }
      print("\(alteration): \(logs) logs, \(rejected) rejected")
      isEachRejected = isEachRejected && logs > 0 && rejected == logs
    }
    return isEachRejected
  }

  /// Prints a story, the log of a run, and its violations.
  private static func printRun(_ story: Story) async {
    let run = StoryRun(story)
    _ = await run.perform()
    print(story)
    for entry in run.log.entries { print("  \(entry.time)  \(entry.event)") }
    for violation in StoryRules(story, run.log.entries).violations {
      print("violation: \(violation)")
    }
  }
}
