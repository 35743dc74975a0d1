import Foundation

/// What a load has come to; one line of JSON on the standard output.
public struct Outcome: Codable, Sendable {
  /// How much was done.
  public var requests: Int
  /// How much of it went wrong.
  public var failures: Int
  /// How long it took.
  public var seconds: Double
  /// User and system time of this process meanwhile.
  public var cpuSeconds: Double
  /// The most memory that was resident, in bytes.
  public var peakBytes: Int
  /// That, less what was resident before.
  public var growthBytes: Int

  /// Does the work once and prints what it has come to; exits with 1 if anything went wrong.
  ///
  /// - Parameters:
  ///   - requests: how much the work is.
  ///   - work: does it all and returns how much of it went wrong.
  public static func print(of requests: Int, _ work: () async -> Int) async {
    let before = ProcessUsage()
    let clock = ContinuousClock()
    let start = clock.now
    let failures = await work()
    let seconds = (clock.now - start) / .seconds(1)
    let after = ProcessUsage()
    let outcome = Outcome(
      requests: requests, failures: failures, seconds: seconds,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds, peakBytes: after.peakBytes,
      growthBytes: max(after.peakBytes - before.residentBytes, 0))
    if let line = try? JSONEncoder().encode(outcome) {
      Swift.print(String(decoding: line, as: UTF8.self))
    }
    exit(failures == 0 ? 0 : 1)
  }
}
