import Foundation

/// How long an answer takes: always as long, or drawn by lot.
///
/// ```swift
/// MockProvider(delay: .milliseconds(200)) { ... }
/// MockProvider(delay: .uniform(.milliseconds(80), .milliseconds(300))) { ... }
/// ```
///
/// What is drawn depends on the seed, and on how many delays who serves the answers has drawn before, so
/// that the same requests in the same order take the same times in each run.
public struct MockDelay: Sendable, Hashable {
  private enum Kind: Hashable {
    case fixed(Duration)
    indirect case uniform(Duration, Duration, seed: UInt64)
    indirect case logNormal(median: Duration, sigma: Double, cap: Duration, seed: UInt64)
  }

  private let kind: Kind

  /// No time at all.
  public static let zero = MockDelay.fixed(.zero)

  /// Always the same time.
  ///
  /// - Parameter duration: how long; less than nothing is nothing.
  /// - Returns: the delay.
  public static func fixed(_ duration: Duration) -> MockDelay {
    MockDelay(kind: .fixed(max(duration, .zero)))
  }

  /// Any time between two, one as likely as the other.
  ///
  /// - Parameters:
  ///   - least: the least.
  ///   - most: the most.
  ///   - seed: another one draws other times.
  /// - Returns: the delay.
  public static func uniform(_ least: Duration, _ most: Duration, seed: UInt64 = 0) -> MockDelay {
    let (least, most) = (max(min(least, most), .zero), max(least, most, .zero))
    return MockDelay(kind: .uniform(least, most, seed: seed))
  }

  /// Times as networks have them: most near the median, some much longer.
  ///
  /// - Parameters:
  ///   - median: half of them take no longer.
  ///   - sigma: the standard deviation of their logarithm; 0.5 is a calm network, 1 a bad one. What is
  ///     no number, or less than nothing, is nothing.
  ///   - cap: none takes longer.
  ///   - seed: another one draws other times.
  /// - Returns: the delay.
  public static func logNormal(
    median: Duration, sigma: Double, cap: Duration, seed: UInt64 = 0
  ) -> MockDelay {
    MockDelay(
      kind: .logNormal(
        median: max(median, .zero), sigma: sigma > 0 ? sigma : 0, cap: max(cap, .zero), seed: seed))
  }

  /// Always so many seconds.
  ///
  /// - Parameter seconds: how many.
  /// - Returns: the delay.
  public static func seconds(_ seconds: Int) -> MockDelay { .fixed(.seconds(seconds)) }

  /// Always so many seconds; what is no number is none.
  ///
  /// - Parameter seconds: how many, at the most a thousand million.
  /// - Returns: the delay.
  public static func seconds(_ seconds: Double) -> MockDelay {
    .fixed(.seconds(seconds > 0 ? min(seconds, 1e9) : 0))
  }

  /// Always so many milliseconds.
  ///
  /// - Parameter milliseconds: how many.
  /// - Returns: the delay.
  public static func milliseconds(_ milliseconds: Int) -> MockDelay {
    .fixed(.milliseconds(milliseconds))
  }

  /// Always so many microseconds.
  ///
  /// - Parameter microseconds: how many.
  /// - Returns: the delay.
  public static func microseconds(_ microseconds: Int) -> MockDelay {
    .fixed(.microseconds(microseconds))
  }

  // MARK: Drawing

  /// Whether it is drawn by lot.
  var isDrawn: Bool {
    if case .fixed = kind { false } else { true }
  }

  /// The delay of the `number`th draw.
  func duration(_ number: Int) -> Duration {
    switch kind {
    case .fixed(let duration): return duration
    case .uniform(let least, let most, let seed):
      var lots = Lots(seed: seed, number)
      return least + (most - least) * lots.next()
    case .logNormal(let median, let sigma, let cap, let seed):
      var lots = Lots(seed: seed, number)
      // Box and Muller's way from two even draws to a normal one.
      let normal = (-2 * log(1 - lots.next())).squareRoot() * cos(2 * .pi * lots.next())
      let seconds = median / .seconds(1) * exp(sigma * normal)
      guard seconds < cap / .seconds(1) else { return cap }
      return .seconds(seconds)
    }
  }

  /// Numbers from 0 up to 1, all determined by where they begin: the generator SplitMix64.
  private struct Lots {
    private var state: UInt64

    init(seed: UInt64, _ number: Int) {
      state = seed &+ UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03
      _ = next()
    }

    mutating func next() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
      return Double((bits ^ bits >> 31) >> 11) * 0x1p-53
    }
  }
}

extension MockDelay: CustomStringConvertible {
  /// How long, in a few words: `0.08 to 0.3 seconds`.
  public var description: String {
    switch kind {
    case .fixed(let duration): "\(duration)"
    case .uniform(let least, let most, _): "\(least / .seconds(1)) to \(most)"
    case .logNormal(let median, let sigma, let cap, _):
      "about \(median), sigma \(sigma), at most \(cap)"
    }
  }
}
