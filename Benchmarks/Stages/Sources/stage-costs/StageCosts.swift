import Foundation
import Promises
import Synchronization

@testable import Networking

/// Prints the cost of each stage of the pipeline per request, in CPU time of the whole process.
///
/// The variants run in the order A B C, A B C. A turn sends batches of 64 requests and then delivers the
/// responses, so that each stage waits for its response as with a network. The cost is the difference
/// to the empty pipeline in the same round, and the median over all rounds. A second table has
/// operations outside of a pipeline.
@main
struct StageCosts {
  static func main() {
    let rounds = CommandLine.arguments.contains("--quick") ? 15 : 61
    let batches = 64
    let only = CommandLine.arguments.firstIndex(of: "--filter").map {
      CommandLine.arguments[$0 + 1]
    }
    let transport = BatchTransport()
    let variants = Variants(transport).all.filter { variant in
      only.map { variant.name.contains($0) || variant.name == Variants.empty } ?? true
    }
    var costs: [String: [Double]] = [:]
    for round in 0...rounds {
      for variant in variants {
        let cost = measure(variant, batches, transport)
        // The first round is the warm-up.
        if round > 0 { costs[variant.name, default: []].append(cost) }
      }
    }
    report(variants, costs)
    report(Operation.all.filter { operation in only.map(operation.name.contains) ?? true }, rounds)
  }

  /// Returns the CPU time per request in microseconds.
  private static func measure(
    _ variant: Variant, _ batches: Int, _ transport: BatchTransport
  ) -> Double {
    let done = Atomic(0)
    let start = cpuMicroseconds()
    for _ in 0..<batches {
      for place in 0..<Variants.batch {
        variant.pipeline.send(variant.exchange(place)).always(on: .inline) { _ in
          done.add(1, ordering: .relaxed)
        }
      }
      transport.respondToAll()
    }
    let cost = (cpuMicroseconds() - start) / Double(batches * Variants.batch)
    precondition(
      done.load(ordering: .relaxed) == batches * Variants.batch, "some requests have no response")
    return cost
  }

  private static func cpuMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  private static func report(_ variants: [Variant], _ costs: [String: [Double]]) {
    print("| stage | CPU us per request | us more than no stage | middle half | budget |")
    print("|---|---:|---:|---:|---|")
    for variant in variants {
      guard let own = costs[variant.name], let base = costs[Variants.empty] else { continue }
      let extra = zip(own, base).map { $0 - $1 }.sorted()
      let median = extra[extra.count / 2]
      var cells = [variant.name, text(own.sorted()[own.count / 2])]
      if variant.name == Variants.empty {
        cells += ["", "", ""]
      } else {
        cells.append(text(median))
        cells.append("\(text(extra[extra.count / 4]))..\(text(extra[extra.count * 3 / 4]))")
        cells.append(variant.budget.map { median <= $0 ? "ok" : "MISSED: \(text($0))" } ?? "")
      }
      print("| " + cells.joined(separator: " | ") + " |")
    }
  }

  private static func report(_ operations: [Operation], _ rounds: Int) {
    guard !operations.isEmpty else { return }
    print("\n| operation | CPU us | middle half | budget |")
    print("|---|---:|---:|---|")
    for operation in operations {
      var costs: [Double] = []
      for round in 0...rounds {
        let start = cpuMicroseconds()
        for number in 0..<operation.count { operation.run(round * operation.count + number) }
        if round > 0 { costs.append((cpuMicroseconds() - start) / Double(operation.count)) }
      }
      costs.sort()
      let median = costs[costs.count / 2]
      let half = "\(text(costs[costs.count / 4]))..\(text(costs[costs.count * 3 / 4]))"
      let result = operation.budget.map { median <= $0 ? "ok" : "MISSED: \(text($0))" } ?? ""
      print("| \(operation.name) | \(text(median)) | \(half) | \(result) |")
    }
  }

  private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}
