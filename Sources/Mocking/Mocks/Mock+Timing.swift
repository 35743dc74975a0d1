import Foundation
import Networking
import Promises

extension Mock {
  /// The pacing of a body.
  enum Pace: Hashable {
    case dribble(pieces: Int, over: Duration)
    case throughput(bytesPerSecond: Int)
  }

  /// Returns a copy whose response is delayed.
  ///
  /// - Parameter delay: The delay before the first byte of the response. It replaces an earlier
  ///   one.
  /// - Returns: The mock.
  public func delayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.delay = delay
    return mock
  }

  /// Returns a copy whose response is delayed by a fixed duration.
  ///
  /// - Parameter duration: The delay before the first byte of the response. It replaces an earlier
  ///   one.
  /// - Returns: The mock.
  @_disfavoredOverload
  public func delayed(by duration: Duration) -> Mock {
    delayed(by: .fixed(duration))
  }

  /// Returns a copy with a delay between the head and the body of the response.
  ///
  /// - Parameter delay: The delay.
  /// - Returns: The mock.
  public func bodyDelayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.bodyDelay = delay
    return mock
  }

  /// Returns a copy whose body is sent in pieces, spread evenly over a duration.
  ///
  /// The first piece is sent with the head, and the last one at the end of the duration. The pieces
  /// divide the bytes on the wire, which include the chunked coding.
  ///
  /// - Parameters:
  ///   - pieces: The number of pieces, from 1 to 10,000. There are at most as many pieces as bytes.
  ///   - duration: The time from the first piece to the last. A negative duration counts as 0.
  /// - Returns: The mock. A throughput that was set before is removed.
  public func dribbled(pieces: Int, over duration: Duration) -> Mock {
    var mock = self
    mock.pace = .dribble(pieces: min(max(pieces, 1), 10_000), over: max(duration, .zero))
    return mock
  }

  /// Returns a copy whose body is sent at a fixed throughput.
  ///
  /// The body is sent in ten pieces per second, at most 1,000 pieces in total. Each piece is sent
  /// when its last byte is due. In memory, the request body is sent at the same throughput, and the
  /// delay of the response starts after it. A server does not limit the throughput of the request.
  ///
  /// - Parameter bytesPerSecond: The number of bytes on the wire per second, at least 1.
  /// - Returns: The mock. Pieces that were set by `dribbled(pieces:over:)` are removed.
  public func throttled(bytesPerSecond: Int) -> Mock {
    var mock = self
    mock.pace = .throughput(bytesPerSecond: max(bytesPerSecond, 1))
    return mock
  }

  /// Returns a copy with a fault in its response.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - stage: The position of the fault in the response.
  ///   - chance: The probability of the fault, from 0 to 1, drawn for each request from the `seed` of
  ///     the server, transport or provider. NaN counts as 0.
  /// - Returns: The mock.
  public func interrupted(
    by fault: MockFault, at stage: MockFault.Stage, chance: Double = 1
  ) -> Mock {
    var mock = self
    mock.interruption = Interruption(
      fault: fault, stage: stage, chance: chance > 0 ? min(chance, 1) : 0)
    return mock
  }
}

extension Mock.Pace {
  /// A part of a body.
  struct Piece: Hashable {
    let byteCount: Int
    /// The time at which the piece is sent, counted from the start of the body.
    let moment: Duration
  }

  /// Returns the pieces of a body of `count` bytes.
  func pieces(of count: Int) -> [Piece] {
    guard count > 0 else { return [] }
    switch self {
    case .dribble(let wanted, let duration):
      let pieces = min(wanted, count)
      return (0..<pieces).map { piece in
        Piece(
          byteCount: Self.byteCount(of: count, piece, pieces),
          moment: piece == pieces - 1 && piece > 0
            ? duration : duration / max(pieces - 1, 1) * piece)
      }
    case .throughput(let rate):
      let duration = Duration.seconds(count / rate) + .seconds(1) * (count % rate) / rate
      let pieces = min(Int(min(max(duration / .milliseconds(100), 1), 1_000)), count)
      return (1...pieces).map { piece in
        Piece(
          byteCount: Self.byteCount(of: count, piece - 1, pieces),
          moment: piece == pieces ? duration : duration / pieces * piece)
      }
    }
  }

  /// Returns the size of the piece with an index, if `count` bytes are split into `pieces`.
  ///
  /// The sizes differ by at most one byte, and the calculation cannot overflow.
  private static func byteCount(of count: Int, _ piece: Int, _ pieces: Int) -> Int {
    count / pieces + (piece < count % pieces ? 1 : 0)
  }
}

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
