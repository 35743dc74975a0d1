#if os(Linux)
  import Synchronization
  import TestSupport

  /// Chance that is the same each time, for a policy.
  final class SeededNumbers: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
      generator = Mutex(SeededGenerator(seed: seed))
    }

    func next(in range: ClosedRange<Double>) -> Double {
      generator.withLock { Double.random(in: range, using: &$0) }
    }

    /// The parts of some times that full jitter takes with these numbers.
    func delays(of times: [Duration]) -> [Duration] {
      times.map { $0 * next(in: 0...1) }
    }
  }
#endif
