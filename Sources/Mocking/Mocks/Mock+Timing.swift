import Foundation
import Networking

extension Mock {
  /// How a body is drawn out.
  enum Pace: Hashable {
    case dribble(pieces: Int, over: Duration)
    case throughput(bytesPerSecond: Int)
  }

  /// The same answer, later.
  ///
  /// - Parameter delay: how long it waits before its first byte, in place of any other delay.
  /// - Returns: the answer.
  public func delayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.delay = delay
    return mock
  }

  /// The same answer, later by a time that is at hand as a `Duration`.
  ///
  /// - Parameter duration: how long it waits before its first byte, in place of any other delay.
  /// - Returns: the answer.
  @_disfavoredOverload
  public func delayed(by duration: Duration) -> Mock {
    delayed(by: .fixed(duration))
  }

  /// The same answer with its body later.
  ///
  /// - Parameter delay: how long it waits between the head and the body.
  /// - Returns: the answer.
  public func bodyDelayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.bodyDelay = delay
    return mock
  }

  /// The same answer with its body drawn out.
  ///
  /// The first piece goes with the head, the last one when all the time has passed, the others evenly
  /// between. The pieces are of the bytes as they go over the wire.
  ///
  /// - Parameters:
  ///   - pieces: in how many pieces; there are no more than bytes, at most 10,000, and at least one.
  ///   - duration: the time from the first to the last; less than nothing is nothing.
  /// - Returns: the answer, with this in place of any throughput.
  public func dribbled(pieces: Int, over duration: Duration) -> Mock {
    var mock = self
    mock.pace = .dribble(pieces: min(max(pieces, 1), 10_000), over: max(duration, .zero))
    return mock
  }

  /// The same answer with its body at a certain speed.
  ///
  /// It comes in pieces, ten a second or, where those would be more than a thousand, a thousand in all;
  /// each comes when the time for its last byte has come. In memory the request's body goes out at the
  /// same speed, before the answer's delay begins; a server has a request whole before it is answered.
  ///
  /// - Parameter bytesPerSecond: how many bytes a second, as they go over the wire; at least one.
  /// - Returns: the answer, with this in place of any dribble.
  public func throttled(bytesPerSecond: Int) -> Mock {
    var mock = self
    mock.pace = .throughput(bytesPerSecond: max(bytesPerSecond, 1))
    return mock
  }

  /// The same answer, which goes wrong on the way.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - stage: where.
  /// - Returns: the answer.
  public func interrupted(by fault: MockFault, at stage: MockFault.Stage) -> Mock {
    var mock = self
    mock.interruption = Interruption(fault: fault, stage: stage)
    return mock
  }
}

extension Mock.Pace {
  /// A stretch of a body, and when it comes, counted from the body's beginning.
  struct Piece: Hashable {
    let byteCount: Int
    let moment: Duration
  }

  /// So many bytes in pieces.
  func pieces(of count: Int) -> [Piece] {
    guard count > 0 else { return [] }
    switch self {
    case .dribble(let wanted, let duration):
      let pieces = min(wanted, count)
      return (0..<pieces).map { piece in
        Piece(
          byteCount: Self.share(of: count, piece, pieces),
          moment: piece == pieces - 1 && piece > 0
            ? duration : duration / max(pieces - 1, 1) * piece)
      }
    case .throughput(let rate):
      let duration = Duration.seconds(count / rate) + .seconds(1) * (count % rate) / rate
      let pieces = min(Int(min(max(duration / .milliseconds(100), 1), 1_000)), count)
      return (1...pieces).map { piece in
        Piece(
          byteCount: Self.share(of: count, piece - 1, pieces),
          moment: piece == pieces ? duration : duration / pieces * piece)
      }
    }
  }

  /// Without overflow, and all pieces alike but for one byte.
  private static func share(of count: Int, _ piece: Int, _ pieces: Int) -> Int {
    count / pieces + (piece < count % pieces ? 1 : 0)
  }
}

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
  var isRandom: Bool {
    if case .fixed = kind { false } else { true }
  }

  /// The delay of the `number`th draw.
  func duration(_ number: Int) -> Duration {
    switch kind {
    case .fixed(let duration): return duration
    case .uniform(let least, let most, let seed):
      var lots = SplitMix64(seed: seed, number)
      return least + (most - least) * lots.next()
    case .logNormal(let median, let sigma, let cap, let seed):
      var lots = SplitMix64(seed: seed, number)
      // Box and Muller's way from two even draws to a normal one.
      let normal = (-2 * log(1 - lots.next())).squareRoot() * cos(2 * .pi * lots.next())
      let seconds = median / .seconds(1) * exp(sigma * normal)
      guard seconds < cap / .seconds(1) else { return cap }
      return .seconds(seconds)
    }
  }

  /// Numbers from 0 up to 1, all determined by where they begin: the generator SplitMix64.
  private struct SplitMix64 {
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
