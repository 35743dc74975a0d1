import Foundation
import Promises

/// The delay of a response: fixed or random.
///
/// ```swift
/// MockProvider(delay: .milliseconds(200)) { ... }
/// MockProvider(delay: .uniform(.milliseconds(80), .milliseconds(300))) { ... }
/// ```
///
/// Random delays are reproducible. A delay without a seed is drawn from the `seed` of the server,
/// transport or provider. A delay with a seed depends only on this seed and on the number of random
/// delays that the server, transport or provider has drawn before. The same requests in the same
/// order therefore have the same delays in each run.
public struct MockDelay: Sendable, Hashable {
  private enum Kind: Hashable {
    case fixed(Duration)
    indirect case uniform(Duration, Duration, seed: UInt64?)
    indirect case logNormal(median: Duration, sigma: Double, cap: Duration, seed: UInt64?)
  }

  private let kind: Kind

  /// No delay.
  public static let zero = MockDelay.fixed(.zero)

  /// Returns a fixed delay.
  ///
  /// - Parameter duration: The delay. A negative duration counts as 0.
  /// - Returns: The delay.
  public static func fixed(_ duration: Duration) -> MockDelay {
    MockDelay(kind: .fixed(max(duration, .zero)))
  }

  /// Returns a random delay with a uniform distribution between two durations.
  ///
  /// - Parameters:
  ///   - least: The shortest delay.
  ///   - most: The longest delay.
  ///   - seed: A seed for this delay alone. `nil` draws from the seed of the server, transport or
  ///     provider.
  /// - Returns: The delay.
  public static func uniform(_ least: Duration, _ most: Duration, seed: UInt64? = nil) -> MockDelay
  {
    let (least, most) = (max(min(least, most), .zero), max(least, most, .zero))
    return MockDelay(kind: .uniform(least, most, seed: seed))
  }

  /// Returns a random delay with a log-normal distribution.
  ///
  /// As in real networks, most delays are near the median, and some are much longer.
  ///
  /// - Parameters:
  ///   - median: The median.
  ///   - sigma: The standard deviation of the logarithm. 0.5 resembles a good network, 1 a bad one.
  ///     NaN and negative values count as 0.
  ///   - cap: The longest delay.
  ///   - seed: A seed for this delay alone. `nil` draws from the seed of the server, transport or
  ///     provider.
  /// - Returns: The delay.
  public static func logNormal(
    median: Duration, sigma: Double, cap: Duration, seed: UInt64? = nil
  ) -> MockDelay {
    MockDelay(
      kind: .logNormal(
        median: max(median, .zero), sigma: sigma > 0 ? sigma : 0, cap: max(cap, .zero), seed: seed))
  }

  /// Returns a fixed delay in seconds.
  ///
  /// - Parameter seconds: The number of seconds.
  /// - Returns: The delay.
  public static func seconds(_ seconds: Int) -> MockDelay { .fixed(.seconds(seconds)) }

  /// Returns a fixed delay in fractional seconds.
  ///
  /// - Parameter seconds: The number of seconds, at most 1,000,000,000. NaN counts as 0.
  /// - Returns: The delay.
  public static func seconds(_ seconds: Double) -> MockDelay {
    .fixed(.seconds(seconds > 0 ? min(seconds, 1e9) : 0))
  }

  /// Returns a fixed delay in milliseconds.
  ///
  /// - Parameter milliseconds: The number of milliseconds.
  /// - Returns: The delay.
  public static func milliseconds(_ milliseconds: Int) -> MockDelay {
    .fixed(.milliseconds(milliseconds))
  }

  /// Returns a fixed delay in microseconds.
  ///
  /// - Parameter microseconds: The number of microseconds.
  /// - Returns: The delay.
  public static func microseconds(_ microseconds: Int) -> MockDelay {
    .fixed(.microseconds(microseconds))
  }

  // MARK: Random delays

  /// Whether the delay is random.
  var isRandom: Bool {
    if case .fixed = kind { false } else { true }
  }

  /// Returns the delay for the random draw with an index, counted from 0.
  ///
  /// A fixed delay ignores the index. A random delay without a seed of its own draws from `random`,
  /// or from the seed 0 if there is none.
  func duration(_ number: Int, from random: SeededRandom? = nil) -> Duration {
    func generator(_ seed: UInt64?) -> SplitMix64 {
      if seed == nil, let random { return SplitMix64(seed: random.bits()) }
      return SplitMix64(seed: seed ?? 0, draw: number)
    }
    switch kind {
    case .fixed(let duration): return duration
    case .uniform(let least, let most, let seed):
      var generator = generator(seed)
      return least + (most - least) * generator.unit()
    case .logNormal(let median, let sigma, let cap, let seed):
      var generator = generator(seed)
      // The Box-Muller transform turns two uniform numbers into one normally distributed number.
      let normal = (-2 * log(1 - generator.unit())).squareRoot() * cos(2 * .pi * generator.unit())
      let seconds = median / .seconds(1) * exp(sigma * normal)
      guard seconds < cap / .seconds(1) else { return cap }
      return .seconds(seconds)
    }
  }
}

extension MockDelay: CustomStringConvertible {
  /// A short description of the delay, such as `0.08 to 0.3 seconds`.
  public var description: String {
    switch kind {
    case .fixed(let duration): "\(duration.rounded)"
    case .uniform(let least, let most, _):
      "\("\(least.rounded)".replacing(" seconds", with: "")) to \(most.rounded)"
    case .logNormal(let median, let sigma, let cap, _):
      "about \(median.rounded), sigma \(sigma), at most \(cap.rounded)"
    }
  }
}
