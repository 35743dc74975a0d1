import Foundation

/// A check that the time of a function grows in proportion to its input.
enum Growth {
  /// The sizes of the compared inputs, in bytes.
  private static let sizes = [4 << 10, 32 << 10, 256 << 10]
  /// The share of the inputs that are checked: one of this many.
  private static let interval = 32

  /// Checks some of the inputs.
  ///
  /// The input is cut into three parts `u`, `v`, `w`, and the function runs with `u...u v...v w...w`
  /// or with `u v...v w` of two sizes, one 8 times the other. Linear functions take 8 times as long
  /// for the larger one, quadratic functions 64 times. The bound is 24 times plus 80 ms, and only
  /// the CPU time of this process counts. So neither the load of the machine nor its speed matters.
  ///
  /// A linear function can exceed the bound once, at the size at which it begins to do more. So a
  /// third size must exceed it, too.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - file: The file of the check.
  ///   - line: The line of the check.
  ///   - body: The function. It must wait for the work that it starts on other threads.
  static func checkLinear(
    _ input: FuzzInput, file: StaticString = #fileID, line: UInt = #line,
    _ body: (_ bytes: [UInt8]) -> Void
  ) {
    guard let pumped = Self.pumped(input) else { return }
    var excesses: [String] = []
    for (small, large) in zip(sizes, sizes.dropFirst()) {
      guard let excess = excess(pumped(small), pumped(large), body) else { return }
      excesses.append(excess)
    }
    fatalError(
      "violated: the time is linear: \(excesses.joined(separator: ", "))", file: file, line: line)
  }

  /// Checks that a function takes at most 10 times as long as another one, plus 20 ms, for some of the
  /// inputs.
  ///
  /// The functions run with an input of 32 KiB, as for ``checkLinear(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - other: The function with which it is compared.
  ///   - file: The file of the check.
  ///   - line: The line of the check.
  ///   - body: The function. It must wait for the work that it starts on other threads.
  static func checkRatio(
    _ input: FuzzInput, to other: (_ bytes: [UInt8]) -> Void, file: StaticString = #fileID,
    line: UInt = #line, _ body: (_ bytes: [UInt8]) -> Void
  ) {
    guard let bytes = pumped(input)?(sizes[1]) else { return }
    var best = (other: Double.infinity, body: Double.infinity)
    for _ in 0..<4 {
      best = (
        min(best.other, seconds { other(bytes) }), min(best.body, seconds { body(bytes) })
      )
      if best.body <= 10 * best.other + 0.02 { return }
    }
    fatalError(
      "violated: the work is bounded: \(best.body) s in place of \(best.other) s", file: file,
      line: line)
  }

  /// Returns a function that repeats parts of an input up to a size, or `nil` if the input is not
  /// chosen.
  private static func pumped(_ input: FuzzInput) -> ((_ size: Int) -> [UInt8])? {
    var choices = input.choices
    guard choices.number(below: interval) == 0, !input.bytes.isEmpty else { return nil }
    let count = input.bytes.count
    let cuts = [choices.number(below: count + 1), choices.number(below: count + 1)].sorted()
    let parts = [
      input.bytes[..<cuts[0]], input.bytes[cuts[0]..<cuts[1]], input.bytes[cuts[1]...],
    ]
    let repeatsAll = choices.flips() || parts[1].isEmpty
    return { size in
      let times = size / (repeatsAll ? count : parts[1].count) + 1
      return parts.enumerated().flatMap { index, part in
        (0..<(repeatsAll || index == 1 ? times : 1)).flatMap { _ in part }
      }
    }
  }

  /// Returns a description of the times for two inputs if they exceed the bound.
  private static func excess(
    _ small: [UInt8], _ large: [UInt8], _ body: (_ bytes: [UInt8]) -> Void
  ) -> String? {
    var best = (small: Double.infinity, large: Double.infinity)
    // Repeated before it fails: a page fault or an interrupt can only make a run longer.
    for _ in 0..<4 {
      best = (
        min(best.small, seconds { body(small) }), min(best.large, seconds { body(large) })
      )
      if best.large <= 24 * best.small + 0.08 { return nil }
    }
    return "\(small.count) bytes take \(best.small) s, and \(large.count) bytes \(best.large) s"
  }

  /// Returns the CPU time of a closure.
  private static func seconds(_ body: () -> Void) -> Double {
    let start = cpuTime()
    body()
    return cpuTime() - start
  }

  private static func cpuTime() -> Double {
    var time = timespec()
    // Of the process, because readers continue deep texts on a thread with a larger stack.
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
