import CatenaSystem

/// The source of random numbers of one provider, transport or server.
///
/// Delays, templates, weighted responses and random faults draw from it. With a seed, requests that
/// arrive in the same order draw the same numbers. All members may be used from any thread.
final class SeededRandom: Sendable {
  private let generator: Mutex<SplitMix64>

  /// Creates a source.
  ///
  /// - Parameter seed: The seed. `nil` uses a random seed.
  init(seed: UInt64? = nil) {
    generator = Mutex(SplitMix64(seed: seed ?? .random(in: .min ... .max)))
  }

  /// Returns a number from 0 up to but not including 1.
  func unit() -> Double {
    generator.withLock { $0.unit() }
  }

  /// Returns 64 random bits.
  func bits() -> UInt64 {
    generator.withLock { $0.next() }
  }

  /// Returns a number in a range.
  func int(in range: ClosedRange<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }
}

/// The SplitMix64 generator (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Creates the generator of the draw with an index, counted from 0.
  package init(seed: UInt64, draw number: Int) {
    state = seed &+ UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03
    _ = next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// Returns a number from 0 up to but not including 1.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
